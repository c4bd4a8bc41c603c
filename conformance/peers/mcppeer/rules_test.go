package mcppeer

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/wire"
)

// eachRevision runs the test once for every revision and transport, with a probe
// that is ready to ask.
func eachRevision(t *testing.T, test func(t *testing.T, p *probe)) {
	t.Helper()
	eachHTTP(t, test)
	for _, revision := range supported() {
		t.Run("stdio/"+revision, func(t *testing.T) { test(t, newStdio(t).ready(revision)) })
	}
}

func eachHTTP(t *testing.T, test func(t *testing.T, p *probe)) {
	t.Helper()
	base := newProbe(t)
	for _, revision := range supported() {
		t.Run("http/"+revision, func(t *testing.T) {
			p := &probe{t: t, url: base.url}
			test(t, p.ready(revision))
		})
	}
}

func (p *probe) ready(revision string) *probe {
	if revision == revModern {
		return p.modern()
	}
	return p.legacy(revision)
}

// TestErrors asks each revision for each error that has a code.
func TestErrors(t *testing.T) {
	tests := []struct {
		name, method, params string
		code                 int64
	}{
		{"invalid cursor, tools", "tools/list", `{"cursor":"no-such-cursor"}`, codeInvalidParams},
		{"invalid cursor, resources", "resources/list", `{"cursor":"no-such-cursor"}`, codeInvalidParams},
		{"invalid cursor, templates", "resources/templates/list", `{"cursor":"no-such-cursor"}`, codeInvalidParams},
		{"invalid cursor, prompts", "prompts/list", `{"cursor":"no-such-cursor"}`, codeInvalidParams},
		{"empty cursor", "tools/list", `{"cursor":""}`, codeInvalidParams},
		{"cursor that is no string", "tools/list", `{"cursor":7}`, codeInvalidParams},
		{"unknown method", "no/such/method", `{}`, codeMethodNotFound},
		{"a notification with an id", "notifications/initialized", `{}`, codeMethodNotFound},
		{"unknown tool", "tools/call", `{"name":"no_such_tool","arguments":{}}`, codeInvalidParams},
		{"tool without a name", "tools/call", `{"arguments":{}}`, codeInvalidParams},
		{"tool name that is no string", "tools/call", `{"name":1}`, codeInvalidParams},
		{"arguments that are no object", "tools/call", `{"name":"add_numbers","arguments":[1]}`, codeInvalidParams},
		{"unknown prompt", "prompts/get", `{"name":"no_such_prompt"}`, codeInvalidParams},
		{"prompt without its argument", "prompts/get", `{"name":"summarise_book","arguments":{}}`, codeInvalidParams},
		{"prompt argument that is no string", "prompts/get", `{"name":"summarise_book","arguments":{"book":1}}`, codeInvalidParams},
		{"resource without a uri", "resources/read", `{}`, codeInvalidParams},
		{"unknown completion ref", "completion/complete", `{"ref":{"type":"ref/prompt","name":"no"},"argument":{"name":"a","value":""}}`, codeInvalidParams},
		{"completion ref of no type", "completion/complete", `{"ref":{"type":"ref/x","name":"no"},"argument":{"name":"a","value":""}}`, codeInvalidParams},
		{"completion without argument", "completion/complete", `{"ref":{"type":"ref/prompt","name":"summarise_book"}}`, codeInvalidParams},
		{"progress token of a wrong type", "tools/list", `{"_meta":{"progressToken":{}}}`, codeInvalidParams},
	}
	eachRevision(t, func(t *testing.T, p *probe) {
		for _, tt := range tests {
			r := p.call(tt.method, tt.params)
			if r.code(t) != tt.code || r.last(t).ID.String() != "1" {
				t.Errorf("%s: got %s", tt.name, r.body)
			}
			if want := statusFor(p.revision, tt.code); p.line == nil && r.status != want {
				t.Errorf("%s: status %d, want %d", tt.name, r.status, want)
			}
		}
	})
}

// statusFor is the HTTP status that goes with the code.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
func statusFor(revision string, code int64) int {
	switch {
	case code == codeParse || code == codeInvalidRequest:
		return http.StatusBadRequest
	case revision != revModern:
		return http.StatusOK
	case code == codeMethodNotFound:
		return http.StatusNotFound
	default:
		return http.StatusBadRequest
	}
}

// TestEnvelopes sends what is no request of JSON-RPC 2.0.
func TestEnvelopes(t *testing.T) {
	tests := []struct {
		name, body string
		code       int64
	}{
		{"not JSON", `{"jsonrpc":"2.0","id":1,`, codeParse},
		{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"x\":\"\xff\"}", codeParse},
		{"a number", `7`, codeInvalidRequest},
		{"an empty object", `{}`, codeInvalidRequest},
		{"wrong version", `{"jsonrpc":"1.0","id":1,"method":"tools/list"}`, codeInvalidRequest},
		{"no version", `{"id":1,"method":"tools/list"}`, codeInvalidRequest},
		{"method that is no string", `{"jsonrpc":"2.0","id":1,"method":1}`, codeInvalidRequest},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"tools/list"}`, codeInvalidRequest},
		{"id that is an object", `{"jsonrpc":"2.0","id":{},"method":"tools/list"}`, codeInvalidRequest},
		{"id that is no integer", `{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}`, codeInvalidRequest},
		{"id true", `{"jsonrpc":"2.0","id":true,"method":"tools/list"}`, codeInvalidRequest},
		{"params that are a string", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":"x"}`, codeInvalidParams},
		{"params that are an array", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}`, codeInvalidParams},
		{"an empty batch", `[]`, codeInvalidRequest},
		{"nested too deeply", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":` + strings.Repeat(`{"a":`, 600) + `1` + strings.Repeat("}", 600) + `}`, codeInvalidRequest},
	}
	eachRevision(t, func(t *testing.T, p *probe) {
		for _, tt := range tests {
			if r := p.post(map[string]string{"Mcp-Method": methodHeader(p, tt.body)}, tt.body); r.code(t) != tt.code {
				t.Errorf("%s: %d %s", tt.name, r.status, r.body)
			}
		}
	})
}

func methodHeader(p *probe, body string) string {
	if m := wire.Parse([]byte(body)); p.revision == revModern && m.Method != "" {
		return m.Method
	}
	if p.revision == revModern {
		return "tools/list"
	}
	return ""
}

// TestIDs asks that ids come back with the type and the digits they were sent in.
func TestIDs(t *testing.T) {
	ids := []string{
		`"1"`, `1`, `0`, `-5`, `""`, `"007"`, `9007199254740993`, `123456789012345678901234567890`,
		`"1|x|2"`, `"\u00e9\"<>&"`, `"` + strings.Repeat("long", 1000) + `"`,
	}
	eachRevision(t, func(t *testing.T, p *probe) {
		for _, id := range ids {
			for _, method := range []string{"tools/list", "no/such/method"} {
				if got := p.post(nil, p.request(id, method, "")).last(t).ID.String(); got != id {
					t.Errorf("%s: id %.40s came back as %.40s", method, id, got)
				}
			}
		}
	})
}

// TestBatches asks that only 2025-03-26 takes batches.
func TestBatches(t *testing.T) {
	batch := `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":"b","method":"tools/list"},` +
		`{"jsonrpc":"2.0","id":3,"method":"nope"},{"jsonrpc":"1.0","id":4,"method":"ping"},7]`
	eachRevision(t, func(t *testing.T, p *probe) {
		r := p.post(map[string]string{"Mcp-Method": methodHeader(p, batch)}, batch)
		if p.revision != rev2025a {
			if r.code(t) != codeInvalidRequest {
				t.Errorf("got %d %s", r.status, r.body)
			}
			return
		}
		got := map[string]int64{}
		for _, m := range r.messages {
			got[m.ID.String()] = 0
			if m.Error != nil {
				got[m.ID.String()] = m.Error.Code
			}
		}
		want := map[string]int64{"1": 0, `"b"`: 0, "3": codeMethodNotFound, "4": codeInvalidRequest, "null": codeInvalidRequest}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %v, want %v: %s", got, want, r.body)
		}
	})
}

// TestNotifications asks for 202 and nothing else, whatever the notification.
func TestNotifications(t *testing.T) {
	eachRevision(t, func(t *testing.T, p *probe) {
		for _, method := range []string{"notifications/cancelled", "notifications/progress", "notifications/no/such", "tools/list"} {
			r := p.post(nil, `{"jsonrpc":"2.0","method":"`+method+`","params":{"requestId":77,"progressToken":1,"progress":1}}`)
			if r.status != http.StatusAccepted || r.body != "" {
				t.Errorf("%s: %d %q", method, r.status, r.body)
			}
		}
	})
}

// TestPages walks every list to its end.
func TestPages(t *testing.T) {
	lists := map[string]string{"tools/list": "tools", "resources/list": "resources", "resources/templates/list": "resourceTemplates", "prompts/list": "prompts"}
	eachRevision(t, func(t *testing.T, p *probe) {
		for method, member := range lists {
			seen, pages, params := map[string]bool{}, 0, ""
			for {
				result := p.call(method, params).last(t).Result
				items, err := itemsOf(wire.Get(result, member))
				if err != nil || len(items) == 0 || len(items) > 5 {
					t.Fatalf("%s: page of %d items, %v: %s", method, len(items), err, result)
				}
				for _, item := range items {
					seen[item] = true
				}
				pages++
				next := wire.Get(result, "nextCursor")
				if next == nil {
					break
				}
				params = `{"cursor":` + string(next) + `}`
			}
			if pages < 3 || len(seen) < 2*5+1 {
				t.Errorf("%s: %d items on %d pages", method, len(seen), pages)
			}
		}
	})
}

func itemsOf(raw []byte) ([]string, error) {
	var names []string
	m := wire.Parse(append(append([]byte{}, raw...), ' '))
	for _, item := range m.Batch {
		names = append(names, string(wire.Get(item.Raw, "name")))
	}
	return names, nil
}

// TestCursorOfAnotherList asks that a cursor is good for its own list only.
func TestCursorOfAnotherList(t *testing.T) {
	eachRevision(t, func(t *testing.T, p *probe) {
		next := wire.Get(p.call("tools/list", "").last(t).Result, "nextCursor")
		if r := p.call("prompts/list", `{"cursor":`+string(next)+`}`); r.code(t) != codeInvalidParams {
			t.Errorf("got %s", r.body)
		}
	})
}
