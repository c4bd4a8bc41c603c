package mcppeer

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/rawjson"
	"github.com/peerwright/peerwright/internal/wire"
)

// probe speaks raw HTTP to a server of the package.
type probe struct {
	t        *testing.T
	url      string
	revision string
	session  string
	line     *stdioProbe // nil over HTTP
}

func newProbe(t *testing.T) *probe {
	t.Helper()
	srv := httptest.NewServer(New(Options{Step: time.Millisecond}).Handler())
	t.Cleanup(srv.CloseClientConnections)
	t.Cleanup(srv.Close)
	return &probe{t: t, url: srv.URL + "/mcp"}
}

// reply is the answer to one HTTP request, read to its end.
type reply struct {
	status   int
	header   http.Header
	body     string
	messages []wire.Message
	events   []string // their ids
}

// last is the last message of the answer.
func (r reply) last(t *testing.T) wire.Message {
	t.Helper()
	if len(r.messages) == 0 {
		t.Fatalf("no message in the answer: %d %q", r.status, r.body)
	}
	return r.messages[len(r.messages)-1]
}

func (r reply) code(t *testing.T) int64 {
	t.Helper()
	if m := r.last(t); m.Error != nil {
		return m.Error.Code
	}
	return 0
}

// legacy is a probe with an open session.
func (p *probe) legacy(revision string) *probe {
	p.t.Helper()
	r := p.post(nil, `{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"`+revision+
		`","capabilities":{},"clientInfo":{"name":"probe","version":"1"}}}`)
	if got, _ := wire.Text(wire.Get(r.last(p.t).Result, "protocolVersion")); got != revision {
		p.t.Fatalf("initialize %s: %s", revision, r.body)
	}
	s := &probe{t: p.t, url: p.url, revision: revision, line: p.line, session: r.header.Get("Mcp-Session-Id")}
	s.post(nil, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

// modern is a probe that opens nothing.
func (p *probe) modern() *probe {
	return &probe{t: p.t, url: p.url, revision: revModern, line: p.line}
}

// request builds a request that is right in all but what params make of it.
func (p *probe) request(id, method, params string) string {
	if params == "" {
		params = "{}"
	}
	if p.revision == revModern {
		meta := []byte(modernMeta)
		for _, m := range members(wire.Get([]byte(params), "_meta")) {
			meta = rawjson.With(meta, m.Name, m.Value)
		}
		params = string(rawjson.With([]byte(params), "_meta", meta))
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`
}

func members(raw []byte) []wire.Member {
	list, _ := wire.Members(raw)
	return list
}

const modernMeta = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// headers are the headers that go with a body.
func (p *probe) headers(body string) http.Header {
	h := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if p.session != "" {
		h.Set("Mcp-Session-Id", p.session)
	}
	if p.revision != "" {
		h.Set("MCP-Protocol-Version", p.revision)
	}
	if m := wire.Parse([]byte(body)); p.revision == revModern && m.Method != "" {
		h.Set("Mcp-Method", m.Method)
		if name, ok := wire.Text(nameOf(m)); ok {
			h.Set("Mcp-Name", name)
		}
	}
	return h
}

// post sends a body with the headers that go with it, each of change set or, when
// it is empty, left out.
func (p *probe) post(change map[string]string, body string) reply {
	p.t.Helper()
	if p.line != nil {
		return p.line.ask(p.t, body)
	}
	return p.do(http.MethodPost, change, body)
}

func (p *probe) do(method string, change map[string]string, body string) reply {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 10*time.Second)
	defer cancel()
	resp := p.start(ctx, method, change, body)
	defer func() { _ = resp.Body.Close() }()
	return p.read(resp)
}

// start sends a request and returns as soon as the head of the answer is there.
func (p *probe) start(ctx context.Context, method string, change map[string]string, body string) *http.Response {
	p.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, p.url, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header = p.headers(body)
	for name, value := range change {
		req.Header.Set(name, value)
		if value == "" {
			req.Header.Del(name)
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatalf("%s %s: %v", method, body, err)
	}
	return resp
}

func (p *probe) read(resp *http.Response) reply {
	p.t.Helper()
	r := reply{status: resp.StatusCode, header: resp.Header}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		lines := bufio.NewReader(resp.Body)
		for {
			line, err := lines.ReadString('\n')
			r.body += line
			r.event(strings.TrimSuffix(line, "\n"))
			if err != nil {
				return r
			}
		}
	}
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatalf("reading the answer: %v", err)
	}
	r.body = string(raw)
	if json.Valid(raw) {
		r.messages = append(r.messages, wire.Parse(raw))
	}
	return r
}

func (r *reply) event(line string) {
	if id, ok := strings.CutPrefix(line, "id: "); ok {
		r.events = append(r.events, id)
	}
	if data, ok := strings.CutPrefix(line, "data: "); ok && data != "" {
		r.messages = append(r.messages, wire.Parse([]byte(data)))
	}
}

// call sends a right request and returns the answer to it.
func (p *probe) call(method, params string) reply {
	p.t.Helper()
	return p.post(nil, p.request("1", method, params))
}
