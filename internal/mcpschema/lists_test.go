package mcpschema

import (
	"strings"
	"testing"
)

func TestToolLists(t *testing.T) {
	run(t, []verdict{
		{"tools/list", `{"tools":[]}`, "", "", right},
		{"tools/list", tool(""), "", "", right},
		{"tools/list", tool(`,"x-own":1,"description":"d"`), "", "", right},
		{"tools/list", `{"tools":[],"nextCursor":""}`, "", "", right},
		{"tools/list", `{"tools":[],"_meta":{}}`, "", "", right},
		{"tools/list", `{"tools":null}`, "", "", "/tools"},
		{"tools/list", `{}`, "", "", top},
		{"tools/list", `{"tools":[],"nextCursor":null}`, "", "", "/nextCursor"},
		{"tools/list", `{"tools":[],"_meta":[]}`, "", "", "/_meta"},
		{"tools/list", `{"tools":[{"inputSchema":{"type":"object"}}]}`, "", "", "/tools/0"},
		{"tools/list", `{"tools":[{"name":"a"}]}`, "", "", "/tools/0"},
		{"tools/list", `{"tools":[{"name":"a","inputSchema":null}]}`, "", "", "/tools/0/inputSchema"},
		{"tools/list", `{"tools":[{"name":"a","inputSchema":{}}]}`, "", "", "/tools/0/inputSchema"},
		{"tools/list", `{"tools":[{"name":"a","inputSchema":{"type":"array"}}]}`, "", "", "/tools/0/inputSchema/type"},
		{"tools/list", `{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"p":{}},"required":["p"]}}]}`, "", "", right},
		{"tools/list", `{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"p":true}}}]}`, "", rev2511, "/tools/0/inputSchema/properties/p"},
		{"tools/list", `{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"p":true}}}]}`, rev2607, "", right},
		{"tools/list", tool(`,"description":null`), "", "", "/tools/0/description"},
		{"tools/list", tool(`,"title":1`), "", rev2503, right},
		{"tools/list", tool(`,"title":1`), rev2506, "", "/tools/0/title"},
		{"tools/list", tool(`,"annotations":{"readOnlyHint":"yes"}`), "", rev2024, right},
		{"tools/list", tool(`,"annotations":{"readOnlyHint":"yes"}`), rev2503, "", "/tools/0/annotations/readOnlyHint"},
		{"tools/list", tool(`,"annotations":{"readOnlyHint":true,"title":"t"}`), "", "", right},
		{"tools/list", tool(`,"outputSchema":{"type":"array"}`), "", rev2503, right},
		{"tools/list", tool(`,"outputSchema":{"type":"array"}`), rev2506, rev2511, "/tools/0/outputSchema/type"},
		{"tools/list", tool(`,"outputSchema":{"type":"array"}`), rev2607, "", right},
		{"tools/list", tool(`,"outputSchema":true`), rev2506, "", "/tools/0/outputSchema"},
		{"tools/list", tool(`,"icons":[{"src":"data:image/png;base64,AA=="}]`), "", "", right},
		{"tools/list", tool(`,"icons":[{"src":"icon.png"}]`), "", rev2506, right},
		{"tools/list", tool(`,"icons":[{"src":"icon.png"}]`), rev2511, "", "/tools/0/icons/0/src"},
		{"tools/list", tool(`,"icons":[{"src":"https://h/i","theme":"blue"}]`), rev2511, "", "/tools/0/icons/0/theme"},
		{"tools/list", tool(`,"icons":[{"src":"https://h/i","sizes":"48x48"}]`), rev2511, "", "/tools/0/icons/0/sizes"},
		{"tools/list", tool(`,"execution":{"taskSupport":"maybe"}`), rev2511, rev2511, "/tools/0/execution/taskSupport"},
		{"tools/list", tool(`,"execution":{"taskSupport":"maybe"}`), rev2607, "", right},
	})
}

func TestCacheHints(t *testing.T) {
	list := func(rest string) string { return `{"resultType":"complete","tools":[]` + rest + `}` }
	run(t, []verdict{
		{"tools/list", list(`,"ttlMs":0,"cacheScope":"public"`), rev2607, "", right},
		{"tools/list", list(`,"ttlMs":1.0,"cacheScope":"public"`), rev2607, "", right},
		{"tools/list", list(`,"cacheScope":"public"`), rev2607, "", top},
		{"tools/list", list(`,"ttlMs":0`), rev2607, "", top},
		{"tools/list", list(`,"ttlMs":-1,"cacheScope":"public"`), rev2607, "", "/ttlMs"},
		{"tools/list", list(`,"ttlMs":1.5,"cacheScope":"public"`), rev2607, "", "/ttlMs"},
		{"tools/list", list(`,"ttlMs":0,"cacheScope":"shared"`), rev2607, "", "/cacheScope"},
		{"tools/list", list(`,"ttlMs":"x"`), "", rev2511, right},
		{"tools/list", `{"tools":[],"ttlMs":0,"cacheScope":"public","resultType":"input_required"}`, rev2607, "", "/resultType"},
		{"tools/list", `{"tools":[],"ttlMs":0,"cacheScope":"public","resultType":"task"}`, rev2607, "", "/resultType"},
		{"prompts/list", `{"resultType":"complete","prompts":[]}`, rev2607, "", top},
		{"resources/list", `{"resultType":"complete","resources":[]}`, rev2607, "", top},
		{"resources/templates/list", `{"resultType":"complete","resourceTemplates":[]}`, rev2607, "", top},
		{"resources/read", `{"resultType":"complete","contents":[]}`, rev2607, "", top},
		{"server/discover", `{"resultType":"complete","supportedVersions":[],"capabilities":{}}`, rev2607, "", top},
		{"prompts/get", `{"resultType":"complete","messages":[]}`, rev2607, "", right},
		{"completion/complete", `{"resultType":"complete","completion":{"values":[]}}`, rev2607, "", right},
	})
}

func TestResourceLists(t *testing.T) {
	resource := func(more string) string { return listed("resources", `"name":"a","uri":"file:///a"`, more) }
	template := func(uri string) string { return listed("resourceTemplates", `"name":"a","uriTemplate":"`+uri+`"`, "") }
	run(t, []verdict{
		{"resources/list", resource(""), "", "", right},
		{"resources/list", resource(`,"mimeType":"text/plain","size":1,"annotations":{"audience":["user"],"priority":0.5}`), "", "", right},
		{"resources/list", `{"resources":[{"uri":"file:///a"}]}`, "", "", "/resources/0"},
		{"resources/list", `{"resources":[{"name":"a"}]}`, "", "", "/resources/0"},
		{"resources/list", `{"resources":[{"name":"a","uri":"a/b"}]}`, "", "", right},
		{"resources/list", `{"resources":[{"name":"a","uri":""}]}`, "", "", "/resources/0/uri"},
		{"resources/list", `{"resources":[{"name":"a","uri":"a\nb"}]}`, "", "", "/resources/0/uri"},
		{"resources/list", `{"resources":[{"name":"a","uri":"my-scheme:a b?"}]}`, "", "", right},
		{"resources/list", resource(`,"size":1.5`), "", "", "/resources/0/size"},
		{"resources/list", resource(`,"size":"1"`), "", "", "/resources/0/size"},
		{"resources/list", resource(`,"mimeType":null`), "", "", "/resources/0/mimeType"},
		{"resources/list", resource(`,"annotations":{"priority":1.01}`), "", "", "/resources/0/annotations/priority"},
		{"resources/list", resource(`,"annotations":{"priority":-0.1}`), "", "", "/resources/0/annotations/priority"},
		{"resources/list", resource(`,"annotations":{"audience":["model"]}`), "", "", "/resources/0/annotations/audience/0"},
		{"resources/list", resource(`,"annotations":{"audience":"user"}`), "", "", "/resources/0/annotations/audience"},
		{"resources/list", resource(`,"annotations":{"lastModified":1}`), "", rev2503, right},
		{"resources/list", resource(`,"annotations":{"lastModified":1}`), rev2506, "", "/resources/0/annotations/lastModified"},
		{"resources/list", resource(`,"annotations":{"lastModified":"last week"}`), "", "", right},
		{"resources/templates/list", template("file:///{path}"), "", "", right},
		{"resources/templates/list", template("{+any}"), "", "", right},
		{"resources/templates/list", template("file:///{path"), "", "", "/resourceTemplates/0/uriTemplate"},
		{"resources/templates/list", template("file:///{a{b}}"), "", "", "/resourceTemplates/0/uriTemplate"},
		{"resources/templates/list", template(""), "", "", "/resourceTemplates/0/uriTemplate"},
		{"resources/templates/list", `{"resourceTemplates":[{"name":"a"}]}`, "", "", "/resourceTemplates/0"},
	})
}

func TestPromptLists(t *testing.T) {
	prompt := func(more string) string { return listed("prompts", `"name":"a"`, more) }
	run(t, []verdict{
		{"prompts/list", prompt(`,"arguments":[{"name":"x","required":true,"description":"d"}]`), "", "", right},
		{"prompts/list", `{"prompts":[{"title":"t"}]}`, "", "", "/prompts/0"},
		{"prompts/list", prompt(`,"arguments":{"x":"y"}`), "", "", "/prompts/0/arguments"},
		{"prompts/list", prompt(`,"arguments":null`), "", "", "/prompts/0/arguments"},
		{"prompts/list", prompt(`,"arguments":[{"required":true}]`), "", "", "/prompts/0/arguments/0"},
		{"prompts/list", prompt(`,"arguments":[{"name":"x","required":"true"}]`), "", "", "/prompts/0/arguments/0/required"},
	})
}

func TestCompletions(t *testing.T) {
	values := func(n int) string {
		return `{"completion":{"values":[` + strings.TrimSuffix(strings.Repeat(`"v",`, n), ",") + `]}}`
	}
	run(t, []verdict{
		{"completion/complete", values(0), "", "", right},
		{"completion/complete", values(100), "", "", right},
		{"completion/complete", values(101), "", "", "/completion/values"},
		{"completion/complete", `{"completion":{"values":["a"],"total":10,"hasMore":true}}`, "", "", right},
		{"completion/complete", `{"completion":{}}`, "", "", "/completion"},
		{"completion/complete", `{"values":[]}`, "", "", top},
		{"completion/complete", `{"completion":{"values":[1]}}`, "", "", "/completion/values/0"},
		{"completion/complete", `{"completion":{"values":[],"total":null}}`, "", "", "/completion/total"},
		{"completion/complete", `{"completion":{"values":[],"hasMore":0}}`, "", "", "/completion/hasMore"},
	})
}
