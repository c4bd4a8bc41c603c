package mcpschema

import "testing"

func TestHandshakes(t *testing.T) {
	initialized := func(capabilities, info string) string {
		return `{"protocolVersion":"2025-11-25","capabilities":` + capabilities + `,"serverInfo":` + info + `}`
	}
	const me = `{"name":"n","version":"1"}`
	run(t, []verdict{
		{"initialize", initialized(`{}`, me), "", "", right},
		{"initialize", initialized(`{"tools":{"listChanged":true},"resources":{"subscribe":false},"logging":{},"experimental":{"x":{}}}`, me), "", "", right},
		{"initialize", `{"capabilities":{},"serverInfo":` + me + `}`, "", "", top},
		{"initialize", `{"protocolVersion":"2025-11-25","serverInfo":` + me + `}`, "", "", top},
		{"initialize", `{"protocolVersion":"2025-11-25","capabilities":{}}`, "", "", top},
		{"initialize", initialized(`{}`, `{"name":"n"}`), "", "", "/serverInfo"},
		{"initialize", initialized(`{}`, `{"version":"1"}`), "", "", "/serverInfo"},
		{"initialize", initialized(`{}`, `{"name":"n","version":1}`), "", "", "/serverInfo/version"},
		{"initialize", initialized(`{}`, `{"name":"n","version":"1","websiteUrl":"h"}`), "", rev2506, right},
		{"initialize", initialized(`{}`, `{"name":"n","version":"1","websiteUrl":"h"}`), rev2511, "", "/serverInfo/websiteUrl"},
		{"initialize", initialized(`[]`, me), "", "", "/capabilities"},
		{"initialize", initialized(`{"tools":true}`, me), "", "", "/capabilities/tools"},
		{"initialize", initialized(`{"tools":{"listChanged":"yes"}}`, me), "", "", "/capabilities/tools/listChanged"},
		{"initialize", initialized(`{"resources":{"subscribe":1}}`, me), "", "", "/capabilities/resources/subscribe"},
		{"initialize", initialized(`{"resources":{"listChanged":1}}`, me), "", "", "/capabilities/resources/listChanged"},
		{"initialize", initialized(`{"completions":true}`, me), "", rev2024, right},
		{"initialize", initialized(`{"completions":true}`, me), rev2503, "", "/capabilities/completions"},
		{"initialize", initialized(`{"experimental":{"x":1}}`, me), "", "", "/capabilities/experimental/x"},
		{"initialize", initialized(`{"tasks":{"list":true}}`, me), rev2511, "", "/capabilities/tasks/list"},
		{"initialize", initialized(`{"tasks":{"requests":{"tools":{"call":true}}}}`, me), rev2511, "", "/capabilities/tasks/requests/tools/call"},
		{"initialize", initialized(`{"tasks":true}`, me), "", rev2506, right},

		{"server/discover", `{"supportedVersions":["2026-07-28"],"capabilities":{"extensions":{"x/y":{}}}}`, "", "", right},
		{"server/discover", `{"supportedVersions":["2026-07-28"],"capabilities":{"extensions":{"x/y":true}}}`, "", "", "/capabilities/extensions/x~1y"},
		{"server/discover", `{"supportedVersions":"2026-07-28","capabilities":{}}`, "", "", "/supportedVersions"},
		{"server/discover", `{"capabilities":{}}`, "", "", top},
		{"server/discover", `{"supportedVersions":[]}`, "", "", top},
		{"server/discover", `{"supportedVersions":[],"capabilities":{},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"n"}}}`, "", "", "/_meta/io.modelcontextprotocol~1serverInfo"},
	})
}

func TestEmptyResults(t *testing.T) {
	for _, method := range []string{"ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"} {
		run(t, []verdict{
			{method, `{}`, "", "", right},
			{method, `{"own":1,"_meta":{"x/y":1}}`, "", "", right},
			{method, `null`, "", "", top},
			{method, `true`, "", "", top},
			{method, `{"_meta":null}`, "", "", "/_meta"},
		})
	}
}

func TestTasks(t *testing.T) {
	task := func(status, more string) string {
		return `{"taskId":"t","status":"` + status + `","createdAt":"2025-11-25T10:30:00Z","lastUpdatedAt":"20251125T103000Z","ttl":null` + more + `}`
	}
	related := func(meta string) string { return `{"content":[],"_meta":{` + meta + `}}` }
	run(t, []verdict{
		{"tasks/get", task("working", `,"pollInterval":1,"statusMessage":"m"`), "", "", right},
		{"tasks/get", task("running", ""), "", "", "/status"},
		{"tasks/get", task("working", `,"pollInterval":"1s"`), "", "", "/pollInterval"},
		{"tasks/get", `{"task":` + task("working", "") + `}`, "", "", top},
		{"tasks/get", `{"taskId":"t","status":"failed","createdAt":"yesterday","lastUpdatedAt":"2025-11-25T10:30:00Z","ttl":1}`, "", "", "/createdAt"},
		{"tasks/get", `{"taskId":"t","status":"failed","createdAt":"2025-11-25T10:30:00Z","lastUpdatedAt":"2025-11-25T10:30:00Z"}`, "", "", top},
		{"tasks/get", `{"taskId":1,"status":"failed","createdAt":"2025-11-25T10:30:00Z","lastUpdatedAt":"2025-11-25T10:30:00Z","ttl":1}`, "", "", "/taskId"},
		{"tasks/list", `{"tasks":[` + task("completed", "") + `]}`, "", "", right},
		{"tasks/list", `{"tasks":[{"taskId":"t"}]}`, "", "", "/tasks/0"},
		{"tasks/cancel", task("cancelled", ""), "", "", right},
		{"tasks/cancel", task("working", ""), "", "", "/status"},
		{"tasks/result", related(`"io.modelcontextprotocol/related-task":{"taskId":"t"}`), "", "", right},
		{"tasks/result", related(``), "", "", "/_meta"},
		{"tasks/result", `{"content":[]}`, "", "", top},
		{"tasks/result", related(`"io.modelcontextprotocol/related-task":{}`), "", "", "/_meta/io.modelcontextprotocol~1related-task"},
		{"tools/call", `{"task":` + task("working", "") + `}`, rev2511, rev2511, right},
		{"tools/call", `{"task":` + task("working", "") + `}`, rev2506, rev2506, top},
		{"tools/call", `{"task":{"taskId":"t"}}`, rev2511, rev2511, "/task"},
		{"tools/call", `{"content":[],"task":5}`, rev2511, rev2511, right},
		{"notifications/tasks/status", task("input_required", ""), "", "", right},
		{"notifications/tasks/status", `{"taskId":"t","status":"working"}`, "", "", top},
	})
}

func TestNotifications(t *testing.T) {
	run(t, []verdict{
		{"notifications/progress", `{"progressToken":"t","progress":0.5,"total":1}`, "", "", right},
		{"notifications/progress", `{"progressToken":0,"progress":1e3}`, "", "", right},
		{"notifications/progress", `{"progressToken":null,"progress":1}`, "", "", "/progressToken"},
		{"notifications/progress", `{"progressToken":1.5,"progress":1}`, "", "", "/progressToken"},
		{"notifications/progress", `{"progressToken":"t","progress":"1"}`, "", "", "/progress"},
		{"notifications/progress", `{"progressToken":"t","progress":1,"total":null}`, "", "", "/total"},
		{"notifications/progress", `{"progressToken":"t","progress":1,"message":1}`, "", rev2024, right},
		{"notifications/progress", `{"progressToken":"t","progress":1,"message":1}`, rev2503, "", "/message"},
		{"notifications/progress", `{"progress":1}`, "", "", top},
		{"notifications/progress", `[]`, "", "", top},
		{"notifications/message", `{"level":"info","data":null,"logger":"l"}`, "", "", right},
		{"notifications/message", `{"level":"warn","data":""}`, "", "", "/level"},
		{"notifications/message", `{"level":"INFO","data":""}`, "", "", "/level"},
		{"notifications/message", `{"level":"info","message":"m"}`, "", "", top},
		{"notifications/message", `{"level":"info","data":"","logger":null}`, "", "", "/logger"},
		{"notifications/cancelled", `{"requestId":1,"reason":"r"}`, "", "", right},
		{"notifications/cancelled", `{"requestId":null}`, "", "", "/requestId"},
		{"notifications/cancelled", `{"reason":"r"}`, "", "", top},
		{"notifications/resources/updated", `{"uri":"a:b"}`, "", "", right},
		{"notifications/resources/updated", `{"uri":"b"}`, "", "", right},
		{"notifications/resources/updated", `{"uri":["a:b"]}`, "", "", "/uri"},
		{"notifications/resources/updated", ``, "", "", top},
		{"notifications/tools/list_changed", ``, "", "", right},
		{"notifications/prompts/list_changed", `{}`, "", "", right},
		{"notifications/resources/list_changed", `{"_meta":{}}`, "", "", right},
		{"notifications/resources/list_changed", `{"_meta":1}`, "", "", "/_meta"},
		{"notifications/tools/list_changed", `null`, "", "", top},
		{"notifications/tools/list_changed", `{"_meta":{"io.modelcontextprotocol/subscriptionId":true}}`, "", rev2511, right},
		{"notifications/tools/list_changed", `{"_meta":{"io.modelcontextprotocol/subscriptionId":true}}`, rev2607, "", "/_meta/io.modelcontextprotocol~1subscriptionId"},
		{"notifications/elicitation/complete", `{"elicitationId":"e"}`, "", "", right},
		{"notifications/elicitation/complete", `{}`, "", "", top},
	})
}

func TestSubscriptions(t *testing.T) {
	const ack, id = "notifications/subscriptions/acknowledged", `"_meta":{"io.modelcontextprotocol/subscriptionId":1}`
	run(t, []verdict{
		{ack, `{` + id + `,"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a:b"]}}`, "", "", right},
		{ack, `{` + id + `,"notifications":{"toolsListChanged":"all"}}`, "", "", "/notifications/toolsListChanged"},
		{ack, `{` + id + `,"notifications":{"resourceSubscriptions":"a:b"}}`, "", "", "/notifications/resourceSubscriptions"},
		{ack, `{` + id + `}`, "", "", top},
		{ack, `{"notifications":{}}`, "", "", top},
		{ack, `{"_meta":{},"notifications":{}}`, "", "", "/_meta"},
		{"subscriptions/listen", `{"resultType":"complete",` + id + `}`, "", "", right},
		{"subscriptions/listen", `{"resultType":"complete","_meta":{}}`, "", "", "/_meta"},
		{"subscriptions/listen", `{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":[]}}`, "", "", "/_meta/io.modelcontextprotocol~1subscriptionId"},
		{"subscriptions/listen", `{` + id + `}`, "", "", right},
	})
}

func TestFailures(t *testing.T) {
	for _, c := range []struct {
		revision, fault string
		code            int64
		ok              bool
	}{
		{rev2607, `{"code":-32022,"message":"","data":{"supported":["2026-07-28"],"requested":"x"}}`, -32022, true},
		{rev2607, `{"code":-32022,"message":"","data":{"supported":"2026-07-28","requested":"x"}}`, -32022, false},
		{rev2607, `{"code":-32022,"message":"","data":{"supported":["2026-07-28"]}}`, -32022, false},
		{rev2607, `{"code":-32022,"message":""}`, -32022, false},
		{rev2607, `{"code":-32021,"message":"","data":{"requiredCapabilities":{"elicitation":{}}}}`, -32021, true},
		{rev2607, `{"code":-32021,"message":"","data":{"requiredCapabilities":["elicitation"]}}`, -32021, false},
		{rev2607, `{"code":-32021,"message":"","data":{}}`, -32021, false},
		{rev2511, `{"code":-32042,"message":"","data":{"elicitations":[{"mode":"url","message":"m","url":"a:b","elicitationId":"e"}]}}`, -32042, true},
		{rev2511, `{"code":-32042,"message":"","data":{"elicitations":[{"mode":"form","message":"m","url":"a:b","elicitationId":"e"}]}}`, -32042, false},
		{rev2511, `{"code":-32042,"message":"","data":[]}`, -32042, false},
	} {
		if err := Failure(c.revision, c.code, []byte(c.fault)); (err == nil) != c.ok {
			t.Errorf("%s %s: %v", c.revision, c.fault, err)
		}
	}
}
