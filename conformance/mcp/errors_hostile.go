package mcp

import (
	"bytes"
	"context"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

func paramsNoObject() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.errors.params-not-an-object", Title: "params that are no object are refused", Protocol: conformance.MCP,
			Area: conformance.Errors, Level: reporters.Should, Revisions: legacy(), // later params without _meta are of no revision
			Rule: reporters.Rule{
				Text: "The params of a request are an object; JSON-RPC has -32602 for params that do not fit, and -32600 for what is no request, and either says it.",
				URL:  page("2025-11-25/basic#requests"),
			},
			Fix: "Check the type of params before using them, and answer -32602.",
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			id := s.NextID()
			a := s.probe(ctx, id, wire.Request(id, s.harmless(), []byte("7")))
			if a.Silent() && !s.overHTTP() {
				c.NotVerified("the server left it unanswered")
			}
			a.refusedWith(c, "params that are a number", codeInvalidParams, codeInvalidRequest)
		}),
	}
}

// good is a good request that any server of the revision answers, to be spoilt in
// one place.
func (s *Session) good(id wire.ID) []byte { return s.Compose(id, s.harmless(), nil) }

// standing ends the case when the conversation is over instead of answered.
func (a Answer) standing(c *conformance.Check, after string) {
	c.That(!a.lost(), "a conversation that goes on after "+after, "%v", a)
}

func invalidJSON() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.errors.invalid-json", Title: "a message that is not JSON is refused, and the conversation goes on", Protocol: conformance.MCP,
			Area: conformance.Errors, Level: reporters.Should, Revisions: all(), Core: true,
			Rule: reporters.Rule{
				Text: "What is not JSON is no request: it is refused, over HTTP by an error status, a JSON-RPC error or both; on a stream silence will do, for JSON-RPC wants an answer with the id null, and MCP knows no such id. Clients must not send such a thing, and a server may end a conversation: that it reads on counts as a recommendation.",
				URL:  "https://www.jsonrpc.org/specification#error_object",
			},
			Fix: "Catch the failure to parse, answer -32700 (over HTTP with status 400), and read on.",
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			id := s.NextID()
			a := s.probe(ctx, id, bytes.TrimSuffix(s.good(id), []byte("}")))
			a.standing(c, "a line that is not JSON")
			c.That(a.turnedDown() || a.Silent() && !s.overHTTP(), "a refusal of a message that is not JSON", "%v", a)
		}),
	}
}

func parseErrorCode() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.errors.parse-error-code", Title: "an error about invalid JSON has the code -32700", Protocol: conformance.MCP,
			Area: conformance.Errors, Level: reporters.Should, Revisions: all(),
			Rule: reporters.Rule{
				Text: "MCP uses the standard codes of JSON-RPC 2.0 for general failures; the one for a message that is not JSON is -32700.",
				URL:  page("2026-07-28/basic#error-codes"),
			},
			Fix: "Answer what cannot be parsed with -32700, not with a code for requests that could be read.",
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			id := s.NextID()
			a := s.probe(ctx, id, bytes.TrimSuffix(s.good(id), []byte("}")))
			if a.Message.Error == nil {
				c.NotVerified("the server did not answer with a JSON-RPC error, but with %v", a)
			}
			c.That(a.Code() == codeParse, "error -32700 to a message that is not JSON", "%v", a)
		}),
	}
}

func notARequest() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.errors.invalid-request", Title: "JSON that is no request is refused with -32600", Protocol: conformance.MCP,
			Area: conformance.Errors, Level: reporters.Should, Revisions: all(),
			Rule: reporters.Rule{
				Text: "JSON-RPC answers an object that is no valid request, such as one whose method is a number, with -32600; over HTTP a header that mirrors the method cannot match it either, and -32020 says so as well.",
				URL:  "https://www.jsonrpc.org/specification#error_object",
			},
			Fix: "Tell JSON that is no request (-32600) from what is not JSON (-32700) and from unknown methods (-32601).",
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			id := s.NextID()
			raw := bytes.Replace(s.good(id), wire.Quote(s.harmless()), []byte("7"), 1)
			s.refuses(c, s.probe(ctx, id, raw), "a request whose method is a number")
		}),
	}
}

func wrongJSONRPC() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.errors.wrong-jsonrpc", Title: `a request with another "jsonrpc" than "2.0" is refused with -32600`, Protocol: conformance.MCP,
			Area: conformance.Errors, Level: reporters.Should, Revisions: all(),
			Rule: reporters.Rule{
				Text: `All messages follow JSON-RPC 2.0, in which "jsonrpc" is exactly "2.0"; anything else is an invalid request, -32600.`,
				URL:  "https://www.jsonrpc.org/specification#request_object",
			},
			Fix: `Check the member "jsonrpc" before dispatching a request.`,
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			id := s.NextID()
			raw := bytes.Replace(s.good(id), []byte(`"2.0"`), []byte(`"1.0"`), 1)
			s.refuses(c, s.probe(ctx, id, raw), `a request of JSON-RPC "1.0"`)
		}),
	}
}

// refuses judges the answer to what is JSON and no request.
func (s *Session) refuses(c *conformance.Check, a Answer, what string) {
	if a.Silent() && !s.overHTTP() {
		c.NotVerified("the server left %s unanswered", what)
	}
	codes := []int64{codeInvalidRequest}
	if s.Modern() && s.overHTTP() {
		codes = append(codes, mcp.CodeHeaderMismatch)
	}
	a.refusedWith(c, what, codes...)
}

func survivesBadRequests() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.errors.survives", Title: "after bad requests the next good one is answered", Protocol: conformance.MCP,
			Area: conformance.Errors, Level: reporters.Should, Revisions: all(), Core: true,
			Rule: reporters.Rule{
				Text: "A request is answered with a result or an error; that an earlier message was refused does not change that. A server may end a conversation, but one that does so for every bad message takes the good requests with it, so that this counts as a recommendation.",
				URL:  page("2025-11-25/basic#responses"),
			},
			Fix: "Treat each message by itself: catch what goes wrong with one, answer it, and go on with the next.",
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			id := s.NextID()
			for _, raw := range [][]byte{
				s.Compose(id, noSuchMethod, nil),
				[]byte(`{"jsonrpc":"2.0","method":`), []byte(`"just a string"`), []byte(`{}`),
			} {
				_, err := s.Send(ctx, transport.Outgoing{Raw: raw})
				c.Answered(err, "bad requests, one after another")
			}
			s.Must(ctx, c, s.harmless(), nil)
		}),
	}
}
