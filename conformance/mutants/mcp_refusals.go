package mutants

import (
	"encoding/json"
	"strings"

	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// mcpRefusals are servers that refuse tools, resources and prompts wrongly.
func mcpRefusals() []Mutant {
	return []Mutant{
		{
			ID: "unknown-tool-in-a-result", Doc: "an unknown tool is answered with a result that says isError",
			Kills: []string{"mcp.errors.unknown-tool"}, Revision: mcp.Rev2511,
			Swap: forErrors("tools/call", named, result(`{"content":[{"type":"text","text":"MCP error -32602: no such tool"}],"isError":true}`)),
		},
		{
			ID: "unknown-tool-is-no-method", Doc: "an unknown tool is answered with -32601",
			Kills: []string{"mcp.errors.unknown-tool"}, Revision: mcp.Rev2607, Stdio: true,
			Swap: forErrors("tools/call", named, failure(noMethod)),
		},
		{
			ID: "call-without-name-fails-inside", Doc: "a tools/call that names no tool is answered with -32603",
			Kills: []string{"mcp.errors.call-without-name"}, Revision: mcp.Rev2511,
			Swap: forErrors("tools/call", not(named), failure(internalError)),
		},
		{
			ID: "arguments-unchecked", Doc: "a tool runs with arguments that its schema rejects",
			Kills: []string{"mcp.errors.invalid-arguments"}, Revision: mcp.Rev2511,
			Swap: onRejected(result(`{"content":[{"type":"text","text":"undefined"}]}`)),
		},
		{
			ID: "tool-errors-unmarked", Doc: "the text of a refusal comes without isError",
			Kills: []string{"mcp.errors.invalid-arguments"}, Revision: mcp.Rev2607,
			Swap: results("tools/call", func(_ wire.Message, r map[string]any) any {
				delete(r, "isError")
				return r
			}),
		},
		{
			ID: "bad-arguments-as-error", Doc: "arguments that the schema rejects are answered with a JSON-RPC error in 2025-11-25",
			Kills: []string{"mcp.errors.invalid-arguments-in-result"}, Revision: mcp.Rev2511,
			Swap: onRejected(failure(invalidParams)),
		},
		{
			ID: "unknown-prompt-fails-inside", Doc: "an unknown prompt is answered with -32603",
			Kills: []string{"mcp.errors.unknown-prompt"}, Revision: mcp.Rev2511,
			Swap: forErrors("prompts/get", not(lacksArgument), failure(internalError)),
		},
		{
			ID: "prompt-arguments-optional", Doc: "a prompt is filled in without its required argument",
			Kills: []string{"mcp.errors.missing-prompt-argument"}, Revision: mcp.Rev2511,
			Swap: forErrors("prompts/get", lacksArgument,
				result(`{"messages":[{"role":"user","content":{"type":"text","text":"Summarise undefined."}}]}`)),
		},
		{
			ID: "completes-anything", Doc: "a completion for an unknown prompt is an empty list",
			Kills: []string{"mcp.errors.bad-completion-ref"}, Revision: mcp.Rev2511,
			Swap: forErrors("completion/complete", always, result(`{"completion":{"values":[]}}`)),
		},
		{
			ID: "any-log-level-will-do", Doc: "a log level that does not exist is accepted",
			Kills: []string{"mcp.errors.bad-log-level"}, Revision: mcp.Rev2511,
			Swap: forErrors("logging/setLevel", always, result(`{}`)),
		},
	}
}

// mcpMissingResources are servers that do not say that there is no such resource.
func mcpMissingResources() []Mutant {
	return []Mutant{
		{
			ID: "missing-resource-fails-inside", Doc: "an unknown resource is answered with -32603",
			Kills: []string{"mcp.errors.unknown-resource"}, Revision: mcp.Rev2511,
			Swap: forErrors("resources/read", always, failure(internalError)),
		},
		{
			ID: "missing-resource-is-empty", Doc: "an unknown resource is answered with an empty list of contents",
			Kills: []string{"mcp.errors.unknown-resource"}, Revision: mcp.Rev2506, Stdio: true,
			Swap: forErrors("resources/read", always, result(`{"contents":[]}`)),
		},
		{
			ID: "missing-resource-by-the-old-code", Doc: "an unknown resource is answered with -32002 in 2026-07-28",
			Kills: []string{"mcp.errors.unknown-resource-code"}, Revision: mcp.Rev2607, Stdio: true,
			Swap: forErrors("resources/read", always, failure(-32002)),
		},
		{
			ID: "missing-resource-is-empty-still", Doc: "an unknown resource is answered with an empty list of contents in 2026-07-28",
			Kills:    []string{"mcp.errors.unknown-resource-code", "mcp.errors.unknown-resource-contents"},
			Revision: mcp.Rev2607, Stdio: true,
			Swap: forErrors("resources/read", always, result(`{"resultType":"complete","contents":[],"ttlMs":0,"cacheScope":"private"}`)),
		},
	}
}

// answering makes the answer to a request, or to the request behind a response.
type answering func(id wire.ID) []byte

func result(body string) answering {
	return func(id wire.ID) []byte { return wire.Result(id, json.RawMessage(body)) }
}

func failure(code int64) answering {
	return func(id wire.ID) []byte { return wire.Failure(id, code, "it did not work", nil) }
}

// forErrors makes a Swap that gives another answer in place of the errors of a
// method that are picked.
func forErrors(method string, pick func(request, m wire.Message) bool, other answering) Swap {
	return func(request, m wire.Message) [][]byte {
		if request.Method != method || m.Kind != wire.KindError || !pick(request, m) {
			return keep(m)
		}
		return [][]byte{other(m.ID)}
	}
}

// onRejected makes a Swap that gives another answer where the good peer says that
// the arguments of a tool do not fit its schema.
func onRejected(other answering) Swap {
	return func(request, m wire.Message) [][]byte {
		if request.Method != "tools/call" || !strings.Contains(string(m.Result), `validating \"arguments\"`) {
			return keep(m)
		}
		return [][]byte{other(m.ID)}
	}
}

func always(_, _ wire.Message) bool { return true }

func not(pick func(request, m wire.Message) bool) func(request, m wire.Message) bool {
	return func(request, m wire.Message) bool { return !pick(request, m) }
}

// named tells whether a request has a name in its params.
func named(request, _ wire.Message) bool {
	_, ok := wire.Text(wire.Get(request.Params, "name"))
	return ok
}

// lacksArgument tells whether the good peer missed an argument.
func lacksArgument(_, m wire.Message) bool {
	return strings.Contains(m.Error.Message, "needs the argument")
}
