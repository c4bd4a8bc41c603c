package mcppeer

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/wire"
)

const opening = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"probe","version":"1"}}}`

// variant is a probe of a server with options, over HTTP and over stdio.
func variant(t *testing.T, o Options) map[string]*probe {
	t.Helper()
	o.Step = time.Millisecond
	srv := httptest.NewServer(New(o).Handler())
	t.Cleanup(srv.CloseClientConnections)
	t.Cleanup(srv.Close)
	return map[string]*probe{"http": {t: t, url: srv.URL}, "stdio": newStdioOf(t, o)}
}

// TestModernOnly asks a server without sessions for what only such a one owes.
func TestModernOnly(t *testing.T) {
	for transport, p := range variant(t, Options{ModernOnly: true}) {
		r := p.post(nil, opening)
		if r.code(t) != codeUnsupportedVersion || !strings.Contains(r.body, `"supported":["2026-07-28"]`) {
			t.Errorf("%s: initialize: %s", transport, r.body)
		}
		m := p.modern()
		if r := m.call("server/discover", ""); string(wire.Get(r.last(t).Result, "supportedVersions")) != `["2026-07-28"]` {
			t.Errorf("%s: discover: %s", transport, r.body)
		}
		if r := m.call("ping", ""); r.code(t) != codeMethodNotFound {
			t.Errorf("%s: ping: %s", transport, r.body)
		}
		if p.line != nil {
			continue
		}
		for _, method := range []string{http.MethodGet, http.MethodDelete} {
			if r := p.do(method, map[string]string{"Mcp-Session-Id": "x"}, ""); r.status != http.StatusMethodNotAllowed {
				t.Errorf("%s: %d", method, r.status)
			}
		}
		if r := m.post(map[string]string{"Mcp-Session-Id": "x"}, m.request("1", "tools/list", "")); r.status != http.StatusOK {
			t.Errorf("a session: %d %s", r.status, r.body)
		}
	}
}

// TestToolsOnly asks that what is not declared is not there.
func TestToolsOnly(t *testing.T) {
	for transport, p := range variant(t, Options{ToolsOnly: true}) {
		for _, revision := range []string{rev2025c, revModern} {
			if revision == rev2025c {
				p.revision = ""
			}
			q := p.ready(revision)
			for _, method := range []string{"resources/list", "resources/templates/list", "prompts/list"} {
				if r := q.call(method, ""); r.code(t) != codeMethodNotFound {
					t.Errorf("%s %s: %s: %s", transport, revision, method, r.body)
				}
			}
			if r := q.call("completion/complete", `{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a","value":""}}`); r.code(t) != codeMethodNotFound {
				t.Errorf("%s %s: completion: %s", transport, revision, r.body)
			}
			if r := q.call("tools/call", call("house_motto", "{}", "")); r.last(t).Kind != wire.KindResult {
				t.Errorf("%s %s: a tool: %s", transport, revision, r.body)
			}
		}
		found := p.modern().call("server/discover", "").last(t).Result
		if declared := string(wire.Get(found, "capabilities")); declared != `{"tools":{}}` {
			t.Errorf("%s: declared %s", transport, declared)
		}
	}
}

// TestBadLogLevel asks that a level which is none is refused in 2026-07-28 too.
func TestBadLogLevel(t *testing.T) {
	p := newProbe(t).modern()
	if r := p.call("tools/list", `{"_meta":{"io.modelcontextprotocol/logLevel":"loud"}}`); r.code(t) != codeInvalidParams {
		t.Errorf("got %s", r.body)
	}
}
