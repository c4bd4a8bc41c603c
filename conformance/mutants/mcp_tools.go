package mutants

import (
	"encoding/json"

	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// mcpTools are servers that describe their tools wrongly.
func mcpTools() []Mutant {
	return []Mutant{
		{
			ID: "input-schema-null", Doc: "a tool without arguments has the inputSchema null",
			Kills: []string{"mcp.tools.input-schema", "mcp.schema.results"}, Revision: mcp.Rev2511,
			Swap: listed("tools/list", "note_burn", func(tool map[string]any) { tool["inputSchema"] = nil }),
		},
		{
			ID: "input-schema-without-type", Doc: "the inputSchema of a tool has no type",
			Kills: []string{"mcp.tools.input-schema", "mcp.schema.results"}, Revision: mcp.Rev2607, Stdio: true,
			Swap: listed("tools/list", "note_burn", func(tool map[string]any) { tool["inputSchema"] = map[string]any{} }),
		},
		{
			ID: "input-schema-broken", Doc: "the inputSchema of a tool breaks its metaschema",
			Kills: []string{"mcp.tools.input-schema"}, Revision: mcp.Rev2506,
			Swap: listed("tools/list", "note_burn", func(tool map[string]any) {
				tool["inputSchema"] = json.RawMessage(`{"type":"object","properties":{"name":{"type":"text"}}}`)
			}),
		},
		{
			ID: "output-schema-broken", Doc: "the outputSchema of a tool breaks its metaschema",
			Kills: []string{"mcp.tools.output-schema", "mcp.schema.results"}, Revision: mcp.Rev2511,
			Swap: listed("tools/list", "add_numbers", func(tool map[string]any) {
				tool["outputSchema"] = json.RawMessage(`{"type":"object","required":"sum"}`)
			}),
		},
		{
			ID: "two-tools-of-one-name", Doc: "two tools have one name",
			Kills: []string{"mcp.tools.unique-names"}, Revision: mcp.Rev2511,
			Swap: listed("tools/list", "play_sound", func(tool map[string]any) { tool["name"] = "point_to_book" }),
		},
		{
			ID: "tool-name-with-blanks", Doc: "the name of a tool has a blank in it",
			Kills: []string{"mcp.tools.plain-names"}, Revision: mcp.Rev2511,
			Swap: listed("tools/list", "note_burn", func(tool map[string]any) { tool["name"] = "note burn" }),
		},
		{
			ID: "resource-without-name", Doc: "a listed resource has no name",
			Kills: []string{"mcp.schema.listed-items", "mcp.schema.results"}, Revision: mcp.Rev2511,
			Swap: listed("resources/list", "emma", func(resource map[string]any) { delete(resource, "name") }),
		},
		{
			ID: "no-prompts-is-null", Doc: "the list of prompts is null where there are none",
			Kills: []string{"mcp.schema.listed-items", "mcp.lifecycle.declared-lists", "mcp.schema.results"}, Revision: mcp.Rev2506, Stdio: true,
			Swap: results("prompts/list", func(_ wire.Message, _ map[string]any) any { return map[string]any{"prompts": nil} }),
		},
	}
}

// mcpContent are servers whose tools, resources and prompts give what is ill-formed.
func mcpContent() []Mutant {
	return []Mutant{
		{
			ID: "image-as-data-url", Doc: "an image in a tool's result is a data URL, and not base64",
			Kills: []string{"mcp.tools.results", "mcp.schema.results"}, Revision: mcp.Rev2511,
			Swap: called("show_picture", func(r map[string]any) {
				block := r["content"].([]any)[0].(map[string]any)
				block["data"] = "data:image/png;base64," + block["data"].(string)
			}),
		},
		{
			ID: "content-is-text", Doc: "the content of a tool's result is a string, and not a list of blocks",
			Kills: []string{"mcp.tools.results", "mcp.schema.results"}, Revision: mcp.Rev2607,
			Swap: called("house_motto", func(r map[string]any) { r["content"] = "Read slowly." }),
		},
		{
			ID: "structured-type-differs", Doc: "structuredContent has a string where the outputSchema has an integer",
			Kills: []string{"mcp.tools.structured-output"}, Revision: mcp.Rev2511,
			Swap: called("add_numbers", func(r map[string]any) { r["structuredContent"] = map[string]any{"sum": "two"} }),
		},
		{
			ID: "structured-missing", Doc: "a tool with an outputSchema gives text alone",
			Kills: []string{"mcp.tools.structured-output"}, Revision: mcp.Rev2607, Stdio: true,
			Swap: called("add_numbers", func(r map[string]any) { delete(r, "structuredContent") }),
		},
		{
			ID: "structured-without-text", Doc: "a tool that gives structuredContent gives no text beside it",
			Kills: []string{"mcp.tools.structured-text"}, Revision: mcp.Rev2511,
			Swap: called("add_numbers", func(r map[string]any) { r["content"] = []any{} }),
		},
		{
			ID: "resource-contents-empty", Doc: "the contents of a resource have neither text nor blob",
			Kills: []string{"mcp.resources.read", "mcp.schema.results"}, Revision: mcp.Rev2511,
			Swap: results("resources/read", func(_ wire.Message, r map[string]any) any {
				delete(r["contents"].([]any)[0].(map[string]any), "text")
				return r
			}),
		},
		{
			ID: "prompt-of-the-system", Doc: "a message of a prompt has the role system",
			Kills: []string{"mcp.prompts.get", "mcp.schema.results"}, Revision: mcp.Rev2511,
			Swap: results("prompts/get", func(_ wire.Message, r map[string]any) any {
				r["messages"].([]any)[0].(map[string]any)["role"] = "system"
				return r
			}),
		},
		{
			ID: "cache-hints-missing", Doc: "a list does not say how long it may be kept, in 2026-07-28",
			Kills: []string{"mcp.schema.cache-hints", "mcp.schema.results"}, Revision: mcp.Rev2607,
			Swap: results("resources/list", func(_ wire.Message, r map[string]any) any {
				delete(r, "ttlMs")
				return r
			}),
		},
		{
			ID: "cache-time-negative", Doc: "a list may be kept for -1 ms, in 2026-07-28",
			Kills: []string{"mcp.schema.cache-hints", "mcp.schema.results"}, Revision: mcp.Rev2607, Stdio: true,
			Swap: results("resources/list", func(_ wire.Message, r map[string]any) any {
				r["ttlMs"] = -1
				return r
			}),
		},
	}
}

// listed makes a Swap that edits one item of a list, by its name.
func listed(method, name string, edit func(item map[string]any)) Swap {
	return results(method, func(_ wire.Message, r map[string]any) any {
		for _, item := range r[memberOf(method)].([]any) {
			if item := item.(map[string]any); item["name"] == name {
				edit(item)
			}
		}
		return r
	})
}

// called makes a Swap that edits the results of one tool, but for those that say
// isError.
func called(tool string, edit func(result map[string]any)) Swap {
	return results("tools/call", func(request wire.Message, r map[string]any) any {
		if name, _ := wire.Text(wire.Get(request.Params, "name")); name == tool && r["isError"] == nil {
			edit(r)
		}
		return r
	})
}
