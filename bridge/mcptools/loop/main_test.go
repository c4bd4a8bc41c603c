package loop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/peerwright/peerwright/bridge/mcptools/loop"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/wire"
)

// recorder is a reply that keeps what is written to it.
type recorder struct {
	text, reason string
	calls        []openai.ToolCall
	usage        openai.Usage
	others       map[string]json.RawMessage
	extras       map[string]string
	said         func() // called at each text; nil for none
}

func (r *recorder) Text(s string) error {
	if r.text += s; s != "" && r.said != nil {
		r.said()
	}
	return nil
}

func (r *recorder) ToolCalls(c []openai.ToolCall) error   { r.calls = append(r.calls, c...); return nil }
func (r *recorder) Finish(s string, u openai.Usage) error { r.reason, r.usage = s, u; return nil }

func (r *recorder) Delta(name string, value json.RawMessage) error {
	if r.others == nil {
		r.others = map[string]json.RawMessage{}
	}
	r.others[name] = openai.Join(r.others[name], value)
	return nil
}

func (r *recorder) Extra(name string, value any) {
	if r.extras == nil {
		r.extras = map[string]string{}
	}
	raw, _ := wire.Marshal(value)
	r.extras[name] = string(raw)
}

// response is what the model server answers once.
type response struct {
	status int // 0 means 200
	head   map[string]string
	body   string
	hang   bool // after the body, until the request is cancelled
}

// model is an OpenAI-compatible server that answers from a script, its last line for ever.
type model struct {
	script []response

	mu     sync.Mutex
	asked  []string
	heads  []http.Header
	ended  chan struct{} // closed when a hanging request is cancelled
	closed sync.Once
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m.mu.Lock()
	m.asked, m.heads = append(m.asked, string(body)), append(m.heads, r.Header)
	next := m.script[min(len(m.asked), len(m.script))-1]
	m.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	for name, value := range next.head {
		w.Header().Set(name, value)
	}
	if next.status != 0 {
		w.WriteHeader(next.status)
	}
	_, _ = io.WriteString(w, strings.ReplaceAll(next.body, "KEY", r.Header.Get("Authorization")))
	if next.hang {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		m.closed.Do(func() { close(m.ended) })
	}
}

func (m *model) start(t *testing.T) string {
	t.Helper()
	m.ended = make(chan struct{})
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	return server.URL
}

// says is a stream of deltas that ends for the reason.
func says(reason string, deltas ...string) response {
	var b strings.Builder
	for _, d := range deltas {
		fmt.Fprintf(&b, "data: {\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", d)
	}
	if reason != "" {
		fmt.Fprintf(&b, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\ndata: {\"choices\":[],\"usage\":{\"total_tokens\":2}}\n\ndata: [DONE]\n\n", reason)
	}
	return response{body: b.String()}
}

// calls is a delta with a call of each function, whose id is its name and "_id".
func calls(names ...string) string {
	var list []string
	for i, name := range names {
		list = append(list, fmt.Sprintf(`{"index":%d,"id":"%s_id","type":"function","function":{"name":%q,"arguments":"{\"a\":1}"}}`, i, name, name))
	}
	return `{"tool_calls":[` + strings.Join(list, ",") + `]}`
}

var done = says("stop", `{"content":"done"}`)

// outcome is what came of a run.
type outcome struct {
	*recorder
	executed []openai.ToolCall
	err      error
}

const functions = `[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":{}}}},{"type":"function","function":{"name":"g","parameters":{"type":"object"}}}]`

const hello = `{"model":"m","seed":7,"messages":[{"role":"user","content":"x"}]}`

// run has a client answer the body, with the functions f, which is harmless, and g, which is
// not; a result is the arguments.
func run(ctx context.Context, l *loop.Client, body string, change ...func(*loop.Request, *recorder)) outcome {
	out := outcome{recorder: &recorder{}}
	q := loop.Request{Body: json.RawMessage(body), Functions: json.RawMessage(functions), Caller: "c"}
	for _, c := range change {
		c(&q, out.recorder)
	}
	out.err = l.Run(ctx, q, func(_ context.Context, calls []openai.ToolCall) []loop.Result {
		out.executed = append(out.executed, calls...)
		var results []loop.Result
		for _, c := range calls {
			results = append(results, loop.Result{ID: c.ID, Content: json.RawMessage(`{"result":` + c.Arguments + `}`), Report: map[string]string{"id": c.ID}, Harmless: c.Name == "f"})
		}
		return results
	}, out.recorder)
	return out
}

// client is one of the model server, for which nothing waits.
func client(url string, change ...func(*loop.Config)) *loop.Client {
	c := loop.Config{URL: url, Key: "sk-canary-0123456789abcdef", Wait: noWait}
	for _, f := range change {
		f(&c)
	}
	return loop.New(c)
}
