package mutants

import (
	"encoding/json"

	"github.com/peerwright/peerwright/conformance/peers/mcppeer"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// mcpStateless are servers that break what 2026-07-28 has in place of the handshake.
func mcpStateless() []Mutant {
	return []Mutant{
		{
			ID: "capabilities-are-a-list", Doc: "the capabilities in server/discover are a list of names, so that none is declared",
			Kills:    []string{"mcp.discovery.complete", "mcp.lifecycle.undeclared-lists", "mcp.lifecycle.undeclared-methods", "mcp.schema.results"},
			Revision: mcp.Rev2607, Stdio: true, Server: mcppeer.Options{ToolsOnly: true},
			Swap: results("server/discover", func(_ wire.Message, r map[string]any) any {
				r["capabilities"] = []string{"tools"}
				return r
			}),
		},
		{
			ID: "discover-without-cache-hints", Doc: "server/discover does not say for whom it may be kept",
			Kills: []string{"mcp.discovery.cache-hints", "mcp.schema.results"}, Revision: mcp.Rev2607,
			Swap: results("server/discover", func(_ wire.Message, r map[string]any) any {
				delete(r, "cacheScope")
				return r
			}),
		},
		{
			ID: "unsupported-version-without-data", Doc: "the error about a version that is not supported names none that is",
			Kills: []string{"mcp.lifecycle.unsupported-version", "mcp.schema.error-objects"}, Revision: mcp.Rev2607,
			Swap: func(_, m wire.Message) [][]byte {
				if m.Kind != wire.KindError || m.Error.Code != mcp.CodeUnsupportedVersion {
					return keep(m)
				}
				return [][]byte{wire.Failure(m.ID, m.Error.Code, "unsupported protocol version", nil)}
			},
		},
		{
			ID: "no-version-needed", Doc: "a request without a version is taken for one of 2026-07-28",
			Kills: []string{"mcp.lifecycle.missing-version"}, Revision: mcp.Rev2607,
			Hear: withMeta(mcp.MetaVersion, mcp.Rev2607, mcp.MetaCapabilities),
		},
		{
			ID: "no-capabilities-needed", Doc: "a request without the client's capabilities is answered",
			Kills: []string{"mcp.lifecycle.missing-capabilities"}, Revision: mcp.Rev2607,
			Hear: withMeta(mcp.MetaCapabilities, map[string]any{}, mcp.MetaVersion),
		},
		{
			ID: "ping-lives-on", Doc: "ping is still answered in 2026-07-28",
			Kills: []string{"mcp.lifecycle.removed-methods"}, Revision: mcp.Rev2607, Stdio: true,
			Swap: func(request, m wire.Message) [][]byte {
				if request.Method != "ping" || m.Kind != wire.KindError {
					return keep(m)
				}
				return [][]byte{wire.Result(m.ID, json.RawMessage(`{"resultType":"complete"}`))}
			},
		},
		{
			ID: "results-without-type", Doc: "the result of tools/list has no resultType",
			Kills: []string{"mcp.lifecycle.result-type", "mcp.schema.results"}, Revision: mcp.Rev2607,
			Swap: results("tools/list", func(_ wire.Message, r map[string]any) any {
				delete(r, "resultType")
				return r
			}),
		},
		{
			ID: "results-without-server", Doc: "the result of a list does not name the server",
			Kills: []string{"mcp.lifecycle.server-info"}, Revision: mcp.Rev2607,
			Swap: results("tools/list", func(_ wire.Message, r map[string]any) any {
				delete(r, "_meta")
				return r
			}),
		},
		{
			ID: "discover-comes-first", Doc: "a request on a connection that saw no server/discover is refused",
			Kills: []string{"mcp.lifecycle.stateless"}, Revision: mcp.Rev2607, Stdio: true,
			Pipe: perConnection(func() (Hear, Swap) {
				discovered := false
				return nil, func(request, m wire.Message) [][]byte {
					discovered = discovered || request.Method == "server/discover"
					if discovered || request.Method == "initialize" || m.Kind != wire.KindResult {
						return keep(m)
					}
					return [][]byte{wire.Failure(m.ID, invalidRequest, "call server/discover first", nil)}
				}
			}),
		},
		{
			ID: "initialize-unknown", Doc: "a server of 2026-07-28 alone answers initialize as any unknown method",
			Kills: []string{"mcp.lifecycle.initialize-names-versions"}, Revision: mcp.Rev2607, Stdio: true,
			Server: mcppeer.Options{ModernOnly: true},
			Swap: func(request, m wire.Message) [][]byte {
				if request.Method != "initialize" || m.Kind != wire.KindError {
					return keep(m)
				}
				return [][]byte{wire.Failure(m.ID, noMethod, "method not found", nil)}
			},
		},
	}
}

// withMeta makes a Hear that adds a member of _meta to a request that lacks it and
// has the other.
func withMeta(member string, value any, other string) Hear {
	return func(m wire.Message) ([]byte, []byte) {
		meta := wire.Get(m.Params, "_meta")
		if m.Kind != wire.KindRequest || wire.Get(meta, member) != nil || wire.Get(meta, other) == nil {
			return m.Raw, nil
		}
		params, added := decode(m.Params), decode(meta)
		added[member] = value
		params["_meta"] = added
		return wire.Request(m.ID, m.Method, encode(params)), nil
	}
}
