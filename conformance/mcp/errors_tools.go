package mcp

import (
	"context"
	"encoding/json"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/rpc"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

func unknownTool() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.errors.unknown-tool", Title: "a call of an unknown tool is answered with -32602", Protocol: conformance.MCP,
			Area: conformance.Errors, Level: reporters.Should, Revisions: all(), Needs: []conformance.Feature{Tools},
			Rule: reporters.Rule{
				Text: "An unknown tool is a protocol error, not a result of a tool; the specification shows it as -32602, in an example.",
				URL:  page("2025-11-25/server/tools#error-handling"),
			},
			Fix: "Look the tool up before calling it, and answer -32602 when there is none; isError is for tools that ran and failed.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			s.Note(noSuch, "to see how an unknown tool is refused")
			a := s.Attempt(ctx, c, "tools/call", map[string]any{"name": noSuch, "arguments": map[string]any{}})
			a.refusedWith(c, "a call of the tool "+noSuch, codeInvalidParams)
		}),
	}
}

func callWithoutName() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.errors.call-without-name", Title: "a tools/call that names no tool is answered with -32602", Protocol: conformance.MCP,
			Area: conformance.Errors, Level: reporters.Should, Revisions: all(), Needs: []conformance.Feature{Tools},
			Rule: reporters.Rule{
				Text: "A tools/call that does not fit its schema is a protocol error; JSON-RPC has -32602 for params that do not fit. From 2026-07-28 on the header Mcp-Name is missing then as well, so that -32020 is right too.",
				URL:  page("2025-11-25/server/tools#error-handling"),
			},
			Fix: "Validate the params of tools/call against the schema of the revision, and answer -32602.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			codes := []int64{codeInvalidParams}
			if s.Modern() && s.overHTTP() {
				codes = append(codes, mcp.CodeHeaderMismatch)
			}
			a := s.Attempt(ctx, c, "tools/call", map[string]any{"arguments": map[string]any{}})
			a.refusedWith(c, "a tools/call without a name", codes...)
		}),
	}
}

// misuse calls a tool that may be called with arguments that its schema rejects.
// what says what is wrong with them.
func (s *Session) misuse(ctx context.Context, c *conformance.Check) (reply rpc.Reply, what string) {
	for _, tool := range s.Facts.Tools {
		if !tool.Callable {
			continue
		}
		args, wrong, ok := InvalidArguments(tool.InputSchema)
		if !ok {
			continue
		}
		reply = s.CallTool(ctx, c, tool, args, "to see how arguments that its schema rejects are refused")
		if kind, _ := wire.Text(wire.Get(reply.Result, "resultType")); kind == "input_required" {
			c.NotVerified("tool %s asks for more input instead of judging its arguments", tool.Name)
		}
		return reply, "a call of " + tool.Name + " " + wrong
	}
	c.NotVerified("no tool that may be called has a schema that rejects anything")
	return reply, ""
}

// failed tells whether a tool says of itself that it did not work.
func failed(result json.RawMessage) bool { return string(wire.Get(result, "isError")) == "true" }

func invalidArguments() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.errors.invalid-arguments", Title: "arguments that a tool's schema rejects are refused", Protocol: conformance.MCP,
			Area: conformance.Errors, Level: reporters.Must, Revisions: all(), Needs: []conformance.Feature{ReadableTool},
			Rule: reporters.Rule{
				Text: "Servers must validate all tool inputs: a call whose arguments the tool's own schema rejects fails, as a result with isError or as a JSON-RPC error.",
				URL:  page("2025-11-25/server/tools#security-considerations"),
			},
			Fix: "Validate the arguments against inputSchema before running the tool.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			reply, what := s.misuse(ctx, c)
			c.That(reply.Error != nil || failed(reply.Result), "isError or an error to "+what, "%s", describe(reply))
		}),
	}
}

func invalidArgumentsInResult() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.errors.invalid-arguments-in-result", Title: "invalid arguments are told to the model, by isError", Protocol: conformance.MCP,
			Area: conformance.Errors, Level: reporters.Should, Revisions: since(mcp.Rev2511), Needs: []conformance.Feature{ReadableTool},
			Rule: reporters.Rule{
				Text: "From 2025-11-25 on, input that fails validation is a tool execution error: a result with isError, from which a model can correct itself. A JSON-RPC error often does not reach the model.",
				URL:  page("2025-11-25/server/tools#error-handling"),
			},
			Fix: "Return a result with isError true and a text that says which argument is wrong and what it should be.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			reply, what := s.misuse(ctx, c)
			if reply.Error == nil && !failed(reply.Result) {
				c.NotVerified("%s is not refused at all: see mcp.errors.invalid-arguments", what)
			}
			c.That(reply.Error == nil, "a result with isError to "+what, "%s", describe(reply))
		}),
	}
}
