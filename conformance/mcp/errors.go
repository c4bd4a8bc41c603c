package mcp

import (
	"context"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// The JSON-RPC error codes, and the one that MCP had for resources.
//
// https://www.jsonrpc.org/specification#error_object
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	codeNoResource     = -32002 // up to 2025-11-25
)

// noSuch is the name of what no server has, and noSuchMethod a method like that.
const (
	noSuch       = "peerwright-no-such-thing"
	noSuchMethod = "peerwright/no-such-method"
)

// page returns the address of a page of the specification.
func page(path string) string { return "https://modelcontextprotocol.io/specification/" + path }

// errorCases check how a server refuses.
func errorCases() []conformance.Case {
	return []conformance.Case{
		unknownMethod(), errorShape(), errorKeepsID(), paramsNoObject(),
		invalidJSON(), parseErrorCode(), notARequest(), wrongJSONRPC(), survivesBadRequests(),
		unknownTool(), callWithoutName(), invalidArguments(), invalidArgumentsInResult(),
		unknownResource(), unknownResourceCode(), unknownResourceContents(),
		unknownPrompt(), missingPromptArgument(), badLogLevel(), badCompletionRef(),
	}
}

func unknownMethod() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.errors.unknown-method", Title: "an unknown method is answered with -32601", Protocol: conformance.MCP,
			Area: conformance.Errors, Level: reporters.Must, Revisions: all(), Core: true,
			Rule: reporters.Rule{
				Text: "MCP follows JSON-RPC 2.0: a request for a method that the server does not have is answered with the error -32601.",
				URL:  page("2026-07-28/basic#error-codes"),
			},
			Fix: "Answer a method that you do not know with the error -32601 under the id of the request.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			a := s.Attempt(ctx, c, noSuchMethod, nil)
			c.That(a.Code() == codeNoMethod, "error -32601 to a method that does not exist", "%v", a)
		}),
	}
}

// provocations lists good requests that call for an error: for what the server does
// not have.
func (s *Session) provocations() []claim {
	list := []claim{{method: noSuchMethod}}
	if s.declares("prompts") {
		list = append(list, claim{method: "prompts/get", params: map[string]any{"name": noSuch}})
	}
	if s.declares("resources") {
		list = append(list, claim{method: "resources/read", params: map[string]any{"uri": noSuchURI}})
	}
	return list
}

// provoke sends them until one is answered with an error, under whatever id.
func (s *Session) provoke(ctx context.Context, c *conformance.Check, id func() wire.ID) (wire.ID, wire.Message) {
	for _, p := range s.provocations() {
		id := id()
		a := s.whatever(ctx, c, id, s.Compose(id, p.method, encode(c, p.params)))
		if a.Message.Error != nil {
			return id, a.Message
		}
	}
	c.NotVerified("nothing that the server does not have is answered with a JSON-RPC error")
	return wire.ID{}, wire.Message{}
}

func errorShape() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.errors.shape", Title: "an error has an integer code and a message", Protocol: conformance.MCP,
			Area: conformance.Errors, Level: reporters.Must, Revisions: all(), Core: true,
			Rule: reporters.Rule{
				Text: "An error response holds an error with a code, which is an integer, and a message, and no result beside it.",
				URL:  page("2025-11-25/basic#error-responses"),
			},
			Fix: `Send errors as {"code": <integer>, "message": <string>}, with anything else in data.`,
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			_, m := s.provoke(ctx, c, s.NextID)
			c.That(len(m.Problems) == 0, "a well-formed error response", "%v in %s", m.Problems, clip(string(m.Raw), 300))
		}),
	}
}

func errorKeepsID() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.errors.keeps-id", Title: "an error carries the id of the request it answers", Protocol: conformance.MCP,
			Area: conformance.Errors, Level: reporters.Must, Revisions: all(), Core: true,
			Rule: reporters.Rule{
				Text: "An error response has the id of its request; only where the id could not be read may it be missing.",
				URL:  page("2025-11-25/basic#error-responses"),
			},
			Fix: "Copy the id of the request into the error response, with its JSON type.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			text := func() wire.ID { return wire.StringID("peerwright-error-" + s.NextID().String()) }
			for _, kind := range []func() wire.ID{text, s.NextID} {
				id, m := s.provoke(ctx, c, kind)
				c.That(m.ID.Equal(id), "an error under the id "+id.String(), "id %s", named(m.ID))
			}
		}),
	}
}

// named puts an id into words.
func named(id wire.ID) string {
	if id.IsZero() {
		return "missing"
	}
	return clip(id.String(), 100)
}

func badLogLevel() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.errors.bad-log-level", Title: "a log level that does not exist is refused with -32602", Protocol: conformance.MCP,
			Area: conformance.Errors, Level: reporters.Should, Revisions: all(), Needs: []conformance.Feature{Logging},
			Rule: reporters.Rule{
				Text: "A log level that is none of the eight should be answered with the error -32602.",
				URL:  page("2025-11-25/server/utilities/logging#error-handling"),
			},
			Fix: "Check the level against the list of the specification, and answer -32602.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			method, params := "logging/setLevel", any(map[string]any{"level": noSuch})
			if s.Modern() { // the level travels with each request
				method, params = s.plain(), map[string]any{"_meta": map[string]any{metaLogLevel: noSuch}}
			}
			s.Attempt(ctx, c, method, params).refusedWith(c, "the level "+noSuch, codeInvalidParams)
		}),
	}
}

// metaLogLevel is the member of _meta by which a request asks for log messages.
//
// https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging
const metaLogLevel = "io.modelcontextprotocol/logLevel"

func badCompletionRef() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.errors.bad-completion-ref", Title: "a completion for an unknown prompt is refused with -32602", Protocol: conformance.MCP,
			Area: conformance.Errors, Level: reporters.Should, Revisions: since(mcp.Rev2503), Needs: []conformance.Feature{Completions},
			Rule: reporters.Rule{
				Text: "A completion that refers to a prompt that does not exist should be answered with the error -32602.",
				URL:  page("2025-11-25/server/utilities/completion#error-handling"),
			},
			Fix: "Look the reference up before completing, and answer -32602 when there is no such prompt.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			s.Attempt(ctx, c, "completion/complete", map[string]any{
				"ref":      map[string]string{"type": "ref/prompt", "name": noSuch},
				"argument": map[string]string{"name": "a", "value": "a"},
			}).refusedWith(c, "a completion for the prompt "+noSuch, codeInvalidParams)
		}),
	}
}
