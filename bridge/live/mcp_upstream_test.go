package live_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/peerwright/peerwright/internal/wire"
)

// tool is a tool of a scripted server: what tools/list says of it, and what a call does.
type tool struct {
	declared string // without its name
	call     func(w http.ResponseWriter, r *http.Request, m wire.Message)
}

// script is an MCP server over HTTP, without sessions, whose tools do what the test says.
type script struct {
	tools map[string]tool

	mu    sync.Mutex
	calls []string // the params of each tools/call that came
	heads []http.Header
}

// serve serves it on a URL until the test ends.
func (s *script) serve(t testing.TB) string {
	t.Helper()
	web := httptest.NewUnstartedServer(s)
	web.Config.ErrorLog = log.New(io.Discard, "", 0) // of handlers that break off
	web.Start()
	t.Cleanup(web.Close)
	return web.URL
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m := wire.Parse(body)
	w.Header().Set("Content-Type", "application/json")
	switch m.Method {
	case "server/discover":
		w.Write(wire.Result(m.ID, json.RawMessage(`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"script","version":"1.2"}}}`)))
	case "tools/list":
		w.Write(wire.Result(m.ID, s.list(string(wire.Get(m.Params, "cursor")))))
	case "tools/call":
		s.call(w, r, m)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

// list gives the tools on two pages: the seed looked at the first alone.
func (s *script) list(cursor string) json.RawMessage {
	var pages [2][]string
	for name, t := range s.tools {
		page := len(name) % 2
		pages[page] = append(pages[page], fmt.Sprintf(`{"name":%q,%s}`, name, t.declared))
	}
	if cursor == "" {
		return json.RawMessage(`{"tools":[` + strings.Join(pages[0], ",") + `],"nextCursor":"second"}`)
	}
	return json.RawMessage(`{"tools":[` + strings.Join(pages[1], ",") + `]}`)
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

// last returns the params and the head of the last call.
func (s *script) last() (params string, head http.Header) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) == 0 {
		return "", http.Header{}
	}
	return s.calls[len(s.calls)-1], s.heads[len(s.heads)-1]
}

// gives is a tool that answers with the result, and says one that answers with text.
func gives(declared, result string) tool {
	return tool{declared, func(w http.ResponseWriter, _ *http.Request, m wire.Message) {
		w.Write(wire.Result(m.ID, json.RawMessage(result)))
	}}
}

func says(declared, text string) tool {
	return gives(declared, `{"content":[{"type":"text","text":`+string(wire.Quote(text))+`}]}`)
}

const (
	reads  = `"annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}`
	writes = `"annotations":{"readOnlyHint":false},"inputSchema":{"type":"object"}`
	bare   = `"inputSchema":{"type":"object"}` // only its name says what it does
)

// call is one call in a request.
type call struct{ name, args, key string }

func calls(list ...call) string {
	var made []string
	for i, c := range list {
		one := fmt.Sprintf(`{"id":"call_%d","type":"function","function":{"name":%s,"arguments":%s}`, i+1, wire.Quote(c.name), wire.Quote(c.args))
		if c.key != "" {
			one += `,"idempotency_key":` + string(wire.Quote(c.key))
		}
		made = append(made, one+"}")
	}
	return `{"model":"gpt-4","messages":[{"role":"assistant","content":null,"tool_calls":[` + strings.Join(made, ",") + `]}]}`
}
