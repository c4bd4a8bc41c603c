package mcppeer

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/wire"
)

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// TestHeads sends what differs from a good request in its HTTP head only.
func TestHeads(t *testing.T) {
	tests := []struct {
		name, method string
		change       map[string]string
		legacy       int
		modern       int
	}{
		{"a good one", "POST", nil, 200, 200},
		{"any media type", "POST", map[string]string{"Accept": "*/*"}, 200, 200},
		{"wildcards and weights", "POST", map[string]string{"Accept": "application/*;q=0.5, text/event-stream"}, 200, 200},
		{"content type with a charset", "POST", map[string]string{"Content-Type": "application/json; charset=utf-8"}, 200, 200},
		{"JSON only", "POST", map[string]string{"Accept": "application/json"}, 406, 406},
		{"plain text", "POST", map[string]string{"Content-Type": "text/plain"}, 415, 415},
		{"no content type", "POST", map[string]string{"Content-Type": ""}, 415, 415},
		{"foreign origin", "POST", map[string]string{"Origin": "https://evil.example"}, 403, 403},
		{"origin null", "POST", map[string]string{"Origin": "null"}, 403, 403},
		{"local origin", "POST", map[string]string{"Origin": "http://localhost:3000"}, 200, 200},
		{"foreign origin, GET", "GET", map[string]string{"Origin": "https://evil.example"}, 403, 403},
		{"version unknown", "POST", map[string]string{"MCP-Protocol-Version": "1999-01-01"}, 400, 400},
		{"version garbage", "POST", map[string]string{"MCP-Protocol-Version": "latest"}, 400, 400},
		{"session unknown", "POST", map[string]string{"Mcp-Session-Id": "no-such-session"}, 404, 200},
		{"session missing", "POST", map[string]string{"Mcp-Session-Id": ""}, 400, 200},
		{"GET without a session", "GET", map[string]string{"Mcp-Session-Id": ""}, 405, 405},
		{"GET of an unknown session", "GET", map[string]string{"Mcp-Session-Id": "no-such-session"}, 404, 405},
		{"DELETE without a session", "DELETE", map[string]string{"Mcp-Session-Id": ""}, 405, 405},
		{"PUT", "PUT", nil, 405, 405},
		{"Last-Event-ID on a POST", "POST", map[string]string{"Last-Event-ID": "x_1"}, 200, 200},
	}
	eachHTTP(t, func(t *testing.T, p *probe) {
		for _, tt := range tests {
			body, want := p.request("1", "tools/list", ""), tt.legacy
			if p.revision == revModern {
				want = tt.modern
			}
			if tt.method != http.MethodPost {
				body = ""
			}
			if r := p.do(tt.method, tt.change, body); r.status != want {
				t.Errorf("%s: %d, want %d: %s", tt.name, r.status, want, r.body)
			}
		}
	})
}

// TestUnopened asks that nothing but initialize is served without a session.
func TestUnopened(t *testing.T) {
	p := newProbe(t)
	for _, body := range []string{listTools, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`} {
		if r := p.post(nil, body); r.status != http.StatusBadRequest {
			t.Errorf("%s: %d", body, r.status)
		}
	}
}

// TestNegotiation asks for a version that the server has, whatever was asked for.
func TestNegotiation(t *testing.T) {
	p := newProbe(t)
	for _, requested := range []string{"1.0", "2099-01-01", "", revModern} {
		r := p.post(nil, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+requested+
			`","capabilities":{},"clientInfo":{"name":"probe","version":"1"}}}`)
		if got, _ := wire.Text(wire.Get(r.last(t).Result, "protocolVersion")); r.status != http.StatusOK || got != rev2025c {
			t.Errorf("%q: %d %s", requested, r.status, r.body)
		}
	}
	bad := p.post(nil, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`)
	if bad.code(t) != codeInvalidParams || bad.header.Get("Mcp-Session-Id") != "" {
		t.Errorf("without a version: %s", bad.body)
	}
}

// TestInitializeTwice asks that a session opens once.
func TestInitializeTwice(t *testing.T) {
	p := newProbe(t).legacy(rev2025c)
	r := p.post(nil, `{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`)
	if r.code(t) != codeInvalidRequest {
		t.Errorf("got %s", r.body)
	}
}

// TestSessionEnds asks that a session is gone after DELETE, with all that ran in it.
func TestSessionEnds(t *testing.T) {
	p := newProbe(t).legacy(rev2025c)
	for _, c := range p.session {
		if c < 0x21 || c > 0x7e {
			t.Errorf("session id %q", p.session)
		}
	}
	slow := p.start(t.Context(), http.MethodPost, nil, p.request("5", "tools/call", `{"name":"wait_for_quiet","arguments":{"milliseconds":10000}}`))
	defer func() { _ = slow.Body.Close() }()
	if r := p.do(http.MethodDelete, nil, ""); r.status != http.StatusNoContent {
		t.Errorf("DELETE: %d %s", r.status, r.body)
	}
	if got := p.read(slow); len(got.messages) > 0 {
		t.Errorf("a call of an ended session was answered: %s", got.body)
	}
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		if r := p.do(method, nil, listTools); r.status != http.StatusNotFound {
			t.Errorf("%s after DELETE: %d", method, r.status)
		}
	}
}

// TestModernHeaders sends requests of 2026-07-28 that are wrong in one thing.
func TestModernHeaders(t *testing.T) {
	p := newProbe(t).modern()
	call := p.request("1", "tools/call", `{"name":"shelf_report","arguments":{"shelf":"west"}}`)
	param := map[string]string{"Mcp-Param-Shelf": "west"}
	change := func(name, value string) map[string]string {
		return map[string]string{"Mcp-Param-Shelf": "west", name: value}
	}
	tests := []struct {
		name   string
		change map[string]string
		body   string
		code   int64
		status int
	}{
		{"good", param, call, 0, 200},
		{"encoded name", change("Mcp-Name", "=?base64?c2hlbGZfcmVwb3J0?="), call, 0, 200},
		{"encoded parameter", change("Mcp-Param-Shelf", "=?base64?d2VzdA==?="), call, 0, 200},
		{"unknown parameter header", change("Mcp-Param-Else", "x"), call, 0, 200},
		{"no version header", change("MCP-Protocol-Version", ""), call, codeHeaderMismatch, 400},
		{"version header of another revision", change("MCP-Protocol-Version", "2025-11-25"), call, codeHeaderMismatch, 400},
		{"no method header", change("Mcp-Method", ""), call, codeHeaderMismatch, 400},
		{"wrong method header", change("Mcp-Method", "tools/list"), call, codeHeaderMismatch, 400},
		{"method header in capitals", change("Mcp-Method", "TOOLS/CALL"), call, codeHeaderMismatch, 400},
		{"no name header", change("Mcp-Name", ""), call, codeHeaderMismatch, 400},
		{"wrong name header", change("Mcp-Name", "add_numbers"), call, codeHeaderMismatch, 400},
		{"name header that is not ASCII", change("Mcp-Name", "sh\u00e9lf_report"), call, codeHeaderMismatch, 400},
		{"name header of broken Base64", change("Mcp-Name", "=?base64?%%%?="), call, codeHeaderMismatch, 400},
		{"no parameter header", nil, call, codeHeaderMismatch, 400},
		{"wrong parameter header", change("Mcp-Param-Shelf", "east"), call, codeHeaderMismatch, 400},
		{"no _meta", map[string]string{"Mcp-Method": "tools/list", "MCP-Protocol-Version": revModern}, listTools, codeInvalidParams, 400},
		{"no capabilities", nil, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, codeInvalidParams, 400},
		{
			"unknown revision",
			map[string]string{"MCP-Protocol-Version": "2099-01-01"},
			strings.Replace(p.request("1", "tools/list", ""), revModern, "2099-01-01", 1), codeUnsupportedVersion, 400,
		},
		{
			"old revision",
			map[string]string{"MCP-Protocol-Version": "1999-01-01"},
			strings.Replace(p.request("1", "tools/list", ""), revModern, "1999-01-01", 1), codeUnsupportedVersion, 400,
		},
		{"ping", nil, p.request("1", "ping", ""), codeMethodNotFound, 404},
		{"initialize", nil, p.request("1", "initialize", ""), codeMethodNotFound, 404},
		{"logging/setLevel", nil, p.request("1", "logging/setLevel", `{"level":"info"}`), codeMethodNotFound, 404},
		{"resources/subscribe", nil, p.request("1", "resources/subscribe", `{"uri":"x:y"}`), codeMethodNotFound, 404},
		{"a response", map[string]string{"Mcp-Method": "x"}, `{"jsonrpc":"2.0","id":1,"result":{}}`, codeInvalidRequest, 400},
	}
	for _, tt := range tests {
		if r := p.post(tt.change, tt.body); r.status != tt.status || r.code(t) != tt.code {
			t.Errorf("%s: %d %s", tt.name, r.status, r.body)
		}
	}
	r := p.post(map[string]string{"MCP-Protocol-Version": "2099-01-01"}, strings.Replace(p.request("1", "tools/list", ""), revModern, "2099-01-01", 1))
	if data := string(r.last(t).Error.Data); !strings.Contains(data, `"requested":"2099-01-01"`) || !strings.Contains(data, `"supported":["2026-07-28"`) {
		t.Errorf("data of an unsupported version: %s", data)
	}
}

// TestModernResults asks what every result of 2026-07-28 carries.
func TestModernResults(t *testing.T) {
	p := newProbe(t).modern()
	tests := []struct {
		method, params string
		cached         bool
	}{
		{"server/discover", "", true},
		{"tools/list", "", true},
		{"resources/list", "", true},
		{"resources/templates/list", "", true},
		{"prompts/list", "", true},
		{"resources/read", `{"uri":"library://books/emma"}`, true},
		{"tools/call", `{"name":"add_numbers","arguments":{"a":1,"b":2}}`, false},
		{"prompts/get", `{"name":"explain_ink"}`, false},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"summarise_book"},"argument":{"name":"book","value":"e"}}`, false},
	}
	for _, tt := range tests {
		r := p.call(tt.method, tt.params)
		result := r.last(t).Result
		if r.status != http.StatusOK || string(wire.Get(result, "resultType")) != `"complete"` || r.header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: %d %s", tt.method, r.status, r.body)
		}
		if got := string(wire.Get(result, "ttlMs")) + string(wire.Get(result, "cacheScope")); tt.cached != (got == `60000"public"`) {
			t.Errorf("%s: caching %s", tt.method, got)
		}
		if strings.HasPrefix(r.header.Get("Content-Type"), "text/event-stream") && r.header.Get("X-Accel-Buffering") != "no" {
			t.Errorf("%s: X-Accel-Buffering %q", tt.method, r.header.Get("X-Accel-Buffering"))
		}
		if len(r.events) > 0 {
			t.Errorf("%s: event ids %v", tt.method, r.events)
		}
	}
}

// event is a message of a stream, and the id of its event.
type event struct {
	id string
	wire.Message
}

// readEvents hands out the messages of a stream one by one.
func readEvents(resp *http.Response) <-chan event {
	out := make(chan event)
	go func() {
		defer close(out)
		id := ""
		for lines := bufio.NewReader(resp.Body); ; {
			line, err := lines.ReadString('\n')
			line = strings.TrimSuffix(line, "\n")
			if value, ok := strings.CutPrefix(line, "id: "); ok {
				id = value
			}
			if data, ok := strings.CutPrefix(line, "data: "); ok && data != "" {
				out <- event{id, wire.Parse([]byte(data))}
			}
			if err != nil {
				return
			}
		}
	}()
	return out
}

// next is the next message, or the zero one when the stream has ended.
func next(t *testing.T, from <-chan event) event {
	t.Helper()
	select {
	case m := <-from:
		return m
	case <-time.After(10 * time.Second):
		t.Fatal("nothing came")
		return event{}
	}
}

// TestListen asks what a subscription of 2026-07-28 must say, and in what order.
func TestListen(t *testing.T) {
	p := newProbe(t).modern()
	for _, id := range []string{`7`, `"seven"`} {
		ctx, stop := context.WithCancel(t.Context())
		resp := p.start(ctx, http.MethodPost, nil, p.request(id, "subscriptions/listen", `{"notifications":{"resourceSubscriptions":["library://books/emma"]}}`))
		stream := readEvents(resp)
		for i, method := range []string{"notifications/subscriptions/acknowledged", "notifications/resources/updated", "notifications/resources/updated"} {
			m := next(t, stream)
			if m.Method != method || string(wire.Path(m.Params, "_meta", metaSubscription)) != id {
				t.Errorf("message %d: %s", i, m.Raw)
			}
		}
		stop()
		for range stream { // until the server lets go
		}
		_ = resp.Body.Close()
	}
	none := p.call("subscriptions/listen", `{"notifications":{}}`)
	if m := none.last(t); len(none.messages) != 2 || string(wire.Path(m.Result, "_meta", metaSubscription)) != "1" {
		t.Errorf("an empty filter: %s", none.body)
	}
}
