package mutants

import (
	"context"
	"io"
	"net/http"
	"slices"

	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// mcpHandshake are servers of the legacy revisions that begin wrongly.
func mcpHandshake() []Mutant {
	return []Mutant{
		{
			ID: "unknown-version-refused", Doc: "initialize with a version that the server does not know is answered with HTTP status 400",
			Kills: []string{"mcp.lifecycle.unknown-version"}, Revision: mcp.Rev2511,
			Wrap: reply(func(_ *http.Request, m wire.Message) bool { return asksFor(m, isNoRevision) },
				http.StatusBadRequest, "text/plain", "Unsupported protocol version (supported versions: 2025-11-25)"),
		},
		{
			ID: "unknown-version-echoed", Doc: "initialize is answered with whatever version was asked for",
			Kills: []string{"mcp.lifecycle.unknown-version"}, Revision: mcp.Rev2511, Stdio: true,
			Swap: results("initialize", func(request wire.Message, r map[string]any) any {
				r["protocolVersion"] = decode(request.Params)["protocolVersion"]
				return r
			}),
		},
		{
			ID: "versions-mixed-up", Doc: "2025-03-26 is agreed on where 2025-06-18 was asked for, and the other way round",
			Kills: []string{"mcp.lifecycle.version-echo"}, Revision: mcp.Rev2511,
			Swap: results("initialize", func(_ wire.Message, r map[string]any) any {
				switch r["protocolVersion"] {
				case mcp.Rev2503:
					r["protocolVersion"] = mcp.Rev2506
				case mcp.Rev2506:
					r["protocolVersion"] = mcp.Rev2503
				}
				return r
			}),
		},
		{
			ID: "server-without-version", Doc: "serverInfo has no version",
			Kills: []string{"mcp.lifecycle.initialize-result", "mcp.schema.results"}, Revision: mcp.Rev2511,
			Swap: results("initialize", func(_ wire.Message, r map[string]any) any {
				delete(r["serverInfo"].(map[string]any), "version")
				return r
			}),
		},
		{
			ID: "ends-when-asked-early", Doc: "the server ends at a request before initialize",
			Kills: []string{"mcp.lifecycle.too-early"}, Revision: mcp.Rev2511, Stdio: true,
			Pipe: endsAtFirst(func(m wire.Message) bool { return m.Method != "initialize" }),
		},
		{
			ID: "ping-says-pong", Doc: "the result of ping is not empty",
			Kills: []string{"mcp.lifecycle.ping"}, Revision: mcp.Rev2511,
			Swap: results("ping", func(_ wire.Message, _ map[string]any) any { return map[string]any{"status": "ok"} }),
		},
	}
}

// asksFor tells whether a message is an initialize for such a version.
func asksFor(m wire.Message, version func(string) bool) bool {
	text, _ := wire.Text(wire.Get(m.Params, "protocolVersion"))
	return m.Method == "initialize" && version(text)
}

func isNoRevision(version string) bool { return !slices.Contains(mcp.Revisions(), version) }

// endsAtFirst makes a Pipe that ends the server when the first message is picked.
func endsAtFirst(pick func(wire.Message) bool) func(Serve) Serve {
	return func(next Serve) Serve {
		return func(ctx context.Context, r io.Reader, w io.Writer) error {
			first := true
			return endsAt(func(m wire.Message) bool {
				was := first
				first = false
				return was && pick(m)
			})(next)(ctx, r, w)
		}
	}
}

// mcpCapabilities are servers that do not do what they declare, or the other way
// round.
func mcpCapabilities() []Mutant {
	return []Mutant{
		{
			ID: "prompts-undeclared", Doc: "the server has prompts and does not declare them",
			Kills: []string{"mcp.lifecycle.undeclared-lists", "mcp.lifecycle.undeclared-methods"}, Revision: mcp.Rev2511,
			Swap: withoutCapability("initialize", "prompts"),
		},
		{
			ID: "prompts-undeclared-still", Doc: "the server has prompts and does not declare them, in 2026-07-28",
			Kills: []string{"mcp.lifecycle.undeclared-lists", "mcp.lifecycle.undeclared-methods"}, Revision: mcp.Rev2607,
			Swap: withoutCapability("server/discover", "prompts"),
		},
		{
			ID: "completions-undeclared", Doc: "the server completes arguments and does not declare that it does",
			Kills: []string{"mcp.lifecycle.undeclared-methods"}, Revision: mcp.Rev2511,
			Swap: withoutCapability("initialize", "completions"),
		},
		{
			ID: "prompts-only-declared", Doc: "the server declares prompts, and knows no method of theirs",
			Kills:    []string{"mcp.lifecycle.declared-lists", "mcp.errors.unknown-prompt"},
			Revision: mcp.Rev2511, Swap: unknownMethods("prompts/list", "prompts/get"),
		},
		{
			ID: "logging-only-declared", Doc: "the server declares logging, and knows no logging/setLevel",
			Kills:    []string{"mcp.lifecycle.declared-logging", "mcp.errors.bad-log-level"},
			Revision: mcp.Rev2511, Swap: unknownMethods("logging/setLevel"),
		},
		{
			ID: "no-log-level-works", Doc: "a log level that exists is answered with -32603",
			Kills: []string{"mcp.lifecycle.declared-logging"}, Revision: mcp.Rev2511, Stdio: true,
			Swap: func(request, m wire.Message) [][]byte {
				if request.Method != "logging/setLevel" || m.Kind != wire.KindResult {
					return keep(m)
				}
				return [][]byte{wire.Failure(m.ID, internalError, "not implemented", nil)}
			},
		},
	}
}

// withoutCapability makes a Swap that leaves a capability out of the server's greeting.
func withoutCapability(method, capability string) Swap {
	return results(method, func(_ wire.Message, r map[string]any) any {
		delete(r["capabilities"].(map[string]any), capability)
		return r
	})
}

// unknownMethods makes a Swap that knows none of the methods.
func unknownMethods(methods ...string) Swap {
	return func(request, m wire.Message) [][]byte {
		if !m.IsResponse() || !slices.Contains(methods, request.Method) {
			return keep(m)
		}
		return [][]byte{wire.Failure(m.ID, noMethod, "method not found", nil)}
	}
}
