package loop_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/bridge/mcptools/loop"
	"github.com/peerwright/peerwright/internal/wire"
)

// wires is a model server that answers with the body first, and is done then.
type wires struct {
	body, kind string
	asked      [][]byte
}

func (w *wires) RoundTrip(r *http.Request) (*http.Response, error) {
	asked, err := io.ReadAll(r.Body)
	body := done.body
	if w.asked = append(w.asked, asked); len(w.asked) == 1 {
		body = w.body
	}
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {w.kind}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, err
}

// FuzzAnswers has a model say anything, in either form: what it is told next is JSON, in
// which each call has its result, and the client never gets a call that it did not offer.
func FuzzAnswers(f *testing.F) {
	for _, r := range []response{
		done, says("tool_calls", `{"reasoning_content":"t"}`, calls("f", "g")), says("tool_calls", calls("mine", "f")), says("stop", `{"content":[{"text":"x"},{"type":"y"}]}`),
		says("tool_calls", `{"tool_calls":[{"index":-1,"id":"a","x":{"y":[1]},"function":{"name":"f","arguments":"{"}},{"id":"b"}]}`),
		{body: "data: {\"error\":{\"code\":429}}\n\n"},
	} {
		f.Add(r.body, false)
	}
	f.Add(`{"choices":[{"message":{"content":"x","tool_calls":[{"function":{"name":"f","arguments":"1"}}]},"finish_reason":"stop"}]}`, true)
	f.Fuzz(func(t *testing.T, body string, document bool) {
		w := &wires{body: body, kind: "text/event-stream"}
		if document {
			w.kind = "application/json"
		}
		l := client("http://127.0.0.1:1", func(c *loop.Config) { c.Client = &http.Client{Transport: w} })
		out := run(t.Context(), l, ask())
		for _, c := range out.calls {
			if c.Name != "mine" || c.ID == "" {
				t.Errorf("the client is handed %+v", c)
			}
		}
		if beside := out.extras["peerwright"]; beside != "" && !json.Valid([]byte(beside)) {
			t.Errorf("peerwright is %s", beside)
		}
		for _, asked := range w.asked {
			if !json.Valid(asked) {
				t.Fatalf("the model is asked %q", asked)
			}
			checkResults(t, asked)
		}
	})
}

func checkResults(t *testing.T, asked []byte) {
	t.Helper()
	open := map[string]bool{}
	wire.EachElement(wire.Get(asked, "messages"), func(m json.RawMessage) bool {
		wire.EachElement(wire.Get(m, "tool_calls"), func(c json.RawMessage) bool {
			id, _ := wire.Text(wire.Get(c, "id"))
			if id == "" || open[id] {
				t.Errorf("a call has the id %q: %s", id, asked)
			}
			open[id] = true
			return true
		})
		if id, ok := wire.Text(wire.Get(m, "tool_call_id")); ok {
			if !open[id] {
				t.Errorf("the result %q is to no call: %s", id, asked)
			}
			delete(open, id)
		}
		return true
	})
	if len(open) > 0 {
		t.Errorf("calls without results: %v in %s", open, asked)
	}
}
