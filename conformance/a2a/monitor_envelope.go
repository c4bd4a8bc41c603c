package a2a

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// envelopeMonitors read how each answer is wrapped.
func envelopeMonitors() []conformance.Monitor {
	return []conformance.Monitor{responseObjects(), answersCarryID(), eventsCarryID(), jsonType(), mediaType()}
}

func responseObjects() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "a2a.framing.response-object", Title: "Every answer is a JSON-RPC 2.0 response",
			Area: conformance.Framing, Level: reporters.Must, Revisions: everyRevision(), Needs: needs(JSONRPC), Core: true,
			Rule: rule(`A response has "jsonrpc":"2.0", an id, and either a result or an error with a whole code and a message, never both and never neither.`, responseObject),
			Fix:  `Build every answer with one function that writes jsonrpc, id and exactly one of result and error; a result of nothing is {} or null, not absent.`,
		},
		Judge: func(t conformance.Trace) (j conformance.Judgement) {
			for _, x := range exchanges(t) {
				if !x.rpc() || !x.succeeded() || !answerable(x.asked.ID) {
					continue // what stands between may answer in its own words
				}
				for _, a := range x.answers {
					j.Exercised++
					if problems := envelopeProblems(a.message); problems != "" {
						x.found(&j, a, "a JSON-RPC 2.0 response", problems+": "+clip(string(a.raw)))
					}
				}
			}
			return j
		},
	}
}

// answerable tells whether an id is one that a response may carry.
func answerable(id wire.ID) bool {
	return id.IsZero() || id.IsString() || id.IsNumber() || id == wire.NullID
}

func envelopeProblems(m wire.Message) string {
	switch {
	case m.Kind == wire.KindBatch:
		return "an array"
	case len(m.Problems) > 0:
		return strings.Join(m.Problems, ", ")
	case !m.IsResponse():
		return "a " + string(m.Kind)
	case m.ID.IsZero():
		return "no id"
	}
	return ""
}

func answersCarryID() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "a2a.idempotency.answer-id", Title: "No answer carries another request's id",
			Area: conformance.Idempotency, Level: reporters.Must, Revisions: everyRevision(), Needs: needs(JSONRPC), Core: true,
			Rule: rule("The id of a response is that of its request.", responseObject),
			Fix:  "Keep the id with the request while it is worked on, instead of in something that requests share.",
		},
		Judge: func(t conformance.Trace) conformance.Judgement { return judgeIDs(t, false) },
	}
}

func eventsCarryID() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "a2a.streaming.event-id", Title: "Every event of a stream carries the id of the request",
			Area: conformance.Streaming, Level: reporters.Must, Revisions: everyRevision(), Needs: needs(JSONRPC, Streaming),
			Rule: rule("Each event of a stream is a whole JSON-RPC response, with the id of the request that opened the stream.", spec10+"#942-sendstreamingmessage"),
			Fix:  "Write the id of the request into each event; do not number the events in its place.",
		},
		Judge: func(t conformance.Trace) conformance.Judgement { return judgeIDs(t, true) },
	}
}

// judgeIDs compares ids in conversations without hostile input: there a request may
// have had an id that cannot be answered.
func judgeIDs(t conformance.Trace, streams bool) (j conformance.Judgement) {
	if t.Hostile {
		return j
	}
	for _, x := range exchanges(t) {
		if x.stream() != streams || !ordinary(x.asked.ID) {
			continue
		}
		for _, a := range x.answers {
			if !a.message.IsResponse() {
				continue
			}
			j.Exercised++
			if !a.message.ID.Equal(x.asked.ID) {
				x.found(&j, a, "the id "+clip(x.asked.ID.String()), clip(orNone(wire.Get(a.raw, "id"))))
			}
		}
	}
	return j
}

// ordinary tells whether any agent can hand the id back: a number of more than 15
// digits may lose some.
func ordinary(id wire.ID) bool {
	return id.IsString() || id.IsNumber() && len(id.String()) <= 15
}

func jsonType() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "a2a.framing.json-content-type", Title: "JSON-RPC answers are application/json",
			Area: conformance.Framing, Level: reporters.Must, Revisions: before10(), Needs: needs(JSONRPC), Core: true,
			Rule: rule("The Content-Type of an HTTP response with a JSON-RPC payload is application/json.", spec03+"#321-json-rpc-20-transport"),
			Fix:  "Set Content-Type: application/json before the body is written; some servers guess text/plain.",
		},
		Judge: func(t conformance.Trace) conformance.Judgement {
			return judgeTypes(t, func(x *exchange) []string {
				if !x.rpc() {
					return nil
				}
				return []string{"application/json"}
			})
		},
	}
}

func mediaType() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "a2a.framing.media-type", Title: "Answers say that they are JSON",
			Area: conformance.Framing, Level: reporters.Should, Revisions: since10(), Core: true,
			Rule: rule("JSON-RPC answers are application/json; those of HTTP+JSON are application/a2a+json (1.0.1) or application/json (1.0.0).",
				spec10+"#91-protocol-requirements"),
			Fix: "Set Content-Type before the body is written; some servers guess text/plain.",
		},
		Judge: func(t conformance.Trace) conformance.Judgement {
			return judgeTypes(t, func(x *exchange) []string {
				if x.rpc() {
					return []string{"application/json"}
				}
				return []string{"application/a2a+json", "application/json", "application/problem+json"}
			})
		},
	}
}

// judgeTypes looks at the type of every answer that is JSON and no stream, where a
// type is asked for.
func judgeTypes(t conformance.Trace, allowed func(*exchange) []string) (j conformance.Judgement) {
	for _, x := range exchanges(t) {
		if x.stream() || len(x.answers) != 1 || !json.Valid(x.answers[0].raw) || x.rpc() && !isRPC(x.answers[0].message) {
			continue // what stands between may answer in its own words
		}
		want, kind := allowed(x), transport.MediaType(x.response.Header)
		if want == nil {
			continue
		}
		j.Exercised++
		if !slices.Contains(want, kind) {
			x.found(&j, x.answers[0], strings.Join(want, " or "), `"`+kind+`"`)
		}
	}
	return j
}
