package mcptools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/mcptools"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/wire"
)

// The request in the README of agno-relay, and its answer.
func TestOneCallAndItsAnswer(t *testing.T) {
	b := start(t, setting{}, at(t, &script{tools: map[string]tool{"list_repos": says("", "two repositories")}}))
	got := b.post(t, `{"model": "gpt-4","messages": [{"role": "assistant","content": null,"tool_calls": [
	 {"id": "call_1","type": "function","function": {"name": "list_repos","arguments": "{\"org\": \"acme\"}"}}]}]}`)
	if got.status != 200 || got.text("choices", "0", "message", "role") != "assistant" || string(got.at("choices", "0", "message", "content")) != "null" ||
		got.text("choices", "0", "finish_reason") != "tool_calls" || got.text("object") != "chat.completion" || got.text("model") != "gpt-4" {
		t.Errorf("%d %s", got.status, got.body)
	}
	calls := got.at("choices", "0", "message", "tool_calls")
	if want := `[{"id":"call_1","type":"function","function":{"name":"list_repos","arguments":"{\"result\":\"two repositories\"}"}}]`; string(calls) != want {
		t.Errorf("got  %s\nwant %s", calls, want)
	}
	if want := `[{"content":"{\"result\":\"two repositories\"}","role":"tool","tool_call_id":"call_1"}]`; string(got.at("tool_messages")) != want {
		t.Errorf("got  %s\nwant %s", got.at("tool_messages"), want)
	}
	report := got.at("peerwright", "calls", "0")
	if server, _ := wire.Text(wire.Get(report, "server")); server != "server1" || string(wire.Get(report, "attempts")) != "1" {
		t.Errorf("%s", report)
	}
}

// repos is the mock of agno-relay: five repositories on two pages, by nextPageToken.
func repos() tool {
	return tool{
		`"description":"Lists repositories.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"org":{"type":"string"},"pageToken":{"type":"string"}},"required":["org"]}`,
		func(w http.ResponseWriter, _ *http.Request, m wire.Message) {
			page := `{"items":[{"id":1},{"id":2},{"id":3}],"nextPageToken":"page2","total":5}`
			if token, _ := wire.Text(wire.Path(m.Params, "arguments", "pageToken")); token == "page2" {
				page = `{"items":[{"id":4},{"id":5}],"total":5}`
			}
			w.Write(wire.Result(m.ID, json.RawMessage(`{"content":[{"type":"text","text":`+string(wire.Quote(page))+`}]}`)))
		},
	}
}

// "The cursor is opaque - pass it back to continue iteration until has_more is false", as the
// README says.
func TestPages(t *testing.T) {
	s := &script{tools: map[string]tool{"list_repos": repos()}}
	b := start(t, setting{}, at(t, s))
	first := json.RawMessage(b.post(t, body(call{name: "list_repos", args: `{"org":"acme"}`})).result(0))
	cursor, _ := wire.Text(wire.Path(first, "pagination", "cursor"))
	if string(wire.Get(first, "data")) != `[{"id":1},{"id":2},{"id":3}]` || string(wire.Path(first, "pagination", "has_more")) != "true" ||
		!strings.HasPrefix(cursor, "pwc1.") || string(wire.Get(first, "total")) != "5" {
		t.Fatalf("%s", first)
	}
	for _, name := range []string{"cursor", "pageToken"} {
		next := json.RawMessage(b.post(t, body(call{name: "list_repos", args: fmt.Sprintf(`{"org":"acme",%q:%q}`, name, cursor)})).result(0))
		if string(wire.Get(next, "data")) != `[{"id":4},{"id":5}]` || string(wire.Get(next, "pagination")) != `{"has_more":false,"cursor":null}` {
			t.Errorf("%s: %s", name, next)
		}
	}
	made := s.made()
	for name, args := range map[string]string{
		"altered":        fmt.Sprintf(`{"org":"acme","cursor":%q}`, cursor[:len(cursor)-2]+"zz"),
		"of other repos": fmt.Sprintf(`{"org":"other","cursor":%q}`, cursor),
		"of nobody":      `{"org":"acme","cursor":"eyJwYWdlIjoyfQ=="}`,
	} {
		if got := b.post(t, body(call{name: "list_repos", args: args})); got.status != 422 || got.text("error", "class") != "invalid_args" || s.made() != made {
			t.Errorf("%s: %d %s after %d calls", name, got.status, got.body, s.made()-made)
		}
	}
}

func TestCursorsDoNotCrossCallers(t *testing.T) {
	b := start(t, setting{server: func(o *openai.Options) { o.Keys = []string{"alice-key", "bob-key"} }}, at(t, &script{tools: map[string]tool{"list_repos": repos()}}))
	first := json.RawMessage(b.post(t, body(call{name: "list_repos", args: `{"org":"acme"}`}), "X-API-Key", "alice-key").result(0))
	cursor, _ := wire.Text(wire.Path(first, "pagination", "cursor"))
	again := body(call{name: "list_repos", args: fmt.Sprintf(`{"org":"acme","cursor":%q}`, cursor)})
	if got := b.post(t, again, "X-API-Key", "bob-key"); got.text("error", "class") != "invalid_args" {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := b.post(t, again, "X-API-Key", "alice-key"); got.status != 200 {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// Lists go by what they hold, and not by the name of the tool.
func TestWhatIsAList(t *testing.T) {
	s := &script{tools: map[string]tool{
		"get_address": says(reads, `{"street":"Main","lines":["a","b"]}`), "list_notes": says(reads, "no notes yet"), "dump": says(reads, `[{"id":1}]`),
		"list_broken": gives(reads, `{"isError":true,"content":[{"type":"text","text":"the index is gone"}]}`),
	}}
	b := start(t, setting{}, at(t, s))
	for name, want := range map[string]string{
		"get_address": `{"result":{"street":"Main","lines":["a","b"]}}`,
		"list_notes":  `{"result":"no notes yet"}`,
		"dump":        `{"data":[{"id":1}],"pagination":{"has_more":false,"cursor":null}}`,
	} {
		if got := b.post(t, body(call{name: name})); got.result(0) != want {
			t.Errorf("%s: %s", name, got.body)
		}
	}
	if got := b.post(t, body(call{name: "list_broken"})); got.status != 422 || !strings.Contains(got.text("error", "message"), "the index is gone") {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// The list of functions shows what the seed never did: the tools, and which of them change
// something.
func TestTheListOfFunctions(t *testing.T) {
	s := &script{tools: map[string]tool{"list_repos": repos(), "issue.create": says(`"description":"Opens an issue.",`+writes, "x")}}
	b := start(t, setting{}, at(t, s))
	list := b.get(t, "/v1/tools")
	var found []struct {
		Type     string
		Function struct {
			Name, Description string
			Parameters        json.RawMessage
		}
		MCP struct {
			Server, Name string
			Mutates      bool
			Annotations  json.RawMessage
		}
	}
	if err := json.Unmarshal(list.at("data"), &found); err != nil || len(found) != 2 || list.text("object") != "list" {
		t.Fatalf("%s", list.body)
	}
	for _, f := range found {
		warned := strings.Contains(f.Function.Description, "X-Idempotency-Key") || strings.Contains(f.Function.Description, "idempot")
		switch f.MCP.Name {
		case "list_repos":
			if f.Function.Name != "list_repos" || f.MCP.Mutates || warned || wire.Path(f.Function.Parameters, "properties", "org") == nil {
				t.Errorf("%+v", f)
			}
		case "issue.create":
			if strings.Contains(f.Function.Name, ".") || !f.MCP.Mutates || !warned || f.MCP.Server != "server1" {
				t.Errorf("%+v", f)
			}
			for _, name := range []string{f.Function.Name, "issue.create"} {
				if got := b.post(t, body(call{name: name})); got.result(0) != `{"result":"x"}` {
					t.Errorf("%s: %s", name, got.body)
				}
			}
		}
	}
	if models := b.get(t, "/v1/models"); models.text("data", "0", "id") != "server1" || models.text("data", "0", "owned_by") != "script" {
		t.Errorf("%s", models.body)
	}
}

// Arguments are checked against the schema before anything is sent, and keep their digits.
func TestArguments(t *testing.T) {
	s := &script{tools: map[string]tool{"set_it": says(`"annotations":{"readOnlyHint":false},"inputSchema":{"type":"object","properties":{"n":{"type":"integer"},"deep":{"type":"array","items":{"type":"object","properties":{"k":{"type":"integer"}}}}},"required":["n"]}`, "done")}}
	b := start(t, setting{}, at(t, s))
	if got := b.post(t, body(call{name: "set_it", args: `{"m":1}`})); got.status != 422 || s.made() != 0 || !strings.Contains(got.text("error", "message"), "n") {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := b.post(t, body(call{name: "set_it", args: `{"n":"one"}`})); got.status != 422 || s.made() != 0 {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := b.post(t, body(call{name: "set_it", args: `{"n":2932809024865746956,"deep":[{"k":5.0}],"x":1.50}`})); got.status != 200 {
		t.Errorf("%d %s", got.status, got.body)
	}
	if want := `{"n":2932809024865746956,"deep":[{"k":5}],"x":1.50}`; string(wire.Get([]byte(s.calls[0]), "arguments")) != want {
		t.Errorf("sent %s", s.calls[0])
	}
}

// A result that does not fit its own schema is passed on, and said to be so.
func TestAResultThatDoesNotFit(t *testing.T) {
	s := &script{tools: map[string]tool{"get_n": gives(reads+`,"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`, `{"content":[],"structuredContent":{"n":"one"}}`)}}
	b := start(t, setting{}, at(t, s))
	got := b.post(t, body(call{name: "get_n"}))
	if got.result(0) != `{"result":{"n":"one"}}` || !strings.Contains(string(got.at("peerwright")), "outputSchema") {
		t.Errorf("%s", got.body)
	}
}

// A tool that came since the list was read is found, as is one that changed its schema.
func TestToolsThatCome(t *testing.T) {
	s := &script{tools: map[string]tool{"get_a": says(reads, "a")}}
	b := start(t, setting{options: func(o *mcptools.Options) { o.Fresh = time.Nanosecond }}, at(t, s))
	b.post(t, body(call{name: "get_a"}))
	s.mu.Lock()
	s.tools["get_b"] = says(reads, "b")
	s.tools["get_a"] = says(`"annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]}`, "a")
	s.mu.Unlock()
	if got := b.post(t, body(call{name: "get_b"})); got.result(0) != `{"result":"b"}` {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := b.post(t, body(call{name: "get_a", args: `{"x":1}`})); got.result(0) != `{"result":"a"}` {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// A server that hangs at its start holds up no call of another.
func TestAServerThatHangs(t *testing.T) {
	arrived, hold := make(chan struct{}, 100), make(chan struct{})
	stuck := at(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		arrived <- struct{}{}
		select {
		case <-hold:
		case <-r.Context().Done():
		}
	}))
	b := start(t, setting{}, at(t, &script{tools: map[string]tool{"get_a": says(reads, "a")}}), stuck)
	defer close(hold)
	go http.Get(b.url + "/v1/tools")
	<-arrived
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		got := b.postWith(t, ctx, body(call{name: "server1__get_a"}))
		cancel()
		if got.result(0) == `{"result":"a"}` {
			return
		}
		t.Fatalf("%d %s", got.status, got.body)
	}
}

// A walk of many pages by the one name or the other ends, and gives each item once.
func TestAWalkOfPages(t *testing.T) {
	numbered := tool{
		`"annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"page":{"type":"integer"},"q":{"type":"string"}}}`,
		func(w http.ResponseWriter, _ *http.Request, m wire.Message) {
			page := 1
			if raw := wire.Path(m.Params, "arguments", "page"); raw != nil {
				json.Unmarshal(raw, &page)
			}
			w.Write(wire.Result(m.ID, json.RawMessage(fmt.Sprintf(`{"content":[],"structuredContent":{"results":[%d,%d],"page":%d,"total_pages":4}}`, 2*page-1, 2*page, page))))
		},
	}
	b := start(t, setting{}, at(t, &script{tools: map[string]tool{"search": numbered}}))
	for _, name := range []string{"cursor", "page"} {
		var all []string
		args := `{"q":"x"}`
		for range 10 {
			got := json.RawMessage(b.post(t, body(call{name: "search", args: args})).result(0))
			all = append(all, string(wire.Get(got, "data")))
			cursor, more := wire.Text(wire.Path(got, "pagination", "cursor"))
			if !more {
				break
			}
			args = fmt.Sprintf(`{"q":"x",%q:%q}`, name, cursor)
		}
		if got := strings.Join(all, " "); got != "[1,2] [3,4] [5,6] [7,8]" {
			t.Errorf("by %s: %s", name, got)
		}
	}
}
