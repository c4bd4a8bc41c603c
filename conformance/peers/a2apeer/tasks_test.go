package a2apeer

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/wire"
)

var timestamp = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)

// TestStream asks what a stream says and in what order, in both bindings.
func TestStream(t *testing.T) {
	p := newProbe(t, Options{})
	want := map[string]string{
		"hello":   "task:SUBMITTED statusUpdate:WORKING artifactUpdate artifactUpdate+ artifactUpdate+! statusUpdate:COMPLETED",
		"message": "message",
		"input":   "task:SUBMITTED statusUpdate:WORKING statusUpdate:INPUT_REQUIRED",
		"fail":    "task:SUBMITTED statusUpdate:WORKING statusUpdate:FAILED",
		"reject":  "task:SUBMITTED statusUpdate:REJECTED",
		"data":    "task:SUBMITTED statusUpdate:WORKING artifactUpdate! statusUpdate:COMPLETED",
		"file":    "task:SUBMITTED statusUpdate:WORKING artifactUpdate! statusUpdate:COMPLETED",
	}
	for words, order := range want {
		over := map[string]reply{
			"JSON-RPC": p.rpc("SendStreamingMessage", message(words, "")),
			"REST":     p.do(http.MethodPost, "/rest/message:stream", v1, message(words, "")),
		}
		for binding, r := range over {
			var got []string
			for _, data := range r.events {
				raw := []byte(data)
				if binding == "JSON-RPC" {
					raw = wire.Parse(raw).Result
				}
				got = append(got, describe(t, raw))
			}
			if s := strings.Join(got, " "); s != order || r.header.Get("Content-Type") != "text/event-stream" {
				t.Errorf("%s %s: %s\n%s", binding, words, s, r.body)
			}
		}
	}
}

// describe names an event of a stream, and checks what each must have.
func describe(t *testing.T, raw []byte) string {
	t.Helper()
	members, err := wire.Members(raw)
	if err != nil || len(members) != 1 {
		t.Fatalf("not one member: %s", raw)
	}
	kind, event := members[0].Name, members[0].Value
	id := "taskId"
	if kind == "task" {
		id = "id"
	}
	if text(event, "contextId") == "" || (kind != "message" && text(event, id) == "") {
		t.Errorf("without its ids: %s", raw)
	}
	state := strings.TrimPrefix(text(event, "status", "state"), "TASK_STATE_")
	if state != "" {
		if !timestamp.MatchString(text(event, "status", "timestamp")) {
			t.Errorf("timestamp: %s", raw)
		}
		return kind + ":" + state
	}
	for member, mark := range map[string]string{"append": "+", "lastChunk": "!"} {
		if string(wire.Get(event, member)) == "true" {
			kind += mark
		}
	}
	return strings.Replace(kind, "!+", "+!", 1)
}

// TestSubscribe asks for the task first, for what follows, and for the end.
func TestSubscribe(t *testing.T) {
	p := newProbe(t, Options{})
	for _, path := range []string{"POST /rest/tasks/%s:subscribe", "GET /rest/tasks/%s:subscribe", "POST /rpc"} {
		id := p.begin("slow")
		method, url, _ := strings.Cut(path, " ")
		if strings.Contains(url, "%s") {
			url = fmt.Sprintf(url, id)
		}
		r := p.do(method, url, v1, `{"jsonrpc":"2.0","id":1,"method":"SubscribeToTask","params":{"id":"`+id+`"}}`)
		if len(r.events) < 3 || !strings.Contains(r.events[0], `"task":{`) || !strings.Contains(r.events[len(r.events)-1], "TASK_STATE_COMPLETED") {
			t.Errorf("%s: %s", path, r.body)
		}
	}
	waiting := text(p.task("input"), "id")
	if r := p.rpc("SubscribeToTask", `{"id":"`+waiting+`"}`); len(r.events) != 1 || !strings.Contains(r.body, "INPUT_REQUIRED") {
		t.Errorf("a task that waits: %s", r.body)
	}
}

// TestTwoStreams asks that two streams of a task say the same, and that one which
// is dropped does not take the other with it.
func TestTwoStreams(t *testing.T) {
	p := newProbe(t, Options{})
	id := p.begin("slow")
	path := "/rest/tasks/" + id + ":subscribe"
	ctx, hangUp := context.WithCancel(t.Context())
	dropped := p.start(ctx, http.MethodPost, path, v1, "")
	kept := p.start(t.Context(), http.MethodPost, path, v1, "")
	defer func() { _ = kept.Body.Close() }()
	one, two := lines(dropped), lines(kept)
	next(t, one)
	next(t, two)
	for a, b := next(t, one), next(t, two); a != b; a = next(t, one) { // the second came later
		if strings.Contains(a, "TASK_STATE_COMPLETED") {
			t.Fatalf("never heard on the first: %s", b)
		}
	}
	for range 2 {
		if a, b := next(t, one), next(t, two); a != b {
			t.Errorf("%s\n%s", a, b)
		}
	}
	hangUp()
	_ = dropped.Body.Close()
	last := ""
	for line := range two {
		last = line
	}
	if !strings.Contains(last, "TASK_STATE_COMPLETED") {
		t.Errorf("the other stream ended with %s", last)
	}
}

// TestCancel asks for the task as canceled, in the answer and on its stream.
func TestCancel(t *testing.T) {
	p := newProbe(t, Options{})
	resp := p.start(t.Context(), http.MethodPost, "/rest/message:stream", v1, message("slow", ""))
	defer func() { _ = resp.Body.Close() }()
	stream := lines(resp)
	id := text([]byte(next(t, stream)), "task", "id")
	if m := p.call("CancelTask", `{"id":"`+id+`"}`); text(m.Result, "status", "state") != "TASK_STATE_CANCELED" || !timestamp.MatchString(text(m.Result, "status", "timestamp")) {
		t.Errorf("canceled: %s", m.Raw)
	}
	last := ""
	for line := range stream {
		last = line
	}
	if !strings.Contains(last, "TASK_STATE_CANCELED") {
		t.Errorf("the stream ended with %s", last)
	}
	if m := p.call("CancelTask", `{"id":"`+text(p.task("input"), "id")+`"}`); text(m.Result, "status", "state") != "TASK_STATE_CANCELED" {
		t.Errorf("a task that waits: %s", m.Raw)
	}
	if m := p.call("CancelTask", `{"id":"`+id+`"}`); code(m) != 0 && code(m) != -32002 {
		t.Errorf("again: %s", m.Raw)
	}
}

// TestConversation goes through input-required, in the task's own context.
func TestConversation(t *testing.T) {
	p := newProbe(t, Options{})
	task := p.task("input")
	id, contextID := text(task, "id"), text(task, "contextId")
	if text(task, "status", "state") != "TASK_STATE_INPUT_REQUIRED" || text(task, "status", "message", "contextId") != contextID {
		t.Errorf("first: %s", task)
	}
	m := p.call("SendMessage", message("more", `,"taskId":"`+id+`"`))
	after := wire.Get(m.Result, "task")
	if text(after, "id") != id || text(after, "contextId") != contextID || text(after, "status", "state") != "TASK_STATE_COMPLETED" {
		t.Errorf("second: %s", m.Raw)
	}
	again := text(p.task("input"), "id")
	r := p.rpc("SendStreamingMessage", message("more", `,"taskId":"`+again+`"`))
	if len(r.events) < 2 || !strings.Contains(r.events[0], `"task":{`) || !strings.Contains(r.body, "TASK_STATE_COMPLETED") {
		t.Errorf("streaming: %s", r.body)
	}
	mine := p.call("SendMessage", message("message", `,"contextId":"my-own"`))
	if text(mine.Result, "message", "contextId") != "my-own" || text(mine.Result, "message", "role") != "ROLE_AGENT" {
		t.Errorf("a context of the client: %s", mine.Raw)
	}
}

// TestHistory asks for as many messages as were asked for.
func TestHistory(t *testing.T) {
	p := newProbe(t, Options{})
	id := text(p.task("input"), "id")
	p.call("SendMessage", strings.Replace(message("more", `,"taskId":"`+id+`"`), `"m"`, `"m2"`, 1))
	for _, tt := range []struct {
		params string
		want   int
	}{{`{"id":"` + id + `"}`, 3}, {`{"id":"` + id + `","historyLength":2}`, 2}, {`{"id":"` + id + `","history_length":1}`, 1}, {`{"id":"` + id + `","historyLength":0}`, 0}} {
		task := p.call("GetTask", tt.params).Result
		var history []json.RawMessage
		if raw := wire.Get(task, "history"); raw != nil {
			if err := json.Unmarshal(raw, &history); err != nil || len(history) == 0 {
				t.Errorf("%s: %s", tt.params, raw)
			}
		}
		if len(history) != tt.want {
			t.Errorf("%s: %d messages", tt.params, len(history))
		}
	}
	short := strings.TrimSuffix(message("hello", ""), "}") + `,"configuration":{"historyLength":0}}`
	if m := p.call("SendMessage", short); wire.Path(m.Result, "task", "history") != nil {
		t.Errorf("SendMessage: %s", m.Raw)
	}
}

// TestList walks the tasks page by page, in both bindings.
func TestList(t *testing.T) {
	p := newProbe(t, Options{})
	for _, words := range []string{"hello", "fail", "hello", "input", "hello"} {
		p.task(words)
	}
	fetch := map[string]func(token string) []byte{
		"JSON-RPC": func(token string) []byte { return p.call("ListTasks", `{"pageSize":2,"pageToken":"`+token+`"}`).Result },
		"REST": func(token string) []byte {
			return []byte(p.do(http.MethodGet, "/rest/tasks?pageSize=2&pageToken="+token, v1, "").body)
		},
	}
	for binding, page := range fetch {
		seen, last, token := map[string]bool{}, "9", ""
		for range 3 {
			raw := page(token)
			var list struct {
				Tasks               []json.RawMessage
				TotalSize, PageSize *int
				NextPageToken       *string
			}
			if err := json.Unmarshal(raw, &list); err != nil || list.NextPageToken == nil || list.PageSize == nil || *list.PageSize != 2 || *list.TotalSize != 5 {
				t.Fatalf("%s: %v %s", binding, err, raw)
			}
			for _, task := range list.Tasks {
				if at := text(task, "status", "timestamp"); at > last || wire.Get(task, "artifacts") != nil || seen[text(task, "id")] {
					t.Errorf("%s: after %s: %s", binding, last, task)
				}
				last, seen[text(task, "id")] = text(task, "status", "timestamp"), true
			}
			token = *list.NextPageToken
		}
		if len(seen) != 5 || token != "" {
			t.Errorf("%s: %d tasks, then %q", binding, len(seen), token)
		}
	}
	for query, want := range map[string]string{
		`{"status":"TASK_STATE_FAILED"}`: "1", `{"contextId":"nobody"}`: "0", `{"statusTimestampAfter":"2999-01-01T00:00:00Z"}`: "0",
		`{"statusTimestampAfter":"2001-01-01T00:00:00Z"}`: "5",
	} {
		if m := p.call("ListTasks", query); string(wire.Get(m.Result, "totalSize")) != want || string(wire.Get(m.Result, "nextPageToken")) != `""` || wire.Get(m.Result, "tasks")[0] != '[' {
			t.Errorf("%s: %s", query, m.Raw)
		}
	}
	if m := p.call("ListTasks", `{"includeArtifacts":true,"status":"TASK_STATE_COMPLETED"}`); !strings.Contains(string(m.Result), `"artifacts":[`) {
		t.Errorf("with artifacts: %s", m.Raw)
	}
	if r := p.do(http.MethodGet, "/rest/tasks?statusTimestampAfter=2999-01-01T00:00:00Z&historyLength=0", v1, ""); !strings.Contains(r.body, `"totalSize":0`) {
		t.Errorf("REST, later: %s", r.body)
	}
}

// TestImmediate asks for the task before it is done.
func TestImmediate(t *testing.T) {
	p := newProbe(t, Options{})
	id := p.begin("slow")
	if state := text(p.call("GetTask", `{"id":"`+id+`"}`).Result, "status", "state"); state != "TASK_STATE_WORKING" && state != "TASK_STATE_SUBMITTED" {
		t.Errorf("state %s", state)
	}
}
