package mcppeer

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/wire"
)

// TestUnopenedStdio asks what a server says that has not been told an era yet.
func TestUnopenedStdio(t *testing.T) {
	p := newStdio(t)
	tests := []struct {
		body string
		code int64
	}{
		{listTools, codeInvalidParams},
		{`{"jsonrpc":"2.0","id":1,"method":"no/such"}`, codeMethodNotFound},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, 0},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, codeInvalidParams},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}}`, codeUnsupportedVersion},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, codeInvalidParams},
	}
	for _, tt := range tests {
		if r := p.post(nil, tt.body); r.code(t) != tt.code {
			t.Errorf("%s: %s", tt.body, r.body)
		}
	}
}

// TestBothEras asks that a client which asked for the era first can still open a
// session, and that the modern requests go on beside it.
func TestBothEras(t *testing.T) {
	p := newStdio(t)
	modern := p.modern()
	if r := modern.call("server/discover", ""); string(wire.Get(r.last(t).Result, "resultType")) != `"complete"` {
		t.Fatalf("discover: %s", r.body)
	}
	legacy := p.legacy(rev2025b)
	if r := legacy.call("ping", ""); string(r.last(t).Result) != "{}" {
		t.Errorf("ping: %s", r.body)
	}
	if r := modern.call("ping", ""); r.code(t) != codeMethodNotFound {
		t.Errorf("modern ping: %s", r.body)
	}
	if r := legacy.post(nil, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`); r.code(t) != codeInvalidRequest {
		t.Errorf("a second initialize: %s", r.body)
	}
}

// TestTwoSubscriptions asks that two on one channel are told apart, and that one
// which is cancelled falls silent.
func TestTwoSubscriptions(t *testing.T) {
	p := newStdio(t).modern()
	p.line.write(t, p.request("1", "subscriptions/listen", `{"notifications":{"resourcesListChanged":true}}`))
	p.line.write(t, p.request(`"1"`, "subscriptions/listen", `{"notifications":{"resourcesListChanged":true}}`))
	for range 2 {
		if m := p.line.next(t); m.Method != "notifications/subscriptions/acknowledged" {
			t.Fatalf("got %s", m.Raw)
		}
	}
	heard := func(first, want string) {
		t.Helper()
		p.line.write(t, p.request("2", "tools/call", call("note_put", `{"name":"note","text":"x"}`, "")))
		got := map[string]bool{}
		for len(got) < strings.Count(want, " ")+2 { // the answer, and one notice for each subscription
			m := p.line.next(t)
			if m.IsResponse() {
				got["answer"] = true
				continue
			}
			got[string(wire.Path(m.Params, "_meta", metaSubscription))] = true
		}
		for _, id := range strings.Fields(want) {
			if !got[id] {
				t.Errorf("%s: %s heard nothing: %v", first, id, got)
			}
		}
	}
	heard("both", `1 "1"`)
	p.line.write(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	heard("one", `"1"`)
}

// TestEndOfInput asks that the server ends when its client does, after the last
// answer.
func TestEndOfInput(t *testing.T) {
	in := newStdio(t).modern().request("1", "tools/call", call("wait_for_quiet", `{"milliseconds":30}`, "")) + "\n\n" +
		newStdio(t).modern().request("2", "subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`)
	var out strings.Builder
	if err := New(Options{Step: time.Millisecond}).ServeStdio(t.Context(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "Waited for 30 ms") || strings.Contains(got, `"id":2`) {
		t.Errorf("got %s", got)
	}
}

// TestLongLine asks that a line of more than 64 KiB is a line like any other.
func TestLongLine(t *testing.T) {
	p := newStdio(t).modern()
	long := strings.Repeat("x", 200<<10)
	r := p.call("tools/call", call("tell_the_log", `{"about":"`+long+`"}`, `{"io.modelcontextprotocol/logLevel":"error"}`))
	if len(r.messages) != 2 || !strings.Contains(r.body, long) {
		t.Errorf("%d messages of %d bytes", len(r.messages), len(r.body))
	}
}

// TestGone asks that a server whose client does not read ends all the same.
func TestGone(t *testing.T) {
	r, w := io.Pipe()
	_ = r.Close()
	in := newStdio(t).modern().request("1", "tools/list", "")
	if err := New(Options{}).ServeStdio(t.Context(), strings.NewReader(in), w); err != nil {
		t.Fatal(err)
	}
}
