package mutants

import (
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// mcpShapes are servers that send what is right in another revision, or what the
// prose of the specification forbids and a shape alone does not show.
func mcpShapes() []Mutant {
	return []Mutant{
		{
			ID: "link-before-its-time", Doc: "a tool gives a resource_link, which 2024-11-05 does not have",
			Kills: []string{"mcp.schema.results"}, Revision: mcp.Rev2024, Stdio: true,
			Swap: called("house_motto", func(r map[string]any) {
				r["content"] = []any{map[string]any{"type": "resource_link", "uri": "file:///motto", "name": "motto"}}
			}),
		},
		{
			ID: "priority-above-one", Doc: "a listed resource has the priority 5, where 1 is the highest",
			Kills: []string{"mcp.schema.results"}, Revision: mcp.Rev2506,
			Swap: listed("resources/list", "emma", func(resource map[string]any) { resource["annotations"] = map[string]any{"priority": 5} }),
		},
		{
			ID: "result-type-of-nobody", Doc: "resources/read gives a resultType that nothing defines, in 2026-07-28",
			Kills: []string{"mcp.schema.results"}, Revision: mcp.Rev2607,
			Swap: results("resources/read", func(_ wire.Message, r map[string]any) any {
				r["resultType"] = "partial"
				return r
			}),
		},
		{
			ID: "capability-is-true", Doc: "initialize declares a capability as true, and not as an object",
			Kills: []string{"mcp.schema.results"}, Revision: mcp.Rev2503,
			Swap: results("initialize", func(_ wire.Message, r map[string]any) any {
				r["capabilities"].(map[string]any)["completions"] = true
				return r
			}),
		},
	}
}
