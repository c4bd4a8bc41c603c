package mcpschema

import "testing"

func TestToolResults(t *testing.T) {
	run(t, []verdict{
		{"tools/call", `{"content":[]}`, "", "", right},
		{"tools/call", content(`{"type":"text","text":""}`), "", "", right},
		{"tools/call", `{"content":[],"isError":true}`, "", "", right},
		{"tools/call", `{"content":[],"isError":"true"}`, "", "", "/isError"},
		{"tools/call", `{"content":[],"isError":null}`, "", "", "/isError"},
		{"tools/call", `{}`, "", "", top},
		{"tools/call", `{"content":"text"}`, "", "", "/content"},
		{"tools/call", `{"structuredContent":{}}`, "", "", top},
		{"tools/call", `{"content":[],"structuredContent":{}}`, "", "", right},
		{"tools/call", `{"content":[],"structuredContent":[1]}`, "", rev2503, right},
		{"tools/call", `{"content":[],"structuredContent":[1]}`, rev2506, rev2511, "/structuredContent"},
		{"tools/call", `{"content":[],"structuredContent":null}`, rev2506, rev2511, "/structuredContent"},
		{"tools/call", `{"content":[],"structuredContent":[1]}`, rev2607, "", right},
		{"tools/call", `{"content":[],"structuredContent":null}`, rev2607, "", right},
		{"tools/call", `null`, "", "", top},
		{"tools/call", content(`"text"`), "", "", "/content/0"},
		{"tools/call", content(`{"text":"no type"}`), "", "", "/content/0"},
		{"tools/call", content(`{"type":"text"}`), "", "", "/content/0"},
		{"tools/call", content(`{"type":"text","text":null}`), "", "", "/content/0/text"},
		{"tools/call", content(`{"type":"json","json":{}}`), "", "", "/content/0/type"},
		{"tools/call", content(`{"type":"image","data":"aGk=","mimeType":"image/png"}`), "", "", right},
		{"tools/call", content(`{"type":"image","data":"aGk","mimeType":"image/png"}`), "", "", "/content/0/data"},
		{"tools/call", content(`{"type":"image","data":"a-_=","mimeType":"image/png"}`), "", "", "/content/0/data"},
		{"tools/call", content(`{"type":"image","data":"data:image/png;base64,aGk=","mimeType":"image/png"}`), "", "", "/content/0/data"},
		{"tools/call", content(`{"type":"image","data":"aG\nk=\n","mimeType":"image/png"}`), "", "", right},
		{"tools/call", content(`{"type":"image","data":"aGk="}`), "", "", "/content/0"},
		{"tools/call", content(`{"type":"audio","data":"aGk=","mimeType":"audio/wav"}`), "", rev2024, "/content/0/type"},
		{"tools/call", content(`{"type":"audio","data":"aGk=","mimeType":"audio/wav"}`), rev2503, "", right},
		{"tools/call", content(`{"type":"audio","data":"?","mimeType":"audio/wav"}`), rev2503, "", "/content/0/data"},
		{"tools/call", content(`{"type":"resource_link","name":"a","uri":"a:b"}`), "", rev2503, "/content/0/type"},
		{"tools/call", content(`{"type":"resource_link","name":"a","uri":"a:b"}`), rev2506, "", right},
		{"tools/call", content(`{"type":"resource_link","uri":"a:b"}`), rev2506, "", "/content/0"},
		{"tools/call", content(`{"type":"resource","resource":{"uri":"a:b","text":""}}`), "", "", right},
		{"tools/call", content(`{"type":"resource","resource":{"uri":"a:b","blob":""}}`), "", "", right},
		{"tools/call", content(`{"type":"resource","resource":{"uri":"a:b"}}`), "", "", "/content/0/resource"},
		{"tools/call", content(`{"type":"resource","uri":"a:b","text":""}`), "", "", "/content/0"},
		{"tools/call", content(`{"type":"text","text":"","annotations":{"priority":2}}`), "", "", "/content/0/annotations/priority"},
		{"tools/call", content(`{"type":"text","text":"","_meta":1}`), "", rev2503, right},
		{"tools/call", content(`{"type":"text","text":"","_meta":1}`), rev2506, "", "/content/0/_meta"},
	})
}

func TestResultTypes(t *testing.T) {
	run(t, []verdict{
		{"tools/call", `{"content":[],"resultType":"bogus"}`, "", rev2511, right},
		{"tools/call", `{"content":[],"resultType":"bogus"}`, rev2607, "", "/resultType"},
		{"tools/call", `{"content":[],"resultType":null}`, rev2607, "", "/resultType"},
		{"tools/call", `{"content":[],"_meta":{"note":"no resultType"}}`, rev2607, "", top},
		{"prompts/get", `{"messages":[],"resultType":"task"}`, rev2607, "", "/resultType"},
		{"resources/read", `{"contents":[],"resultType":"partial"}`, rev2607, "", "/resultType"},
		{"completion/complete", `{"completion":{"values":[]},"resultType":"input_required"}`, rev2607, "", "/resultType"},
		{"tools/call", `{"resultType":"task","taskId":"t","status":"working"}`, rev2607, "", right},
		{"tools/call", `{"resultType":"task","taskId":"t","status":"queued"}`, rev2607, "", "/status"},
		{"tools/call", `{"resultType":"task"}`, rev2607, "", top},
		{"tools/call", `{"resultType":"input_required","requestState":"s"}`, rev2607, "", right},
		{"prompts/get", `{"resultType":"input_required","requestState":"s"}`, rev2607, "", right},
		{"resources/read", `{"resultType":"input_required","requestState":"s"}`, rev2607, "", right},
		{"tools/call", `{"resultType":"input_required"}`, rev2607, "", top},
		{"tools/call", `{"resultType":"input_required","requestState":{}}`, rev2607, "", "/requestState"},
		{"tools/call", `{"resultType":"input_required","inputRequests":[]}`, rev2607, "", "/inputRequests"},
	})
}

// A request for input, as it stands in an InputRequiredResult.
func TestInputRequests(t *testing.T) {
	ask := func(method, params string) string {
		return `{"resultType":"input_required","inputRequests":{"a":{"method":"` + method + `","params":` + params + `}}}`
	}
	form := func(property string) string {
		return ask("elicitation/create", `{"message":"m","requestedSchema":{"type":"object","properties":{"p":`+property+`}}}`)
	}
	sample := func(more string) string {
		return ask("sampling/createMessage", `{"maxTokens":1,"messages":[{"role":"user","content":{"type":"text","text":"t"}}]`+more+`}`)
	}
	const params = "/inputRequests/a/params"
	const property = params + "/requestedSchema/properties/p"
	run(t, []verdict{
		{"tools/call", ask("ping", "{}"), rev2607, "", "/inputRequests/a/method"},
		{"tools/call", ask("roots/list", "{}"), rev2607, "", right},
		{"tools/call", ask("roots/list", "[]"), rev2607, "", params},
		{"tools/call", ask("elicitation/create", `{"mode":"url","message":"m","url":"https://h/"}`), rev2607, "", right},
		{"tools/call", ask("elicitation/create", `{"mode":"url","message":"m"}`), rev2607, "", params},
		{"tools/call", ask("elicitation/create", `{"mode":"voice","message":"m","requestedSchema":{"type":"object","properties":{}}}`), rev2607, "", params + "/mode"},
		{"tools/call", ask("elicitation/create", `{"message":"m"}`), rev2607, "", params},
		{"tools/call", form(`{"type":"string","format":"email"}`), rev2607, "", right},
		{"tools/call", form(`{"type":"string","format":"phone"}`), rev2607, "", property + "/format"},
		{"tools/call", form(`{"type":"string","enum":["a"],"enumNames":["A"]}`), rev2607, "", right},
		{"tools/call", form(`{"type":"string","oneOf":[{"const":"a"}]}`), rev2607, "", property + "/oneOf/0"},
		{"tools/call", form(`{"type":"number","default":0.5}`), rev2607, "", right},
		{"tools/call", form(`{"type":"integer","minimum":"1"}`), rev2607, "", property + "/minimum"},
		{"tools/call", form(`{"type":"array","items":{"type":"string","enum":["a"]}}`), rev2607, "", right},
		{"tools/call", form(`{"type":"array","items":{"type":"string"}}`), rev2607, "", property + "/items"},
		{"tools/call", form(`{"type":"object"}`), rev2607, "", property + "/type"},
		{"tools/call", sample(""), rev2607, "", right},
		{"tools/call", sample(`,"modelPreferences":{"costPriority":2}`), rev2607, "", params + "/modelPreferences/costPriority"},
		{"tools/call", sample(`,"includeContext":"some"`), rev2607, "", params + "/includeContext"},
		{"tools/call", ask("sampling/createMessage", `{"messages":[]}`), rev2607, "", params},
		{"tools/call", ask("sampling/createMessage", `{"maxTokens":1,"messages":[{"role":"user","content":[{"type":"resource"}]}]}`), rev2607, "", params + "/messages/0/content/0/type"},
	})
}

func TestPrompts(t *testing.T) {
	run(t, []verdict{
		{"prompts/get", `{"messages":[]}`, "", "", right},
		{"prompts/get", message(`{"type":"text","text":"t"}`), "", "", right},
		{"prompts/get", message(`[{"type":"text","text":"t"}]`), "", "", "/messages/0/content"},
		{"prompts/get", `{"messages":[{"content":{"type":"text","text":"t"}}]}`, "", "", "/messages/0"},
		{"prompts/get", `{"messages":[{"role":"system","content":{"type":"text","text":"t"}}]}`, "", "", "/messages/0/role"},
		{"prompts/get", `{"messages":[],"description":1}`, "", "", "/description"},
		{"prompts/get", message(`{"type":"image","data":"aGk=","mimeType":"png"}`), "", "", "/messages/0/content/mimeType"},
		{"prompts/get", message(`{"type":"image","data":"aGk=","mimeType":"image/png"}`), "", "", right},
		{"prompts/get", message(`{"type":"resource","resource":{"uri":"a:b","text":"","mimeType":"odd"}}`), "", "", right},
	})
}

func TestResourceContents(t *testing.T) {
	run(t, []verdict{
		{"resources/read", contents(`{"uri":"a:b","text":""}`), "", "", right},
		{"resources/read", contents(`{"uri":"a:b","blob":"aGk=","mimeType":"x/y"}`), "", "", right},
		{"resources/read", contents(`{"uri":"a:b","text":"t","blob":"aGk="}`), "", "", right},
		{"resources/read", contents(`{"uri":"a:b"}`), "", "", "/contents/0"},
		{"resources/read", contents(`{"text":"t"}`), "", "", "/contents/0"},
		{"resources/read", contents(`{"uri":"b","text":"t"}`), "", "", right},
		{"resources/read", contents(`{"uri":null,"text":"t"}`), "", "", "/contents/0/uri"},
		{"resources/read", contents(`{"uri":"a:b","blob":"not base64"}`), "", "", "/contents/0/blob"},
		{"resources/read", contents(`{"uri":"a:b","text":{}}`), "", "", "/contents/0/text"},
		{"resources/read", `{"contents":{"uri":"a:b","text":""}}`, "", "", "/contents"},
	})
}
