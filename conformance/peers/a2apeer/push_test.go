package a2apeer

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/wire"
)

// TestPush goes through the life of a push notification configuration.
func TestPush(t *testing.T) {
	p := newProbe(t, Options{})
	id := text(p.task("input"), "id")
	type note struct{ media, token, auth, body string }
	notes := make(chan note, 100)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		notes <- note{r.Header.Get("Content-Type"), r.Header.Get("X-A2A-Notification-Token"), r.Header.Get("Authorization"), string(body)}
	}))
	t.Cleanup(hook.Close)
	made := p.call("CreateTaskPushNotificationConfig", `{"taskId":"`+id+`","url":"`+hook.URL+`","token":"secret","authentication":{"scheme":"Bearer","credentials":"key"}}`)
	config := text(made.Result, "id")
	if config == "" || text(made.Result, "taskId") != id || text(made.Result, "url") != hook.URL {
		t.Fatalf("created: %s", made.Raw)
	}
	if m := p.call("GetTaskPushNotificationConfig", `{"taskId":"`+id+`","id":"`+config+`"}`); string(m.Result) != string(made.Result) {
		t.Errorf("got: %s", m.Raw)
	}
	if m := p.call("ListTaskPushNotificationConfigs", `{"taskId":"`+id+`"}`); !strings.Contains(string(m.Result), config) {
		t.Errorf("listed: %s", m.Raw)
	}
	p.call("SendMessage", message("more", `,"taskId":"`+id+`"`))
	last := ""
	for range 6 { // task, three pieces, completed; and then no more
		select {
		case n := <-notes:
			if n.media != "application/a2a+json" || n.token != "secret" || n.auth != "Bearer key" {
				t.Errorf("delivered: %+v", n)
			}
			describe(t, []byte(n.body))
			last = n.body
		default:
		}
	}
	if !strings.Contains(last, "TASK_STATE_COMPLETED") {
		t.Errorf("delivered last: %s", last)
	}
	for _, call := range []string{"first", "again"} {
		if m := p.call("DeleteTaskPushNotificationConfig", `{"taskId":"`+id+`","id":"`+config+`"}`); string(m.Result) != "{}" {
			t.Errorf("deleted %s: %s", call, m.Raw)
		}
	}
	if m := p.call("ListTaskPushNotificationConfigs", `{"taskId":"`+id+`"}`); string(wire.Get(m.Result, "configs")) != "[]" {
		t.Errorf("listed after: %s", m.Raw)
	}
	if r := p.do(http.MethodDelete, "/rest/tasks/"+id+"/pushNotificationConfigs/"+config, v1, ""); r.status != http.StatusOK || r.body != "{}" {
		t.Errorf("REST: %d %q", r.status, r.body)
	}
}
