package mcp

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/mcpschema"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// schemaMonitors judge what the server sends by the wire schemas of the revision.
func schemaMonitors() []conformance.Monitor {
	return []conformance.Monitor{schemaResults(), schemaNotifications(), schemaErrors()}
}

func schemaResults() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "mcp.schema.results", Title: "every result has the members and types that its method and revision define",
			Protocol: conformance.MCP, Area: conformance.Schema, Level: reporters.Must, Revisions: all(), Core: true,
			Rule: reporters.Rule{
				Text: "The schema is the source of truth for all messages: a result has the members that it requires for the method, and those that it has are of the types it gives them.",
				URL:  "https://modelcontextprotocol.io/specification/2025-11-25/basic/index#schema",
			},
			Fix: "Compare the result with the schema of the negotiated revision; leave out optional members instead of sending null.",
		},
		Judge: func(t conformance.Trace) conformance.Judgement {
			var j conformance.Judgement
			for _, q := range unmistakable(t) {
				for _, a := range q.Answers {
					revision := revisionOf(t, q, a)
					if a.Kind != wire.KindResult || !fair(t, q, a) || !judgeable(revision, q.Method, a.Result) {
						continue
					}
					j.Exercised++
					if err := mcpschema.Result(revision, q.Method, a.Result); err != nil {
						j.Violations = append(j.Violations, breach("a result of "+q.Method+" as "+revision+" defines it",
							faultIn(err, a.Result), q.seen, a))
					}
				}
			}
			return j
		},
	}
}

// unmistakable returns the requests with their answers, without those that share their
// id with a request of another method, as only a hostile conversation has them: which
// of the two an answer is for is a guess, for the server too.
func unmistakable(t conformance.Trace) []*asked {
	all := requests(traffic(t))
	if !t.Hostile {
		return all
	}
	methods := map[wire.ID]string{}
	shared := map[wire.ID]bool{}
	for _, q := range all {
		if before, again := methods[q.ID]; again && before != q.Method {
			shared[q.ID] = true
		}
		methods[q.ID] = q.Method
	}
	return slices.DeleteFunc(all, func(q *asked) bool { return shared[q.ID] })
}

// revisionOf is the one that a result must keep to; "" when that is not clear.
func revisionOf(t conformance.Trace, q *asked, a seen) string {
	if q.Method == "initialize" { // the server chooses
		chosen, _ := wire.Text(wire.Get(a.Result, "protocolVersion"))
		if !mcpschema.Known(chosen, q.Method) {
			return t.Revision
		}
		return chosen
	}
	// A request of the modern era names its revision. One that does not was sent so on
	// purpose: a server of both eras may take it for one of a legacy revision.
	named, ok := wire.Text(wire.Path(q.Params, "_meta", "io.modelcontextprotocol/protocolVersion"))
	if ok != mcp.Modern(t.Revision) || ok && named != t.Revision {
		return ""
	}
	return t.Revision
}

// fair tells whether a result can be held against the server: the request was sound,
// and in a hostile conversation the result does not repeat what may have been odd in
// the request.
func fair(t conformance.Trace, q *asked, a seen) bool {
	echo := t.Hostile && q.Method == "resources/read" // of the URI
	return len(q.Problems) == 0 && len(a.Problems) == 0 && !echo
}

func judgeable(revision, method string, raw json.RawMessage) bool {
	return mcpschema.Known(revision, method) && len(raw) <= mcpschema.MaxBytes
}

func faultIn(err error, raw json.RawMessage) string {
	return err.Error() + "; in " + orNothing(raw)
}

func schemaNotifications() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "mcp.schema.notifications", Title: "every notification has the params that its method and revision define",
			Protocol: conformance.MCP, Area: conformance.Schema, Level: reporters.Must, Revisions: all(),
			Rule: reporters.Rule{
				Text: "The schema is the source of truth for all messages: a notification has the params that it requires for the method, and those that it has are of the types it gives them.",
				URL:  "https://modelcontextprotocol.io/specification/2025-11-25/basic/index#schema",
			},
			Fix: "Compare the notification with the schema of the negotiated revision; log levels are those of RFC 5424, in lower case.",
		},
		Judge: func(t conformance.Trace) conformance.Judgement {
			var j conformance.Judgement
			for _, m := range traffic(t) {
				echo := t.Hostile && (m.Method == "notifications/progress" || m.Method == "notifications/cancelled") // of a token or an id
				if m.Frame.Dir != wire.In || m.Kind != wire.KindNotification || len(m.Problems) > 0 || echo || !judgeable(t.Revision, m.Method, m.Params) {
					continue
				}
				j.Exercised++
				if err := mcpschema.Notification(t.Revision, m.Method, m.Params); err != nil {
					j.Violations = append(j.Violations, breach(m.Method+" as "+t.Revision+" defines it", faultIn(err, m.Params), m))
				}
			}
			return j
		},
	}
}

func schemaErrors() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "mcp.schema.error-objects", Title: "errors that the specification defines carry the data that it defines",
			Protocol: conformance.MCP, Area: conformance.Schema, Level: reporters.Must, Revisions: only(mcp.Rev2511, mcp.Rev2607),
			Rule: reporters.Rule{
				Text: "Codes that the specification defines are used as it defines them: -32022 with the supported versions and the requested one, -32021 with the required capabilities, -32042 (of 2025-11-25) with the elicitations to go through.",
				URL:  "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#error-codes",
			},
			Fix: "Fill in the data of the error, or use a code of your own outside the reserved range.",
		},
		Judge: func(t conformance.Trace) conformance.Judgement {
			var j conformance.Judgement
			for _, m := range traffic(t) {
				if m.Frame.Dir != wire.In || m.Error == nil || len(m.Problems) > 0 || !mcpschema.KnownFailure(t.Revision, m.Error.Code) {
					continue
				}
				j.Exercised++
				if err := mcpschema.Failure(t.Revision, m.Error.Code, m.Error.Raw); err != nil {
					j.Violations = append(j.Violations, breach(fmt.Sprintf("error %d as %s defines it", m.Error.Code, t.Revision), faultIn(err, m.Error.Raw), m))
				}
			}
			return j
		},
	}
}
