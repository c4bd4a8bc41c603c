package a2apeer

import (
	"net/http"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/wire"
)

// TestRPCErrors asks each error over JSON-RPC.
func TestRPCErrors(t *testing.T) {
	p := newProbe(t, Options{})
	done := text(p.task("hello"), "id")
	waiting := p.task("input")
	busy := p.begin("slow")
	tests := []struct {
		name, method, params string
		code                 int64
	}{
		{"unknown method", "NoSuchMethod", `{}`, -32601},
		{"a method of 0.3", "message/send", `{}`, -32601},
		{"params that are an array", "GetTask", `[]`, -32602},
		{"params that are a string", "GetTask", `"x"`, -32602},
		{"no id", "GetTask", `{}`, -32602},
		{"id of a wrong type", "GetTask", `{"id":1}`, -32602},
		{"unknown task", "GetTask", `{"id":"nope"}`, -32001},
		{"negative history", "GetTask", `{"id":"` + done + `","historyLength":-1}`, -32602},
		{"no message", "SendMessage", `{}`, -32602},
		{"no messageId", "SendMessage", `{"message":{"role":"ROLE_USER","parts":[{"text":"x"}]}}`, -32602},
		{"no role", "SendMessage", `{"message":{"messageId":"m","parts":[{"text":"x"}]}}`, -32602},
		{"role that is none", "SendMessage", `{"message":{"messageId":"m","role":"user","parts":[{"text":"x"}]}}`, -32602},
		{"no parts", "SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[]}}`, -32602},
		{"a part of no kind", "SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{}]}}`, -32602},
		{"a part of two kinds", "SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x","url":"http://x"}]}}`, -32602},
		{"unknown taskId", "SendMessage", message("x", `,"taskId":"nope"`), -32001},
		{"a task that has ended", "SendMessage", message("x", `,"taskId":"`+done+`"`), -32004},
		{"a task that has ended, streaming", "SendStreamingMessage", message("x", `,"taskId":"`+done+`"`), -32004},
		{"a task that is busy", "SendMessage", message("x", `,"taskId":"`+busy+`"`), -32004},
		{"another contextId", "SendMessage", message("x", `,"contextId":"other","taskId":"`+text(waiting, "id")+`"`), -32602},
		{"a media type that is not taken", "SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x","mediaType":"video/mp4"}]}}`, -32005},
		{"subscribe to nothing", "SubscribeToTask", `{"id":"nope"}`, -32001},
		{"subscribe to a task that has ended", "SubscribeToTask", `{"id":"` + done + `"}`, -32004},
		{"cancel nothing", "CancelTask", `{"id":"nope"}`, -32001},
		{"cancel a task that has ended", "CancelTask", `{"id":"` + done + `"}`, -32002},
		{"page of no size", "ListTasks", `{"pageSize":0}`, -32602},
		{"page too large", "ListTasks", `{"pageSize":101}`, -32602},
		{"page of negative size", "ListTasks", `{"pageSize":-1}`, -32602},
		{"token of nobody", "ListTasks", `{"pageToken":"bogus"}`, -32602},
		{"state that is none", "ListTasks", `{"status":"DONE"}`, -32602},
		{"extended card", "GetExtendedAgentCard", `{}`, -32004},
		{"push config of no task", "CreateTaskPushNotificationConfig", `{"taskId":"nope","url":"http://127.0.0.1:1/"}`, -32001},
		{"push config without a url", "CreateTaskPushNotificationConfig", `{"taskId":"` + done + `"}`, -32602},
		{"push config elsewhere, kept and never delivered to", "CreateTaskPushNotificationConfig", `{"taskId":"` + done + `","url":"http://webhook.invalid/"}`, 0},
		{"push config of no http", "CreateTaskPushNotificationConfig", `{"taskId":"` + done + `","url":"ftp://127.0.0.1/"}`, -32602},
		{"push config unknown", "GetTaskPushNotificationConfig", `{"taskId":"` + done + `","id":"nope"}`, -32001},
	}
	for _, tt := range tests {
		r := p.rpc(tt.method, tt.params)
		m := wire.Parse([]byte(r.body))
		if code(m) != tt.code || m.ID.String() != "1" || r.status != http.StatusOK || r.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s %s", tt.name, r.status, r.header.Get("Content-Type"), r.body)
		}
		if m.Error != nil && !strings.Contains(string(m.Error.Data), `"@type":"type.googleapis.com/google.rpc.ErrorInfo"`) {
			t.Errorf("%s: data %s", tt.name, m.Error.Data)
		}
	}
}

// TestRPCEnvelopes sends what is no request.
func TestRPCEnvelopes(t *testing.T) {
	p := newProbe(t, Options{})
	tests := []struct {
		name, body string
		code       int64
		id         string
	}{
		{"not JSON", `{"jsonrpc":`, -32700, "null"},
		{"empty", ``, -32700, "null"},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"ListTasks"}]`, -32600, "null"},
		{"a number", `7`, -32600, "null"},
		{"no version", `{"id":1,"method":"ListTasks"}`, -32600, "1"},
		{"wrong version", `{"jsonrpc":"1.0","id":1,"method":"ListTasks"}`, -32600, "1"},
		{"no method", `{"jsonrpc":"2.0","id":1}`, -32600, "1"},
		{"method that is no string", `{"jsonrpc":"2.0","id":1,"method":1}`, -32600, "1"},
		{"id that is an object", `{"jsonrpc":"2.0","id":{},"method":"ListTasks"}`, -32600, "null"},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ListTasks"}`, -32600, "null"},
	}
	for _, tt := range tests {
		m := wire.Parse([]byte(p.do(http.MethodPost, "/rpc", v1, tt.body).body))
		if code(m) != tt.code || m.ID.String() != tt.id {
			t.Errorf("%s: %s", tt.name, m.Raw)
		}
	}
	if r := p.do(http.MethodGet, "/rpc", v1, ""); r.status != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", r.status)
	}
}

// TestRPCIDs asks that ids come back as they were sent, plain and in streams.
func TestRPCIDs(t *testing.T) {
	p := newProbe(t, Options{})
	for _, id := range []string{`"1"`, `1`, `0`, `-3`, `""`, `"007"`, `9007199254740993`, `"\u00e9<>&"`, `"` + strings.Repeat("x", 5000) + `"`} {
		for _, method := range []string{"SendMessage", "SendStreamingMessage", "NoSuchMethod"} {
			r := p.do(http.MethodPost, "/rpc", v1, `{"jsonrpc":"2.0","id":`+id+`,"method":"`+method+`","params":`+message("message", "")+`}`)
			body := r.body
			if len(r.events) > 0 {
				body = r.events[0]
			}
			if got := wire.Parse([]byte(body)).ID.String(); got != id {
				t.Errorf("%s: %.30s came back as %.30s", method, id, got)
			}
		}
	}
}

// TestRPCNotification asks that what has no id is done and not answered.
func TestRPCNotification(t *testing.T) {
	p := newProbe(t, Options{})
	for _, body := range []string{`{"jsonrpc":"2.0","method":"SendMessage","params":` + message("hello", "") + `}`, `{"jsonrpc":"2.0","method":"NoSuch"}`} {
		if r := p.do(http.MethodPost, "/rpc", v1, body); r.status != http.StatusNoContent || r.body != "" {
			t.Errorf("%s: %d %q", body, r.status, r.body)
		}
	}
	if m := p.call("ListTasks", `{}`); string(wire.Get(m.Result, "totalSize")) != "1" {
		t.Errorf("done: %s", m.Raw)
	}
}

// TestVersions asks for the semantics of the version that is asked for.
func TestVersions(t *testing.T) {
	p := newProbe(t, Options{})
	send := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
	}
	tests := []struct {
		version, path, body string
		code                int64
	}{
		{"1.0", "/rpc", send("ListTasks", "{}"), 0},
		{"1.0.7", "/rpc", send("ListTasks", "{}"), 0},
		{"", "/rpc?A2A-Version=1.0", send("ListTasks", "{}"), 0},
		{"99.0", "/rpc", send("ListTasks", "{}"), -32009},
		{"1.1", "/rpc", send("ListTasks", "{}"), -32009},
		{"latest", "/rpc", send("ListTasks", "{}"), -32009},
		{"", "/rpc", send("ListTasks", "{}"), -32601},
		{"", "/rpc", send("message/send", oldMessage("hi", "")), 0},
		{"0.3", "/rpc", send("message/send", oldMessage("hi", "")), 0},
		{"0.3.0", "/rpc", send("message/send", oldMessage("hi", "")), 0},
	}
	for _, tt := range tests {
		m := wire.Parse([]byte(p.do(http.MethodPost, tt.path, map[string]string{"A2A-Version": tt.version}, tt.body).body))
		if code(m) != tt.code {
			t.Errorf("%q %s: %s", tt.version, tt.body, m.Raw)
		}
	}
}

// TestUndeclared asks that what the card does not declare is refused by name.
func TestUndeclared(t *testing.T) {
	p := newProbe(t, Options{NoPush: true, NoStreaming: true})
	id := text(p.task("hello"), "id")
	tests := []struct {
		method, params string
		code           int64
	}{
		{"SendStreamingMessage", message("x", ""), -32004},
		{"SubscribeToTask", `{"id":"` + id + `"}`, -32004},
		{"CreateTaskPushNotificationConfig", `{"taskId":"` + id + `","url":"http://127.0.0.1:1/"}`, -32003},
		{"GetTaskPushNotificationConfig", `{"taskId":"` + id + `","id":"x"}`, -32003},
		{"ListTaskPushNotificationConfigs", `{"taskId":"` + id + `"}`, -32003},
		{"DeleteTaskPushNotificationConfig", `{"taskId":"` + id + `","id":"x"}`, -32003},
		{"SendMessage", strings.TrimSuffix(message("x", ""), "}") + `,"configuration":{"taskPushNotificationConfig":{"url":"http://127.0.0.1:1/"}}}`, -32003},
	}
	for _, tt := range tests {
		if m := p.call(tt.method, tt.params); code(m) != tt.code {
			t.Errorf("%s: %s", tt.method, m.Raw)
		}
	}
	promised := newProbe(t, Options{ExtendedCard: true})
	if m := promised.call("GetExtendedAgentCard", `{}`); code(m) != -32007 {
		t.Errorf("an extended card that is declared and missing: %s", m.Raw)
	}
	if r := promised.do(http.MethodGet, "/rest/extendedAgentCard", v1, ""); r.status != http.StatusBadRequest || !strings.Contains(r.body, "EXTENDED_AGENT_CARD_NOT_CONFIGURED") {
		t.Errorf("the same over REST: %d %s", r.status, r.body)
	}
}

// TestOldErrors asks the errors of 0.3.
func TestOldErrors(t *testing.T) {
	p := newProbe(t, Options{})
	done := text(p.old("message/send", oldMessage("hello", "")).Result, "id")
	tests := []struct {
		name, method, params string
		code                 int64
	}{
		{"unknown method", "no/such", `{}`, -32601},
		{"params that are an array", "tasks/get", `[]`, -32602},
		{"no id", "tasks/get", `{}`, -32602},
		{"unknown task", "tasks/get", `{"id":"nope"}`, -32001},
		{"no message", "message/send", `{}`, -32602},
		{"a part of no kind", "message/send", `{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"text":"x"}]}}`, -32602},
		{"role of 1.0", "message/send", `{"message":{"kind":"message","messageId":"m","role":"ROLE_USER","parts":[{"kind":"text","text":"x"}]}}`, -32602},
		{"unknown taskId", "message/send", oldMessage("x", `,"taskId":"nope"`), -32001},
		{"cancel a task that has ended", "tasks/cancel", `{"id":"` + done + `"}`, -32002},
		{"resubscribe to nothing", "tasks/resubscribe", `{"id":"nope"}`, -32001},
		{"extended card", "agent/getAuthenticatedExtendedCard", `{}`, -32007},
		{"push config unknown", "tasks/pushNotificationConfig/get", `{"id":"` + done + `","pushNotificationConfigId":"x"}`, -32001},
		{"delete a push config twice", "tasks/pushNotificationConfig/delete", `{"id":"` + done + `","pushNotificationConfigId":"x"}`, 0},
	}
	for _, tt := range tests {
		r := p.do(http.MethodPost, "/rpc", nil, `{"jsonrpc":"2.0","id":"a","method":"`+tt.method+`","params":`+tt.params+`}`)
		m := wire.Parse([]byte(r.body))
		if code(m) != tt.code || m.ID.String() != `"a"` || len(m.Problems) > 0 || r.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s %s %v", tt.name, r.header.Get("Content-Type"), r.body, m.Problems)
		}
	}
}
