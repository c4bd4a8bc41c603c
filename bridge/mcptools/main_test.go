package mcptools_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/mcptools"
	"github.com/peerwright/peerwright/bridge/mcptools/upstream"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/dial"
	"github.com/peerwright/peerwright/internal/seal"
	"github.com/peerwright/peerwright/internal/store"
	"github.com/peerwright/peerwright/internal/store/memory"
	"github.com/peerwright/peerwright/internal/wire"
)

// tool is a tool of a scripted server: what tools/list says of it, and what a call does.
type tool struct {
	declared string // without its name
	call     func(w http.ResponseWriter, r *http.Request, m wire.Message)
}

// script is an MCP server over HTTP whose tools do what the test says.
type script struct {
	revision string // "" means 2026-07-28
	tools    map[string]tool

	mu    sync.Mutex
	calls []string // the params of each tools/call that came
	heads []http.Header
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m := wire.Parse(body)
	w.Header().Set("Content-Type", "application/json")
	switch m.Method {
	case "server/discover":
		if s.revision != "" {
			w.WriteHeader(http.StatusNotFound)
			break
		}
		w.Write(wire.Result(m.ID, json.RawMessage(`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"script","version":"1"}}}`)))
	case "initialize":
		w.Write(wire.Result(m.ID, json.RawMessage(`{"protocolVersion":"`+s.revision+`","capabilities":{"tools":{}},"serverInfo":{"name":"script","version":"1"}}`)))
	case "tools/list":
		w.Write(wire.Result(m.ID, s.list()))
	case "tools/call":
		s.call(w, r, m)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

func (s *script) list() json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	var tools []string
	for name, t := range s.tools {
		declared := t.declared
		if declared == "" {
			declared = `"inputSchema":{"type":"object"}`
		}
		tools = append(tools, fmt.Sprintf(`{"name":%q,%s}`, name, declared))
	}
	return json.RawMessage(`{"tools":[` + strings.Join(tools, ",") + `]}`)
}

func (s *script) call(w http.ResponseWriter, r *http.Request, m wire.Message) {
	name, _ := wire.Text(wire.Get(m.Params, "name"))
	s.mu.Lock()
	s.calls = append(s.calls, string(m.Params))
	s.heads = append(s.heads, r.Header)
	t, ok := s.tools[name]
	s.mu.Unlock()
	if !ok {
		w.Write(wire.Failure(m.ID, -32602, "Unknown tool: "+name, nil))
		return
	}
	t.call(w, r, m)
}

// made returns how often tools were called.
func (s *script) made() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls)
}

// gives is a tool that answers with the result.
func gives(declared, result string) tool {
	return tool{declared, func(w http.ResponseWriter, _ *http.Request, m wire.Message) {
		w.Write(wire.Result(m.ID, json.RawMessage(result)))
	}}
}

// says is a tool that answers with text.
func says(declared, text string) tool {
	return gives(declared, `{"content":[{"type":"text","text":`+string(wire.Quote(text))+`}]}`)
}

const (
	reads  = `"annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}`
	writes = `"annotations":{"readOnlyHint":false},"inputSchema":{"type":"object"}`
)

// bridge is a running bridge.
type bridge struct {
	url     string
	backend *mcptools.Backend
	keys    store.Keys
	close   func() // ends it before the test does
}

// setting changes how a bridge is made.
type setting struct {
	options func(*mcptools.Options)
	server  func(*openai.Options)
}

// start puts a bridge in front of the servers.
func start(t testing.TB, with setting, servers ...upstream.Config) *bridge {
	t.Helper()

	o := mcptools.Options{Keys: memory.New(time.Now), Seal: seal.New([]byte(strings.Repeat("k", 32)))}
	for i, c := range servers {
		c.Now, c.Random = time.Now, rand.Reader
		if c.ID == "" {
			c.ID = fmt.Sprint("server", i+1)
		}
		u, err := upstream.New(c)
		if err != nil {
			t.Fatal(err)
		}
		o.Upstreams = append(o.Upstreams, u)
	}
	if with.options != nil {
		with.options(&o)
	}
	backend, err := mcptools.New(o)
	if err != nil {
		t.Fatal(err)
	}
	so := openai.Options{Backends: []openai.Backend{backend}, Routes: []openai.Route{backend.Route()}}
	if with.server != nil {
		with.server(&so)
	}
	server, err := openai.New(so)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server)
	running := &bridge{web.URL, backend, o.Keys, sync.OnceFunc(func() {
		web.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := backend.Close(ctx); err != nil {
			t.Error(err)
		}
	})}
	t.Cleanup(running.close)
	return running
}

// at is a server at that handler.
func at(t testing.TB, h http.Handler) upstream.Config {
	t.Helper()
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	return upstream.Config{Target: dial.Target{URL: web.URL}}
}

// answer is what the bridge says.
type answer struct {
	status int
	head   http.Header
	body   json.RawMessage
}

// at walks into the body: at("choices", "0", "message").
func (a answer) at(path ...string) json.RawMessage {
	value := a.body
	for _, name := range path {
		var list []json.RawMessage
		var n int
		if _, err := fmt.Sscan(name, &n); err == nil && json.Unmarshal(value, &list) == nil && n < len(list) {
			value = list[n]
			continue
		}
		value = wire.Get(value, name)
	}
	return value
}

func (a answer) text(path ...string) string {
	s, _ := wire.Text(a.at(path...))
	return s
}

// result returns the n-th result, as the JSON that it is.
func (a answer) result(n int) string {
	return a.text("choices", "0", "message", "tool_calls", fmt.Sprint(n), "function", "arguments")
}

// call is one call in a request.
type call struct{ name, args, key string }

func body(calls ...call) string {
	var list []string
	for i, c := range calls {
		one := fmt.Sprintf(`{"id":"call_%d","type":"function","function":{"name":%s,"arguments":%s}`, i+1, wire.Quote(c.name), wire.Quote(c.args))
		if c.key != "" {
			one += `,"idempotency_key":` + string(wire.Quote(c.key))
		}
		list = append(list, one+"}")
	}
	return `{"model":"gpt-4","messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[` + strings.Join(list, ",") + `]}]}`
}

// post sends a body; head is pairs of names and values.
func (b *bridge) post(t testing.TB, body string, head ...string) answer {
	t.Helper()
	return b.postWith(t, context.Background(), body, head...)
}

func (b *bridge) postWith(t testing.TB, ctx context.Context, body string, head ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(head); i += 2 {
		req.Header.Set(head[i], head[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		if ctx.Err() == nil {
			t.Error(err)
		}
		return answer{}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return answer{resp.StatusCode, resp.Header, bytes.TrimSpace(raw)}
}

func (b *bridge) get(t testing.TB, path string) answer {
	t.Helper()
	resp, err := http.Get(b.url + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, raw}
}
