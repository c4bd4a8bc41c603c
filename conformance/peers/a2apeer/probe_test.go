package a2apeer

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/wire"
)

// probe speaks raw HTTP to an agent of the package.
type probe struct {
	t   *testing.T
	url string
}

func newProbe(t *testing.T, o Options) *probe {
	t.Helper()
	if o.Step == 0 {
		o.Step = time.Millisecond
	}
	if o.Slow == 0 {
		o.Slow = 500 * time.Millisecond
	}
	srv := httptest.NewServer(New(o).Handler(""))
	t.Cleanup(srv.CloseClientConnections)
	t.Cleanup(srv.Close)
	return &probe{t: t, url: srv.URL}
}

// reply is the answer to one HTTP request, read to its end.
type reply struct {
	status int
	header http.Header
	body   string
	events []string // the data of each
}

var v1 = map[string]string{"A2A-Version": "1.0"}

func (p *probe) do(method, path string, header map[string]string, body string) reply {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 10*time.Second)
	defer cancel()
	resp := p.start(ctx, method, path, header, body)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatalf("reading the answer: %v", err)
	}
	r := reply{status: resp.StatusCode, header: resp.Header, body: string(raw)}
	for line := range strings.Lines(r.body) {
		if data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: "); ok {
			r.events = append(r.events, data)
		}
	}
	return r
}

func (p *probe) start(ctx context.Context, method, path string, header map[string]string, body string) *http.Response {
	p.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, p.url+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatalf("%s %s: %v", method, path, err)
	}
	return resp
}

// call calls a method of 1.0 over JSON-RPC.
func (p *probe) call(method, params string) wire.Message {
	p.t.Helper()
	return wire.Parse([]byte(p.rpc(method, params).body))
}

func (p *probe) rpc(method, params string) reply {
	p.t.Helper()
	return p.do(http.MethodPost, "/rpc", v1, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`)
}

// old calls a method of 0.3.
func (p *probe) old(method, params string) wire.Message {
	p.t.Helper()
	return wire.Parse([]byte(p.do(http.MethodPost, "/rpc", nil, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`).body))
}

func message(text, more string) string {
	return `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"` + text + `"}]` + more + `}}`
}

func oldMessage(text, more string) string {
	return `{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"` + text + `"}]` + more + `}}`
}

func code(m wire.Message) int64 {
	if m.Error == nil {
		return 0
	}
	return m.Error.Code
}

// text is the string at the path in a JSON text.
func text(raw []byte, path ...string) string {
	s, _ := wire.Text(wire.Path(raw, path...))
	return s
}

// task sends a text and returns the task that came of it.
func (p *probe) task(words string) []byte {
	p.t.Helper()
	m := p.call("SendMessage", message(words, ""))
	task := wire.Get(m.Result, "task")
	if task == nil {
		p.t.Fatalf("%s: no task: %s", words, m.Raw)
	}
	return task
}

// begin sends a text without waiting for what comes of it.
func (p *probe) begin(words string) string {
	p.t.Helper()
	m := p.call("SendMessage", strings.TrimSuffix(message(words, ""), "}")+`,"configuration":{"returnImmediately":true}}`)
	id := text(m.Result, "task", "id")
	if id == "" {
		p.t.Fatalf("%s: no task: %s", words, m.Raw)
	}
	return id
}

// lines hands out the data of the events of a stream as they come.
func lines(resp *http.Response) <-chan string {
	out := make(chan string, 100)
	go func() {
		defer close(out)
		for r := bufio.NewReader(resp.Body); ; {
			line, err := r.ReadString('\n')
			if data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: "); ok {
				out <- data
			}
			if err != nil {
				return
			}
		}
	}()
	return out
}

func next(t *testing.T, from <-chan string) string {
	t.Helper()
	select {
	case s := <-from:
		return s
	case <-time.After(10 * time.Second):
		t.Fatal("nothing came")
		return ""
	}
}
