package mcptools_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/peerwright/peerwright/bridge/mcptools"
	"github.com/peerwright/peerwright/bridge/mcptools/loop"
)

// model is an OpenAI-compatible server that calls tools first and speaks then.
type model struct {
	calls []call

	mu    sync.Mutex
	asked []string
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	asked, _ := io.ReadAll(r.Body)
	m.mu.Lock()
	m.asked = append(m.asked, string(asked))
	first := len(m.asked) == 1
	m.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	if !first {
		io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"All is well."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
		return
	}
	for i, c := range m.calls {
		fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"id":"m%d","type":"function","function":{"name":%q,"arguments":%q}}]}}]}`+"\n\n", i, i, c.name, c.args)
	}
	io.WriteString(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`+"\n\ndata: [DONE]\n\n")
}

// With a model beside it the bridge runs the whole loop: it offers the tools, makes the
// calls that the model chooses, a failure included, and gives its last word.
func TestTheWholeLoop(t *testing.T) {
	var ran atomic.Int64
	m := &model{calls: []call{{name: "create_issue", args: `{"t":1}`}, {name: "create_issue", args: `{"t":2}`}, {name: "get_none", args: `{}`}}}
	llm := httptest.NewServer(m)
	defer llm.Close()
	s := &script{tools: map[string]tool{
		"create_issue": counter(&ran), "get_none": gives(reads, `{"isError":true,"content":[{"type":"text","text":"nothing there"}]}`),
	}}
	b := start(t, setting{options: func(o *mcptools.Options) { o.Loop = loop.New(loop.Config{URL: llm.URL}) }}, at(t, s))
	got := b.post(t, `{"model":"m","messages":[{"role":"user","content":"open two issues"}]}`, "X-Idempotency-Key", "k")
	if got.status != 200 || got.text("choices", "0", "message", "content") != "All is well." || got.text("choices", "0", "finish_reason") != "stop" || ran.Load() != 2 {
		t.Fatalf("%d %s after %d executions", got.status, got.body, ran.Load())
	}
	if len(m.asked) != 2 || !strings.Contains(m.asked[0], `"name":"create_issue"`) || strings.Contains(m.asked[0], `"mcp"`) {
		t.Errorf("offered %q", m.asked[0])
	}
	for _, want := range []string{`issue 1`, `issue 2`, `nothing there`, `"tool_call_id":"m2"`} {
		if !strings.Contains(m.asked[1], want) {
			t.Errorf("the model is not told %s: %s", want, m.asked[1])
		}
	}
	if keys := s.heads[0].Get("Idempotency-Key") + " " + s.heads[1].Get("Idempotency-Key"); keys != "k k#2" {
		t.Errorf("forwarded %s", keys)
	}
	if got := b.post(t, body(call{name: "create_issue", args: `{"t":1}`}), "X-Idempotency-Key", "k"); got.result(0) != `{"result":"issue 1"}` {
		t.Errorf("a call in the last message is made without the model: %s", got.body)
	}
}
