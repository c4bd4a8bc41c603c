package mcppeer

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/wire"
)

func call(name, arguments, meta string) string {
	if meta == "" {
		meta = "{}"
	}
	return `{"name":"` + name + `","arguments":` + arguments + `,"_meta":` + meta + `}`
}

// TestProgress asks for progress that grows, has the token it was asked with, and
// comes before the answer; and for none where no token was given.
func TestProgress(t *testing.T) {
	eachRevision(t, func(t *testing.T, p *probe) {
		for _, token := range []string{`"t"`, `7`, `0`} {
			r := p.call("tools/call", call("count_books", `{"steps":4}`, `{"progressToken":`+token+`}`))
			last := "0"
			for _, m := range r.messages[:len(r.messages)-1] {
				got := string(wire.Get(m.Params, "progress"))
				if m.Method != "notifications/progress" || string(wire.Get(m.Params, "progressToken")) != token || got <= last {
					t.Errorf("after %s: %s", last, m.Raw)
				}
				last = got
			}
			if last != "4" || r.last(t).Kind != wire.KindResult {
				t.Errorf("ended at %s: %s", last, r.body)
			}
		}
		if r := p.call("tools/call", call("count_books", `{"steps":4}`, "")); len(r.messages) != 1 {
			t.Errorf("without a token: %s", r.body)
		}
	})
}

// TestCancelHTTP asks that a cancelled call is not answered, and its stream closed.
func TestCancelHTTP(t *testing.T) {
	for _, revision := range legacyRevisions() {
		p := newProbe(t).legacy(revision)
		resp := p.start(t.Context(), http.MethodPost, nil, p.request(`"slow"`, "tools/call",
			call("wait_for_quiet", `{"milliseconds":10000}`, `{"progressToken":1}`)))
		p.post(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"slow"}}`)
		r := p.read(resp)
		_ = resp.Body.Close()
		for _, m := range r.messages {
			if m.IsResponse() {
				t.Errorf("%s: answered after all: %s", revision, m.Raw)
			}
		}
		if revision == rev2025c { // resuming does not bring the answer back
			if again := p.do(http.MethodGet, map[string]string{"Last-Event-ID": r.events[0]}, ""); len(again.messages) > 0 {
				t.Errorf("resumed: %s", again.body)
			}
		}
		if again := p.post(nil, p.request(`"slow"`, "tools/list", "")); again.last(t).Kind != wire.KindResult {
			t.Errorf("%s: the id is free again: %s", revision, again.body)
		}
	}
}

// TestCancelStdio asks the same over one channel.
func TestCancelStdio(t *testing.T) {
	for _, revision := range supported() {
		p := newStdio(t).ready(revision)
		p.line.write(t, p.request(`"slow"`, "tools/call", call("wait_for_quiet", `{"milliseconds":10000}`, "")))
		p.line.write(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"slow"}}`)
		if r := p.post(nil, p.request(`2`, "tools/call", call("count_books", `{"steps":20}`, ""))); len(r.messages) != 1 || r.last(t).ID.String() != "2" {
			t.Errorf("%s: %s", revision, r.body)
		}
	}
}

// TestDuplicateID asks that no request is given the answer of another.
func TestDuplicateID(t *testing.T) {
	for _, revision := range legacyRevisions() {
		t.Run("http/"+revision, func(t *testing.T) { t.Parallel(); duplicateHTTP(t, newProbe(t).legacy(revision)) })
	}
	for _, revision := range supported() {
		t.Run("stdio/"+revision, func(t *testing.T) { t.Parallel(); duplicateStdio(t, newStdio(t).ready(revision)) })
	}
}

func duplicateHTTP(t *testing.T, p *probe) {
	t.Helper()
	slow := p.start(t.Context(), http.MethodPost, nil, p.request("1", "tools/call", call("wait_for_quiet", `{"milliseconds":500}`, "")))
	defer func() { _ = slow.Body.Close() }()
	if r := p.call("tools/call", call("add_numbers", `{"a":1,"b":2}`, "")); r.code(t) != codeInvalidRequest || r.status != http.StatusBadRequest {
		t.Errorf("the second: %s", r.body)
	}
	if r := p.read(slow); !strings.Contains(r.body, "Waited") {
		t.Errorf("the first: %s", r.body)
	}
}

func duplicateStdio(t *testing.T, p *probe) {
	t.Helper()
	p.line.write(t, p.request("1", "tools/call", call("wait_for_quiet", `{"milliseconds":100}`, "")))
	if m := p.call("tools/list", "").last(t); m.Error == nil || m.Error.Code != codeInvalidRequest || m.ID.String() == "1" {
		t.Errorf("the second: %s", m.Raw)
	}
	if m := p.line.next(t); m.ID.String() != "1" || !strings.Contains(string(m.Raw), "Waited") {
		t.Errorf("the first: %s", m.Raw)
	}
}

// TestToolErrors asks where a revision puts arguments that do not fit.
func TestToolErrors(t *testing.T) {
	eachRevision(t, func(t *testing.T, p *probe) {
		r := p.call("tools/call", call("add_numbers", `{"a":"one"}`, ""))
		if p.revision < rev2025c {
			if r.code(t) != codeInvalidParams {
				t.Errorf("got %s", r.body)
			}
		} else if string(wire.Get(r.last(t).Result, "isError")) != "true" {
			t.Errorf("got %s", r.body)
		}
		if r := p.call("tools/call", call("open_locked_shelf", `{}`, "")); string(wire.Get(r.last(t).Result, "isError")) != "true" {
			t.Errorf("a tool that fails: %s", r.body)
		}
	})
}

// TestMissingResource asks for the code of the revision.
func TestMissingResource(t *testing.T) {
	uris := []string{"library://books/missing", "library://authors/missing", "other:thing", `library://books/\u0001\u007f\ue000`}
	eachRevision(t, func(t *testing.T, p *probe) {
		want := int64(codeResourceNotFound)
		if p.revision == revModern {
			want = codeInvalidParams
		}
		for _, uri := range uris {
			change := map[string]string{}
			if p.revision == revModern {
				change["Mcp-Name"] = encodeHeader(uri)
			}
			if r := p.post(change, p.request("1", "resources/read", `{"uri":"`+uri+`"}`)); r.code(t) != want || wire.Get(r.last(t).Error.Data, "uri") == nil {
				t.Errorf("%s: %s", uri, r.body)
			}
		}
	})
}

// TestContent asks that a session gets the types of content that its revision has.
func TestContent(t *testing.T) {
	eachRevision(t, func(t *testing.T, p *probe) {
		for _, c := range contents() {
			r := p.call("tools/call", call(c.name, `{}`, ""))
			isText := strings.Contains(string(r.last(t).Result), `"type":"text"`)
			if isText != (p.revision < c.revision) {
				t.Errorf("%s: %s", c.name, r.body)
			}
		}
		r := p.call("tools/call", call("list_books", `{}`, ""))
		if isArray := wire.Get(r.last(t).Result, "structuredContent")[0] == '['; isArray != (p.revision == revModern) {
			t.Errorf("list_books: %s", r.body)
		}
		if r := p.call("tools/call", call("say_nothing", `{}`, "")); string(wire.Get(r.last(t).Result, "content")) != "[]" {
			t.Errorf("say_nothing: %s", r.body)
		}
	})
}

// TestLog asks for log messages from the level that was set on, and none where none
// was.
func TestLog(t *testing.T) {
	eachRevision(t, func(t *testing.T, p *probe) {
		if r := p.call("tools/call", call("tell_the_log", `{}`, "")); len(r.messages) != 1 {
			t.Errorf("no level: %s", r.body)
		}
		meta := ""
		if p.revision == revModern {
			meta = `{"io.modelcontextprotocol/logLevel":"warning"}`
		} else if r := p.call("logging/setLevel", `{"level":"warning"}`); string(r.last(t).Result) != "{}" {
			t.Errorf("setLevel: %s", r.body)
		}
		if r := p.call("tools/call", call("tell_the_log", `{}`, meta)); len(r.messages) != 3 {
			t.Errorf("from warning on: %s", r.body)
		}
		if p.revision != revModern {
			if r := p.call("logging/setLevel", `{"level":"loud"}`); r.code(t) != codeInvalidParams {
				t.Errorf("bad level: %s", r.body)
			}
		}
	})
}

// encodeHeader writes a JSON string's value as a header that holds any characters.
func encodeHeader(inJSON string) string {
	plain, _ := wire.Text([]byte(`"` + inJSON + `"`))
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(plain)) + "?="
}
