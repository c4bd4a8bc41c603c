package mutants

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// mcpTalkers are servers that say what nobody asked for.
func mcpTalkers() []Mutant {
	return []Mutant{
		{
			ID: "banner-on-stdout", Doc: "the server greets with a line of text on stdout",
			Kills: []string{"mcp.framing.well-formed-messages"}, Revision: mcp.Rev2511, Stdio: true,
			Pipe: func(next Serve) Serve {
				return func(ctx context.Context, r io.Reader, w io.Writer) error {
					if _, err := io.WriteString(w, "Library MCP Server version: 1.0.0\n"); err != nil {
						return err
					}
					return next(ctx, r, w)
				}
			},
		},
		{
			ID: "log-lines-on-stdout", Doc: "the server writes a line of text to stdout for each call",
			Kills: []string{"mcp.framing.well-formed-messages"}, Revision: mcp.Rev2607, Stdio: true,
			Swap: func(request, m wire.Message) [][]byte {
				if request.Method != "tools/call" || !m.IsResponse() {
					return keep(m)
				}
				return append([][]byte{[]byte("INFO tools/call done")}, m.Raw)
			},
		},
		{
			ID: "answers-twice", Doc: "prompts/list is answered twice",
			Kills: []string{"mcp.idempotency.one-answer"}, Revision: mcp.Rev2511, Stdio: true,
			Swap: func(request, m wire.Message) [][]byte {
				if request.Method != "prompts/list" || !m.IsResponse() {
					return keep(m)
				}
				return append(keep(m), m.Raw)
			},
		},
		{
			ID: "answers-nobody", Doc: "the server sends a response that answers no request",
			Kills: []string{"mcp.idempotency.answers-known-ids"}, Revision: mcp.Rev2511, Stdio: true,
			Swap: besides("prompts/list", wire.Result(wire.StringID("ready"), json.RawMessage(`{}`))),
		},
		{
			ID: "asks-for-roots", Doc: "the server asks a client without capabilities for its roots",
			Kills: []string{"mcp.lifecycle.only-negotiated-requests"}, Revision: mcp.Rev2511, Stdio: true,
			Swap: besides("prompts/list", wire.Request(wire.StringID("roots"), "roots/list", nil)),
		},
		{
			ID: "asks-on-a-stream", Doc: "the server asks for sampling by a request, in 2026-07-28",
			Kills: []string{"mcp.streaming.no-server-requests"}, Revision: mcp.Rev2607,
			Swap: besides("tools/call", wire.Request(wire.StringID("sample"), "sampling/createMessage", json.RawMessage(`{"messages":[],"maxTokens":1}`))),
		},
		{
			ID: "logs-unasked", Doc: "the server sends log messages for a request that asks for none, in 2026-07-28",
			Kills: []string{"mcp.streaming.no-log-unasked"}, Revision: mcp.Rev2607,
			Swap: besides("tools/call", logMessage()),
		},
		{
			ID: "reserved-code", Doc: "a tool that fails is answered with a code that the specification reserves, in 2026-07-28",
			Kills: []string{"mcp.errors.reserved-codes"}, Revision: mcp.Rev2607, Stdio: true,
			Swap: onLockedShelf(failure(-32050)),
		},
	}
}

// mcpSchemas are servers whose messages are not what the schema defines, in what no
// case looks at.
func mcpSchemas() []Mutant {
	return []Mutant{
		{
			ID: "read-without-cache-hints", Doc: "the result of resources/read does not say how long it may be kept, in 2026-07-28",
			Kills: []string{"mcp.schema.results"}, Revision: mcp.Rev2607,
			Swap: results("resources/read", func(_ wire.Message, r map[string]any) any {
				delete(r, "ttlMs")
				return r
			}),
		},
		{
			ID: "tool-title-null", Doc: "a tool has a title that is null",
			Kills: []string{"mcp.schema.results"}, Revision: mcp.Rev2511, Stdio: true,
			Swap: listed("tools/list", "note_burn", func(tool map[string]any) { tool["title"] = nil }),
		},
		{
			ID: "progress-total-as-text", Doc: "the total of progress is a string",
			Kills: []string{"mcp.schema.notifications"}, Revision: mcp.Rev2511,
			Swap: notes("notifications/progress", func(_ wire.Message, params map[string]any) [][]byte {
				params["total"] = "5"
				return progressOf(params)
			}),
		},
		{
			ID: "elicitation-without-elicitations", Doc: "a call is answered with -32042, and no elicitation to go through",
			Kills: []string{"mcp.schema.error-objects"}, Revision: mcp.Rev2511,
			Swap: onLockedShelf(failure(-32042)),
		},
	}
}

// onLockedShelf makes a Swap that gives another answer where a tool fails.
func onLockedShelf(other answering) Swap {
	return func(request, m wire.Message) [][]byte {
		if request.Method != "tools/call" || !strings.Contains(string(m.Result), "nobody has the key") {
			return keep(m)
		}
		return [][]byte{other(m.ID)}
	}
}

// besides makes a Swap that sends another message before the result of a method.
func besides(method string, other []byte) Swap {
	return func(request, m wire.Message) [][]byte {
		if request.Method != method || m.Kind != wire.KindResult {
			return keep(m)
		}
		return [][]byte{other, m.Raw}
	}
}
