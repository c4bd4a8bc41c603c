package a2ahttp

import (
	"encoding/json"
	"testing"
)

func TestRouteTarget(t *testing.T) {
	for _, test := range []struct {
		name              string
		op                Op
		version, tenant   string
		base, params      string
		verb, url, inBody string
	}{
		{
			name: "send", op: SendMessage, version: V10, base: "http://h/rest/",
			params: `{"message":{"messageId":"m"}}`,
			verb:   "POST", url: "http://h/rest/message:send", inBody: `{"message":{"messageId":"m"}}`,
		},
		{
			name: "query", op: GetTask, version: V10, base: "http://h",
			params: `{"id":"a/b c","historyLength":0}`, verb: "GET", url: "http://h/tasks/a%2Fb%20c?historyLength=0",
		},
		{
			name: "query values", op: ListTasks, version: V10, base: "http://h?key=1",
			params: `{"pageSize":2,"contextId":"c&d","includeArtifacts":true,"tag":["x","y"]}`,
			verb:   "GET", url: "http://h/tasks?key=1&contextId=c%26d&includeArtifacts=true&pageSize=2&tag=x&tag=y",
		},
		{
			name: "tenant", op: CancelTask, version: V10, tenant: "t 1", base: "http://h",
			params: `{"tenant":"t 1","id":"x","metadata":{"n":1.0}}`,
			verb:   "POST", url: "http://h/t%201/tasks/x:cancel", inBody: `{"metadata":{"n":1.0}}`,
		},
		{
			name: "no params", op: GetExtendedCard, version: V10, base: "http://h",
			verb: "GET", url: "http://h/extendedAgentCard",
		},
		{
			name: "missing member", op: GetTask, version: V10, base: "http://h", params: `{}`,
			verb: "GET", url: "http://h/tasks/",
		},
		{
			name: "push create", op: CreatePushConfig, version: V10, base: "http://h",
			params: `{"taskId":"t","url":"https://hook.invalid"}`,
			verb:   "POST", url: "http://h/tasks/t/pushNotificationConfigs", inBody: `{"url":"https://hook.invalid"}`,
		},
		{
			name: "push delete", op: DeletePushConfig, version: V10, base: "http://h", params: `{"taskId":"t","id":"c"}`,
			verb: "DELETE", url: "http://h/tasks/t/pushNotificationConfigs/c",
		},
		{
			name: "0.3", op: GetPushConfig, version: V03, base: "http://h",
			params: `{"id":"t","pushNotificationConfigId":"c"}`,
			verb:   "GET", url: "http://h/v1/tasks/t/pushNotificationConfigs/c",
		},
		{
			name: "0.3 list of configs", op: ListPushConfigs, version: V03, base: "http://h", params: `{"id":"t"}`,
			verb: "GET", url: "http://h/v1/tasks/t/pushNotificationConfigs",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, ok := routeOf(test.op, test.version)
			if !ok {
				t.Fatal("no route")
			}
			got, err := r.target(test.base, test.tenant, json.RawMessage(test.params))
			if err != nil {
				t.Fatal(err)
			}
			if got.verb != test.verb || got.url != test.url || string(got.body) != test.inBody {
				t.Errorf("got %s %s %s, want %s %s %s", got.verb, got.url, got.body, test.verb, test.url, test.inBody)
			}
		})
	}
}

func TestRouteTargetRefusesParamsThatAreNoObject(t *testing.T) {
	r, _ := routeOf(GetTask, V10)
	if _, err := r.target("http://h", "", json.RawMessage(`[1]`)); err == nil {
		t.Error("an array passed as params")
	}
}
