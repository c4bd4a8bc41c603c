package mcptools_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/peerwright/peerwright/bridge/mcptools"
	"github.com/peerwright/peerwright/internal/wire"
)

// Each class of failure, as the server gives it and as the caller gets it: the table in the
// README of agno-relay.
func TestEachClassOfFailure(t *testing.T) {
	status := func(code int, head ...string) func(w http.ResponseWriter, m wire.Message) {
		return func(w http.ResponseWriter, _ wire.Message) {
			for i := 0; i+1 < len(head); i += 2 {
				w.Header().Set(head[i], head[i+1])
			}
			w.WriteHeader(code)
		}
	}
	rpc := func(code int) func(w http.ResponseWriter, m wire.Message) {
		return func(w http.ResponseWriter, m wire.Message) {
			w.Write(wire.Failure(m.ID, int64(code), "as the server says it", nil))
		}
	}
	for name, c := range map[string]struct {
		fails     func(w http.ResponseWriter, m wire.Message)
		declared  string
		key       string
		class     string
		status    int
		retryable bool
		action    string
	}{
		"401":                       {status(401), writes, "", "auth", 401, false, "fix_credentials"},
		"403":                       {status(403), writes, "", "permission", 403, false, "check_permissions"},
		"400":                       {status(400), writes, "", "invalid_args", 422, false, "fix_arguments"},
		"422":                       {status(422), writes, "", "invalid_args", 422, false, "fix_arguments"},
		"404":                       {status(404), writes, "", "not_found", 404, false, "not_applicable"},
		"409":                       {status(409), writes, "", "conflict", 409, false, "not_applicable"},
		"429 of a read":             {status(429, "Retry-After", "60"), reads, "", "rate_limit", 429, true, "wait_and_retry"},
		"429 of a mutation":         {status(429, "Retry-After", "60"), writes, "", "rate_limit", 429, false, "wait_and_retry"},
		"429 of one with a key":     {status(429, "Retry-After", "60"), writes, "k", "rate_limit", 429, true, "wait_and_retry"},
		"503 of a read":             {status(503, "Retry-After", "60"), reads, "", "transient", 503, true, "retry"},
		"503 of a mutation":         {status(503), writes, "", "transient", 503, false, "retry"},
		"503 of one with a key":     {status(503), writes, "k", "transient", 503, true, "retry"},
		"502 of one with a key":     {status(502), writes, "k", "transient", 503, false, "retry"},
		"invalid params":            {rpc(-32602), writes, "", "invalid_args", 422, false, "fix_arguments"},
		"method not found":          {rpc(-32601), writes, "", "not_found", 404, false, "not_applicable"},
		"internal error":            {rpc(-32603), writes, "", "transient", 503, false, "retry"},
		"internal error of a keyed": {rpc(-32603), writes, "k", "transient", 503, true, "retry"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{tools: map[string]tool{"do_it": {c.declared, func(w http.ResponseWriter, _ *http.Request, m wire.Message) { c.fails(w, m) }}}}
			b := start(t, setting{}, at(t, s))
			got := b.post(t, body(call{name: "do_it", key: c.key}), "X-Retry", "never")
			backoff := string(got.at("error", "suggested_backoff_ms"))
			if got.status != c.status || got.text("error", "class") != c.class || string(got.at("error", "retryable")) != fmt.Sprint(c.retryable) ||
				got.text("error", "action") != c.action || got.text("error", "context", "source") != "upstream" || (backoff != "null") != c.retryable {
				t.Errorf("%d %s", got.status, got.body)
			}
			if got.head.Get("X-Should-Retry") != fmt.Sprint(c.retryable) || s.made() != 1 {
				t.Errorf("%v after %d calls", got.head, s.made())
			}
		})
	}
}

func TestATimeout(t *testing.T) {
	for declared, retryable := range map[string]string{reads: "true", writes: "false"} {
		s := &script{tools: map[string]tool{"slow": {declared, func(_ http.ResponseWriter, r *http.Request, _ wire.Message) { <-r.Context().Done() }}}}
		b := start(t, setting{options: func(o *mcptools.Options) { o.Timeout = 50 * time.Millisecond }}, at(t, s))
		got := b.post(t, body(call{name: "slow"}))
		if got.status != 504 || got.text("error", "class") != "timeout" || got.text("error", "context", "outcome") != "unknown" || string(got.at("error", "retryable")) != retryable {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
}

// The bridge makes a call again by itself only where that does no harm.
func TestWhatTheBridgeRepeats(t *testing.T) {
	for name, c := range map[string]struct {
		declared, never string
		status          int
		calls           int
	}{
		"a read":                   {reads, "", 503, 3},
		"a read without retries":   {reads, "never", 503, 1},
		"a read that is wrong":     {reads, "", 400, 1},
		"a mutation":               {writes, "", 503, 1},
		"one that does no harm":    {`"annotations":{"readOnlyHint":false,"idempotentHint":true},"inputSchema":{"type":"object"}`, "", 503, 3},
		"a read, cut by a gateway": {reads, "", 502, 3},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{tools: map[string]tool{"do_it": {c.declared, func(w http.ResponseWriter, _ *http.Request, _ wire.Message) {
				w.WriteHeader(c.status)
			}}}}
			b := start(t, setting{}, at(t, s))
			if got := b.post(t, body(call{name: "do_it"}), "X-Retry", c.never); got.status < 400 || s.made() != c.calls {
				t.Errorf("%d %s after %d calls", got.status, got.body, s.made())
			}
		})
	}
}

func TestARepeatedReadThatSucceeds(t *testing.T) {
	var came atomic.Int64
	s := &script{tools: map[string]tool{"get_it": {reads, func(w http.ResponseWriter, _ *http.Request, m wire.Message) {
		if came.Add(1) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Write(wire.Result(m.ID, json.RawMessage(`{"content":[{"type":"text","text":"there"}]}`)))
	}}}}
	b := start(t, setting{}, at(t, s))
	got := b.post(t, body(call{name: "get_it"}))
	if got.result(0) != `{"result":"there"}` || string(got.at("peerwright", "calls", "0", "attempts")) != "3" {
		t.Errorf("%s", got.body)
	}
}

// One failure loses no other result.
func TestSeveralCalls(t *testing.T) {
	s := &script{tools: map[string]tool{
		"get_a": says(reads, "a"), "get_b": gives(reads, `{"isError":true,"content":[{"type":"text","text":"no b here"}]}`), "get_c": says(reads, "c"),
	}}
	b := start(t, setting{}, at(t, s))
	got := b.post(t, body(call{name: "get_a"}, call{name: "get_b"}, call{name: "no_such"}, call{name: "get_c"}))
	if got.status != 200 || got.result(0) != `{"result":"a"}` || got.result(3) != `{"result":"c"}` {
		t.Errorf("%d %s", got.status, got.body)
	}
	failed, missing := json.RawMessage(got.result(1)), json.RawMessage(got.result(2))
	if class, _ := wire.Text(wire.Path(failed, "error", "class")); class != "invalid_args" || !strings.Contains(string(failed), "no b here") {
		t.Errorf("%s", failed)
	}
	if class, _ := wire.Text(wire.Path(missing, "error", "class")); class != "not_found" || got.text("peerwright", "calls", "2", "class") != "not_found" {
		t.Errorf("%s", missing)
	}
	if got.text("tool_messages", "3", "tool_call_id") != "call_4" || got.text("tool_messages", "1", "content") != string(failed) {
		t.Errorf("%s", got.at("tool_messages"))
	}
}

// Reads run at once, in the order of the calls whatever ends first; with a mutation among
// them each waits for the one before.
func TestCallsAtOnceOrInTurn(t *testing.T) {
	both := make(chan struct{}, 2)
	meet := func(w http.ResponseWriter, _ *http.Request, m wire.Message) {
		both <- struct{}{}
		for len(both) < 2 {
			<-time.After(time.Millisecond)
		}
		w.Write(wire.Result(m.ID, json.RawMessage(`{"content":[]}`)))
	}
	b := start(t, setting{}, at(t, &script{tools: map[string]tool{"get_a": {reads, meet}, "get_b": {reads, meet}}}))
	if got := b.post(t, body(call{name: "get_a"}, call{name: "get_b"})); got.status != 200 || got.result(1) != `{"result":null}` {
		t.Errorf("%d %s", got.status, got.body)
	}
	var inside, most atomic.Int64
	alone := func(w http.ResponseWriter, _ *http.Request, m wire.Message) {
		most.Store(max(most.Load(), inside.Add(1)))
		<-time.After(5 * time.Millisecond)
		inside.Add(-1)
		w.Write(wire.Result(m.ID, json.RawMessage(`{"content":[]}`)))
	}
	s := &script{tools: map[string]tool{"get_a": {reads, alone}, "create_b": {writes, alone}}}
	b = start(t, setting{}, at(t, s))
	b.post(t, body(call{name: "get_a"}, call{name: "create_b"}, call{name: "get_a"}))
	if most.Load() != 1 || !strings.Contains(s.calls[1], "create_b") {
		t.Errorf("%d at once: %v", most.Load(), s.calls)
	}
}

// What cannot be a call is refused before anything is sent.
func TestRequestsThatCannotBe(t *testing.T) {
	s := &script{tools: map[string]tool{"get_a": says(reads, "a")}}
	b := start(t, setting{}, at(t, s))
	for name, c := range map[string]struct {
		body   string
		class  string
		status int
		says   string
	}{
		"no call":         {`{"messages":[{"role":"user","content":"hello"}]}`, "invalid_args", 422, "--llm"},
		"empty calls":     {`{"messages":[{"role":"assistant","tool_calls":[]}]}`, "invalid_args", 422, "tool_calls"},
		"no messages":     {`{"messages":[]}`, "invalid_args", 0, "messages"},
		"not the last":    {`{"messages":[{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"get_a","arguments":"{}"}}]},{"role":"user","content":"x"}]}`, "invalid_args", 422, "tool_calls"},
		"bad arguments":   {body(call{name: "get_a", args: `{"a":`}), "invalid_args", 422, "arguments"},
		"scalar":          {body(call{name: "get_a", args: `5`}), "invalid_args", 422, "arguments"},
		"array":           {body(call{name: "get_a", args: `[]`}), "invalid_args", 422, "arguments"},
		"no such tool":    {body(call{name: "get_aa", args: `{}`}), "not_found", 404, "get_a"},
		"no name":         {body(call{name: "", args: `{}`}), "", 0, ""},
		"a key too large": {body(call{name: "get_a", key: strings.Repeat("k", 600)}), "invalid_args", 422, "idempotency key"},
	} {
		t.Run(name, func(t *testing.T) {
			got := b.post(t, c.body)
			if c.status != 0 && got.status != c.status || c.class != "" && got.text("error", "class") != c.class || !strings.Contains(got.text("error", "message"), c.says) || got.status < 400 {
				t.Errorf("%d %s", got.status, got.body)
			}
			if got.text("error", "context", "outcome") != "not_run" {
				t.Errorf("%s", got.body)
			}
		})
	}
	if s.made() != 0 {
		t.Errorf("%d calls were sent", s.made())
	}
}

// A redirect is not followed, and the answer says where the server is instead.
func TestARedirectNamesTheURL(t *testing.T) {
	for to, want := range map[string]string{
		"/other/?key=secret-of-theirs":               "/other/; redirects are not followed: set the URL",
		"http://u:secret-of-theirs@127.0.0.1:1/x#at": "redirects to http://127.0.0.1:1/x; redirects are not followed",
		"http://[": "a place that is no URL; redirects are not followed",
		"":         "a place that is no URL; redirects are not followed",
	} {
		s := &script{tools: map[string]tool{"do_it": {writes, func(w http.ResponseWriter, _ *http.Request, _ wire.Message) {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusTemporaryRedirect)
			fmt.Fprint(w, "Temporary Redirect")
		}}}}
		b := start(t, setting{}, at(t, s))
		got := b.post(t, body(call{name: "do_it"}), "X-Retry", "never")
		said := got.text("error", "message")
		if !strings.Contains(said, "upstream server1: it answers with HTTP status 307") || !strings.Contains(said, want) || strings.Contains(said, "secret") {
			t.Errorf("%q: %s", to, said)
		}
		if got.text("error", "class") != "not_found" || got.text("error", "context", "outcome") != "not_run" || string(got.at("error", "retryable")) != "false" || s.made() != 1 {
			t.Errorf("%q: %s after %d calls", to, got.body, s.made())
		}
	}
}

// What is far too long is not said back whole, and it is said that it was cut.
func TestLongWordsAreCut(t *testing.T) {
	long := strings.Repeat("é", 500_000)
	s := &script{tools: map[string]tool{"get_a": gives(reads, `{"isError":true,"content":[{"type":"text","text":"`+long+`"}]}`)}}
	b := start(t, setting{}, at(t, s))
	for name, c := range map[string]struct {
		call call
		most int
		says string
	}{
		"no such tool":            {call{name: long, args: `{}`}, 1000, "there is no tool"},
		"no tool, bad arguments":  {call{name: long, args: `{`}, 1000, "no JSON"},
		"what a tool says itself": {call{name: "get_a", args: `{}`}, 66_000, "(cut: the tool said 1000000 bytes"},
	} {
		got := b.post(t, body(c.call)).text("error", "message")
		if len(got) > c.most || !strings.Contains(got, c.says) || !strings.Contains(got, "é…") || !utf8.ValidString(got) {
			t.Errorf("%s: %d bytes: %.300s", name, len(got), got)
		}
	}
}

// A dead server takes nothing from the others.
func TestOneServerOfTwoIsDown(t *testing.T) {
	down := at(t, http.NotFoundHandler())
	down.Target.URL = "http://127.0.0.1:1/"
	down.Start = time.Second
	b := start(t, setting{}, at(t, &script{tools: map[string]tool{"get_a": says(reads, "a")}}), down)
	if got := b.post(t, body(call{name: "get_a"})); got.result(0) != `{"result":"a"}` {
		t.Errorf("%s", got.body)
	}
	if got := b.post(t, body(call{name: "server1__get_a"})); got.result(0) != `{"result":"a"}` {
		t.Errorf("%s", got.body)
	}
	got := b.post(t, body(call{name: "get_elsewhere"}))
	if got.status != 503 || got.text("error", "class") != "transient" || got.text("error", "context", "outcome") != "not_run" || !strings.Contains(got.text("error", "message"), "server2") {
		t.Errorf("%d %s", got.status, got.body)
	}
	ready := b.backend.Ready(t.Context())
	if ready["server1"] != nil || ready["server2"] == nil {
		t.Errorf("%v", ready)
	}
	if list := b.get(t, "/v1/tools"); list.status != 200 || list.text("data", "0", "function", "name") != "server1__get_a" || !strings.Contains(string(list.at("problems")), "server2") {
		t.Errorf("%d %s", list.status, list.body)
	}
}
