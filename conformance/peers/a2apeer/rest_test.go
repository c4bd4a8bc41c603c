package a2apeer

import (
	"net/http"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/wire"
)

// TestREST asks each error over HTTP+JSON, and its forms.
func TestREST(t *testing.T) {
	p := newProbe(t, Options{})
	done := text(p.task("hello"), "id")
	tests := []struct {
		name, method, path, body string
		status                   int
		reason                   string
	}{
		{"send", "POST", "/message:send", message("hello", ""), 200, ""},
		{"get", "GET", "/tasks/" + done, "", 200, ""},
		{"get with history", "GET", "/tasks/" + done + "?historyLength=1", "", 200, ""},
		{"list", "GET", "/tasks", "", 200, ""},
		{"push configs", "GET", "/tasks/" + done + "/pushNotificationConfigs", "", 200, ""},
		{"unknown task", "GET", "/tasks/nope", "", 404, "TASK_NOT_FOUND"},
		{"cancel unknown", "POST", "/tasks/nope:cancel", "", 404, "TASK_NOT_FOUND"},
		{"subscribe unknown", "POST", "/tasks/nope:subscribe", "", 404, "TASK_NOT_FOUND"},
		{"subscribe unknown by GET", "GET", "/tasks/nope:subscribe", "", 404, "TASK_NOT_FOUND"},
		{"cancel ended", "POST", "/tasks/" + done + ":cancel", "", 400, "TASK_NOT_CANCELABLE"},
		{"subscribe ended", "POST", "/tasks/" + done + ":subscribe", "", 400, "UNSUPPORTED_OPERATION"},
		{"send to ended", "POST", "/message:send", message("x", `,"taskId":"`+done+`"`), 400, "UNSUPPORTED_OPERATION"},
		{"stream to ended", "POST", "/message:stream", message("x", `,"taskId":"`+done+`"`), 400, "UNSUPPORTED_OPERATION"},
		{"media type", "POST", "/message:send", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x","mediaType":"video/mp4"}]}}`, 400, "CONTENT_TYPE_NOT_SUPPORTED"},
		{"not JSON", "POST", "/message:send", `{`, 400, "PARSE_ERROR"},
		{"no parts", "POST", "/message:send", `{"message":{"messageId":"m","role":"ROLE_USER"}}`, 400, "INVALID_PARAMS"},
		{"page size", "GET", "/tasks?pageSize=101", "", 400, "INVALID_PARAMS"},
		{"page size that is no number", "GET", "/tasks?pageSize=x", "", 400, "INVALID_PARAMS"},
		{"state that is none", "GET", "/tasks?status=DONE", "", 400, "INVALID_PARAMS"},
		{"history that is no number", "GET", "/tasks/" + done + "?historyLength=x", "", 400, "INVALID_REQUEST"},
		{"extended card", "GET", "/extendedAgentCard", "", 400, "UNSUPPORTED_OPERATION"},
		{"nothing there", "GET", "/nothing", "", 404, "METHOD_NOT_FOUND"},
		{"wrong method", "DELETE", "/tasks/" + done, "", 405, "METHOD_NOT_FOUND"},
	}
	for _, tt := range tests {
		r := p.do(tt.method, "/rest"+tt.path, v1, tt.body)
		if r.status != tt.status || r.header.Get("Content-Type") != "application/a2a+json" {
			t.Errorf("%s: %d %s %s", tt.name, r.status, r.header.Get("Content-Type"), r.body)
			continue
		}
		fault := wire.Get([]byte(r.body), "error")
		if tt.reason == "" {
			if fault != nil {
				t.Errorf("%s: %s", tt.name, r.body)
			}
			continue
		}
		if !strings.Contains(string(wire.Get(fault, "details")), `"reason":"`+tt.reason+`"`) || wire.Get(fault, "status") == nil ||
			!strings.Contains(string(fault), `"domain":"a2a-protocol.org"`) || text(fault, "message") == "" {
			t.Errorf("%s: %s", tt.name, r.body)
		}
	}
	for _, version := range []string{"", "99.0", "0.3"} {
		r := p.do(http.MethodGet, "/rest/tasks", map[string]string{"A2A-Version": version}, "")
		if r.status != http.StatusBadRequest || !strings.Contains(r.body, "VERSION_NOT_SUPPORTED") {
			t.Errorf("version %q: %d %s", version, r.status, r.body)
		}
	}
}

// TestCard asks for a card that can be found, read and kept.
func TestCard(t *testing.T) {
	p := newProbe(t, Options{})
	r := p.do(http.MethodGet, pathCard, v1, "")
	tag := r.header.Get("ETag")
	if r.status != http.StatusOK || r.header.Get("Content-Type") != "application/json" || tag == "" || !strings.Contains(r.header.Get("Cache-Control"), "max-age=") {
		t.Errorf("head: %d %v", r.status, r.header)
	}
	for _, member := range []string{"name", "description", "supportedInterfaces", "version", "capabilities", "defaultInputModes", "defaultOutputModes", "skills"} {
		if wire.Get([]byte(r.body), member) == nil {
			t.Errorf("no %s: %s", member, r.body)
		}
	}
	if wire.Get([]byte(r.body), "url") != nil || !strings.Contains(r.body, `"url":"`+p.url+`/rpc"`) {
		t.Errorf("interfaces: %s", r.body)
	}
	if again := p.do(http.MethodGet, pathCard, map[string]string{"A2A-Version": "1.0", "If-None-Match": tag}, ""); again.status != http.StatusNotModified || again.body != "" {
		t.Errorf("again: %d", again.status)
	}
	old := p.do(http.MethodGet, pathCard, nil, "")
	for member, want := range map[string]string{"url": p.url + "/rpc", "protocolVersion": "0.3", "preferredTransport": "JSONRPC"} {
		if got := text([]byte(old.body), member); !strings.HasPrefix(got, want) {
			t.Errorf("0.3 %s: %q in %s", member, got, old.body)
		}
	}
	if wrong := p.do(http.MethodPost, pathCard, nil, ""); wrong.status != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", wrong.status)
	}
}

// TestOld goes through the methods of 0.3.
func TestOld(t *testing.T) {
	p := newProbe(t, Options{})
	task := p.old("message/send", oldMessage("input", "")).Result
	id := text(task, "id")
	if text(task, "kind") != "task" || text(task, "status", "state") != "input-required" || text(task, "status", "message", "kind") != "message" {
		t.Errorf("send: %s", task)
	}
	if m := p.old("message/send", oldMessage("message", "")); text(m.Result, "kind") != "message" || text(m.Result, "role") != "agent" || text(m.Result, "contextId") == "" {
		t.Errorf("message: %s", m.Raw)
	}
	r := p.do(http.MethodPost, "/rpc", nil, `{"jsonrpc":"2.0","id":"s","method":"message/stream","params":`+oldMessage("more", `,"taskId":"`+id+`"`)+`}`)
	if len(r.events) < 3 {
		t.Fatalf("stream: %s", r.body)
	}
	for i, data := range r.events {
		m := wire.Parse([]byte(data))
		final := string(wire.Get(m.Result, "final"))
		if m.ID.String() != `"s"` || text(m.Result, "kind") == "" || (final == "true") != (i == len(r.events)-1) {
			t.Errorf("event %d: %s", i, data)
		}
	}
	if m := p.old("tasks/get", `{"id":"`+id+`","historyLength":1}`); text(m.Result, "status", "state") != "completed" || text(m.Result, "artifacts") != "" {
		t.Errorf("get: %s", m.Raw)
	}
	hook := p.old("tasks/pushNotificationConfig/set", `{"taskId":"`+id+`","pushNotificationConfig":{"url":"http://127.0.0.1:1/"}}`)
	config := text(hook.Result, "pushNotificationConfig", "id")
	if text(hook.Result, "taskId") != id || config == "" {
		t.Errorf("set: %s", hook.Raw)
	}
	if m := p.old("tasks/pushNotificationConfig/list", `{"id":"`+id+`"}`); !strings.HasPrefix(string(m.Result), "[{") {
		t.Errorf("list: %s", m.Raw)
	}
	if m := p.old("tasks/pushNotificationConfig/delete", `{"id":"`+id+`","pushNotificationConfigId":"`+config+`"}`); string(m.Result) != "null" || m.ID.String() != "1" {
		t.Errorf("delete: %s", m.Raw)
	}
	slow := p.start(t.Context(), http.MethodPost, "/rpc", nil, `{"jsonrpc":"2.0","id":1,"method":"message/stream","params":`+oldMessage("slow", "")+`}`)
	defer func() { _ = slow.Body.Close() }()
	first := wire.Parse([]byte(next(t, lines(slow))))
	if m := p.old("tasks/cancel", `{"id":"`+text(first.Result, "id")+`"}`); text(m.Result, "status", "state") != "canceled" {
		t.Errorf("cancel: %s", m.Raw)
	}
}
