package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// messageMonitors judge messages one by one and requests with their answers.
func messageMonitors() []conformance.Monitor {
	return []conformance.Monitor{
		wellFormed(), answeredOnce(), answersKnownIDs(), onlyOfferedRequests(), noRequestsFromServer(), reservedCodes(), quietLog(),
	}
}

func wellFormed() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "mcp.framing.well-formed-messages", Title: "everything the server sends as a message is a JSON-RPC 2.0 message",
			Protocol: conformance.MCP, Area: conformance.Framing, Level: reporters.Must, Revisions: all(), Core: true,
			Rule: reporters.Rule{
				Text: "All messages follow JSON-RPC 2.0, in UTF-8; a server on stdio writes nothing else to its stdout, one message a line.",
				URL:  page("2025-11-25/basic#messages"),
			},
			Fix: "Write logs and banners to stderr, and build messages with a JSON-RPC library.",
		},
		Judge: eachReceived(func(m seen) (bool, *conformance.Violation) {
			return true, unless(len(m.Problems) == 0, "a JSON-RPC 2.0 message",
				clip(string(m.Raw), 200)+": "+strings.Join(m.Problems, "; "), m)
		}),
	}
}

func answeredOnce() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "mcp.idempotency.one-answer", Title: "no request is answered twice",
			Protocol: conformance.MCP, Area: conformance.Idempotency, Level: reporters.Must, Revisions: all(), Core: true,
			Rule: reporters.Rule{
				Text: "A request has one response, which carries its id.",
				URL:  "https://modelcontextprotocol.io/specification/2025-11-25/basic/index#responses",
			},
			Fix: "Send the response once, on one stream, and never both a result and an error.",
		},
		Judge: func(t conformance.Trace) conformance.Judgement {
			var j conformance.Judgement
			if t.Hostile { // ids may have been used twice on purpose
				return j
			}
			for _, q := range requests(traffic(t)) {
				if len(q.Answers) > 0 {
					j.Exercised++
				}
				if len(q.Answers) > 1 {
					j.Violations = append(j.Violations, breach("one response to id "+q.ID.String(),
						fmt.Sprintf("%d responses", len(q.Answers)), append([]seen{q.seen}, q.Answers...)...))
				}
			}
			return j
		},
	}
}

func answersKnownIDs() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "mcp.idempotency.answers-known-ids", Title: "every response carries the id of a request that was sent",
			Protocol: conformance.MCP, Area: conformance.Idempotency, Level: reporters.Must, Revisions: all(), Core: true,
			Rule: reporters.Rule{
				Text: "A response carries the same id as the request it answers, of the same JSON type.",
				URL:  "https://modelcontextprotocol.io/specification/2025-11-25/basic/index#responses",
			},
			Fix: "Keep the id as the JSON value that came; do not convert it between strings and numbers.",
		},
		Judge: func(t conformance.Trace) conformance.Judgement {
			var j conformance.Judgement
			if t.Hostile { // what was sent may have had no readable id
				return j
			}
			var out []*asked
			for _, m := range traffic(t) {
				switch {
				case m.Frame.Dir == wire.Out && m.Kind == wire.KindRequest:
					out = append(out, &asked{seen: m})
				case m.Kind == wire.KindError && (m.ID.IsZero() || m.ID == wire.NullID):
					// the answer to what had no id that could be read
				case m.Frame.Dir == wire.In && m.IsResponse():
					j.Exercised++
					if answeredBy(out, m) == nil && exact(m.ID) {
						j.Violations = append(j.Violations, breach("a response to a request that was sent", "a response to id "+m.ID.String(), m))
					}
				}
			}
			return j
		},
	}
}

// onlyOfferedRequests rests on the suite declaring no client capability at all.
func onlyOfferedRequests() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "mcp.lifecycle.only-negotiated-requests", Title: "the server asks the client for nothing that it did not declare",
			Protocol: conformance.MCP, Area: conformance.Lifecycle, Level: reporters.Must, Revisions: only(mcp.Rev2506, mcp.Rev2511), Core: true,
			Rule: reporters.Rule{
				Text: "Both parties must use only capabilities that were negotiated; a client that declares none is asked for no sampling, elicitation or roots.",
				URL:  "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#operation",
			},
			Fix: "Look at the client's capabilities from initialize before sending it a request.",
		},
		Judge: eachReceived(func(m seen) (bool, *conformance.Violation) {
			return true, unless(m.Kind != wire.KindRequest || m.Method == "ping",
				"no request but ping to a client without capabilities", m.Method, m)
		}),
	}
}

func noRequestsFromServer() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "mcp.streaming.no-server-requests", Title: "the server sends no requests",
			Protocol: conformance.MCP, Area: conformance.Streaming, Level: reporters.Must, Revisions: modern(), Core: true,
			Rule: reporters.Rule{
				Text: "A server must not send JSON-RPC requests; what it needs from the client it asks for in an input_required result.",
				URL:  "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio",
			},
			Fix: "Return an InputRequiredResult instead of sending a request.",
		},
		Judge: eachReceived(func(m seen) (bool, *conformance.Violation) {
			return true, unless(m.Kind != wire.KindRequest, "no requests from the server", m.Method, m)
		}),
	}
}

func reservedCodes() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "mcp.errors.reserved-codes", Title: "no error code is used that the specification reserves and does not define",
			Protocol: conformance.MCP, Area: conformance.Errors, Level: reporters.Must, Revisions: modern(),
			Rule: reporters.Rule{
				Text: "The codes from -32020 to -32099 are reserved for the specification: an implementation must not use those that it does not define.",
				URL:  "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#error-codes",
			},
			Fix: "Take a code outside -32768 to -32000 for errors of your own.",
		},
		Judge: eachReceived(func(m seen) (bool, *conformance.Violation) {
			if m.Error == nil {
				return false, nil
			}
			undefined := m.Error.Code < mcp.CodeUnsupportedVersion && m.Error.Code >= -32099
			return true, unless(!undefined, "a code that is defined, or one outside the reserved range", fmt.Sprint(m.Error.Code), m)
		}),
	}
}

func quietLog() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "mcp.streaming.no-log-unasked", Title: "no log message is sent to a client that asked for none",
			Protocol: conformance.MCP, Area: conformance.Streaming, Level: reporters.Must, Revisions: modern(), Core: true,
			Rule: reporters.Rule{
				Text: "Without a logLevel in the request's _meta the server must not send notifications/message for it.",
				URL:  "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging",
			},
			Fix: "Send log messages only for requests that carry io.modelcontextprotocol/logLevel.",
		},
		Judge: func(t conformance.Trace) conformance.Judgement {
			var j conformance.Judgement
			asked := false
			for _, m := range traffic(t) {
				if m.Frame.Dir == wire.Out {
					asked = asked || logLevel(m.Params) != nil
					continue
				}
				j.Exercised++
				if m.Method == "notifications/message" && !asked {
					j.Violations = append(j.Violations, breach("no notifications/message", clip(string(m.Raw), 200), m))
				}
			}
			return j
		},
	}
}

func logLevel(params json.RawMessage) json.RawMessage {
	return wire.Path(params, "_meta", "io.modelcontextprotocol/logLevel")
}
