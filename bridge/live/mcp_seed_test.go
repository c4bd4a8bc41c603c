package live_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/peerwright/peerwright/internal/wire"
)

// The README of agno-relay, whose promises are kept here: each test is one of its sections,
// against the program in a process of its own.

// desk is a server with what the README calls and a few tools that go wrong on demand.
func desk(ran *atomic.Int64) *script {
	return &script{tools: map[string]tool{
		"list_repos":   repos(),
		"create_issue": {bare, func(w http.ResponseWriter, _ *http.Request, m wire.Message) { issue(w, m, ran.Add(1)) }},
		"get_weather":  says(reads, "fine"),
		"get_failing":  {reads, failing},
		"move_failing": {writes, failing},
	}}
}

func issue(w http.ResponseWriter, m wire.Message, n int64) {
	w.Write(wire.Result(m.ID, fmt.Appendf(nil, `{"content":[],"structuredContent":{"issue":%d}}`, n)))
}

// repos gives five repositories on two pages, by nextPageToken.
func repos() tool {
	return tool{
		`"description":"Lists repositories.","inputSchema":{"type":"object","properties":{"org":{"type":"string"},"pageToken":{"type":"string"}},"required":["org"]}`,
		func(w http.ResponseWriter, _ *http.Request, m wire.Message) {
			page := `{"items":[{"id":1,"name":"repo-a"},{"id":2,"name":"repo-b"},{"id":3,"name":"repo-c"}],"nextPageToken":"page2","total":5}`
			if token, _ := wire.Text(wire.Path(m.Params, "arguments", "pageToken")); token == "page2" {
				page = `{"items":[{"id":4,"name":"repo-d"},{"id":5,"name":"repo-e"}],"total":5}`
			}
			w.Write(wire.Result(m.ID, json.RawMessage(`{"content":[{"type":"text","text":`+string(wire.Quote(page))+`}]}`)))
		},
	}
}

// failing fails as the arguments say: with an HTTP status and headers, or a code of JSON-RPC.
func failing(w http.ResponseWriter, _ *http.Request, m wire.Message) {
	args := wire.Get(m.Params, "arguments")
	if code, err := strconv.ParseInt(string(wire.Get(args, "code")), 10, 64); err == nil {
		w.Write(wire.Failure(m.ID, code, "as the server says it", nil))
		return
	}
	for _, name := range []string{"Retry-After", "X-RateLimit-Reset", "Content-Type"} {
		if value, ok := wire.Text(wire.Get(args, name)); ok {
			w.Header().Set(name, value)
		}
	}
	status, err := strconv.Atoi(string(wire.Get(args, "status")))
	if err != nil {
		status = http.StatusTeapot
	}
	w.WriteHeader(status)
	body, _ := wire.Text(wire.Get(args, "body"))
	w.Write([]byte(body))
}

func TestQuickStart(t *testing.T) {
	at := desk(new(atomic.Int64)).serve(t)
	for _, c := range []struct {
		args []string
		auth string
	}{
		{[]string{"--url", at}, "bridge-level"},
		{[]string{"--mcp", at, "--allow-auth-passthrough"}, "bridge-level or passthrough"},
	} {
		port := freePort(t)
		r := bridge(t, nil, append(c.args, "--port", port)...)
		want := fmt.Sprintf(`Bridge ready

Endpoint: http://127.0.0.1:%s/v1/chat/completions
Upstream: mcp, %s (script 1.2 MCP 2026-07-28)

Capabilities:
  • Streaming: supported
  • Pagination: cursor-based
  • Errors: canonical
  • Auth: %s
  • Idempotency: kept in memory

`, port, at, c.auth)
		if got := r.get(t, "/healthz"); got.status != 200 || string(got.body) != `{"status":"ok"}` {
			t.Errorf("%d %s", got.status, got.body)
		}
		if code := r.stop(t, syscall.SIGTERM); code != 0 || r.out.String() != want {
			t.Errorf("exit %d\ngot  %s\nwant %s", code, r.out, want)
		}
	}
}

// Where no port is named it is 3847, or one of the ten after it.
func TestTheUsualPort(t *testing.T) {
	at, taken := desk(new(atomic.Int64)).serve(t), map[string]bool{}
	for range 2 {
		r := launch(t, program(t, nil, "bridge", "--mcp", at))
		defer r.kill(t)
		host, port, err := net.SplitHostPort(strings.TrimPrefix(r.url, "http://"))
		n, _ := strconv.Atoi(port)
		if err != nil || host != "127.0.0.1" || n < 3847 || n > 3857 || taken[port] {
			t.Errorf("at %s: %v", r.url, err)
		}
		taken[port] = true
	}
}

func TestOneCallAndItsAnswer(t *testing.T) {
	s := desk(new(atomic.Int64))
	r := bridge(t, nil, "--mcp", s.serve(t))
	got := r.post(t, `{
	  "model": "gpt-4",
	  "messages": [{"role": "assistant", "content": null, "tool_calls": [
	    {"id": "call_1", "type": "function", "function": {"name": "list_repos", "arguments": "{\"org\": \"acme\"}"}}]}]
	}`)
	call := got.at("choices", "0", "message", "tool_calls", "0")
	if got.status != 200 || got.text("choices", "0", "message", "role") != "assistant" || got.text("choices", "0", "finish_reason") != "tool_calls" {
		t.Errorf("%d %s", got.status, got.body)
	}
	name, _ := wire.Text(wire.Path(call, "function", "name"))
	if id, _ := wire.Text(wire.Get(call, "id")); id != "call_1" || name != "list_repos" {
		t.Errorf("%s", call)
	}
	if got := r.post(t, calls(call2("get_weather", `{}`))); got.result(0) != `{"result":"fine"}` || got.text("tool_messages", "0", "content") != `{"result":"fine"}` {
		t.Errorf("%s", got.body)
	}
	if params, _ := s.last(); !strings.Contains(params, `"name":"get_weather"`) {
		t.Errorf("%s", params)
	}
}

func call2(name, args string) call { return call{name: name, args: args} }

func TestCapabilities(t *testing.T) {
	r := bridge(t, nil, "--mcp", desk(new(atomic.Int64)).serve(t), "--store", "sqlite")
	got := r.get(t, "/capabilities")
	for path, want := range map[string]string{
		"streaming": "true", "pagination": `"cursor"`, "errors": `"canonical"`, "auth": `"bridge-level"`, "idempotency": `{"store":"sqlite"}`, "llm": "false",
	} {
		if string(got.at(path)) != want {
			t.Errorf("%s is %s", path, got.at(path))
		}
	}
	if u := got.at("upstreams", "0"); string(wire.Get(u, "server")) != `{"name":"script","version":"1.2"}` || string(wire.Get(u, "revision")) != `"2026-07-28"` {
		t.Errorf("%s", u)
	}
}

// failure is a row of a table of the README: what the server answers, and what the caller
// is told of it.
type failure struct {
	tool, args, key string
	class           string
	status          int
	retryable       bool
	action          string
}

func (f failure) check(t *testing.T, r *running, source string) {
	t.Helper()
	got := r.post(t, calls(call{name: f.tool, args: f.args, key: f.key}), "X-Retry", "never")
	e := got.at("error")
	text := func(path ...string) string { s, _ := wire.Text(wire.Path(e, path...)); return s }
	if got.status != f.status || text("class") != f.class || text("action") != f.action || string(wire.Get(e, "retryable")) != strconv.FormatBool(f.retryable) {
		t.Errorf("%+v: %d %s", f, got.status, got.body)
	}
	if text("context", "source") != source || text("message") == "" || text("type") == "" || text("code") == "" || wire.Get(e, "param") == nil {
		t.Errorf("%+v: %s", f, got.body)
	}
	if got.head.Get("X-Should-Retry") != strconv.FormatBool(f.retryable) || (string(wire.Get(e, "suggested_backoff_ms")) != "null") != f.retryable {
		t.Errorf("%+v: %v %s", f, got.head, got.body)
	}
}

func status(code int, more string) string { return fmt.Sprintf(`{"status":%d%s}`, code, more) }

func TestErrorClasses(t *testing.T) {
	r := bridge(t, nil, "--mcp", desk(new(atomic.Int64)).serve(t))
	for _, f := range []failure{
		{"get_failing", status(401, ""), "", "auth", 401, false, "fix_credentials"},
		{"get_failing", status(403, ""), "", "permission", 403, false, "check_permissions"},
		{"get_failing", status(400, ""), "", "invalid_args", 422, false, "fix_arguments"},
		{"get_failing", status(422, ""), "", "invalid_args", 422, false, "fix_arguments"},
		{"get_failing", status(404, ""), "", "not_found", 404, false, "not_applicable"},
		{"get_failing", status(409, ""), "", "conflict", 409, false, "not_applicable"},
		{"get_failing", status(429, ""), "", "rate_limit", 429, true, "wait_and_retry"},
		{"get_failing", status(502, ""), "", "transient", 503, true, "retry"},
		{"get_failing", status(503, ""), "", "transient", 503, true, "retry"},
		{"get_failing", status(504, ""), "", "transient", 503, true, "retry"},
		{"get_failing", `{"code":-32602}`, "", "invalid_args", 422, false, "fix_arguments"},
		{"get_failing", `{"code":-32601}`, "", "not_found", 404, false, "not_applicable"},
		{"get_failing", `{"code":-32603}`, "", "transient", 503, true, "retry"},
	} {
		f.check(t, r, "upstream")
	}
	failure{"get_nothing", `{}`, "", "not_found", 404, false, "not_applicable"}.check(t, r, "bridge")
}

// "timeout: depends": on whether the call may be made twice.
func TestTimeouts(t *testing.T) {
	hangs := func(_ http.ResponseWriter, r *http.Request, _ wire.Message) { <-r.Context().Done() }
	s := &script{tools: map[string]tool{"get_slow": {reads, hangs}, "move_slow": {writes, hangs}}}
	r := bridge(t, nil, "--mcp", s.serve(t), "--timeout", "200ms")
	for tool, retryable := range map[string]bool{"get_slow": true, "move_slow": false} {
		got := r.post(t, calls(call2(tool, `{}`)))
		if got.status != 504 || got.text("error", "class") != "timeout" || string(got.at("error", "retryable")) != strconv.FormatBool(retryable) ||
			got.text("error", "action") != "not_applicable" || got.text("error", "context", "outcome") != "unknown" {
			t.Errorf("%s: %d %s", tool, got.status, got.body)
		}
	}
}

// The envelope of the README, with the time at which the limit is lifted.
func TestTheEnvelope(t *testing.T) {
	r := bridge(t, nil, "--mcp", desk(new(atomic.Int64)).serve(t))
	got := r.post(t, calls(call2("get_failing", status(429, `,"Retry-After":"2500","X-RateLimit-Reset":"4102444800","body":"API rate limit exceeded."`))), "X-Retry", "never")
	e := got.at("error")
	if got.status != 429 || string(wire.Get(e, "suggested_backoff_ms")) != "2500000" || got.head.Get("Retry-After") != "2500" || got.head.Get("Retry-After-Ms") != "2500000" {
		t.Errorf("%d %v %s", got.status, got.head, got.body)
	}
	if string(wire.Path(e, "context", "upstream_code")) != "429" || wire.Path(e, "context", "reset_at") == nil || !strings.Contains(got.text("error", "message"), "API rate limit exceeded.") {
		t.Errorf("%s", got.body)
	}
}

func TestRetryRules(t *testing.T) {
	r := bridge(t, nil, "--mcp", desk(new(atomic.Int64)).serve(t))
	for _, f := range []failure{
		{"get_failing", status(429, ""), "", "rate_limit", 429, true, "wait_and_retry"},
		{"get_failing", status(503, ""), "", "transient", 503, true, "retry"},
		{"move_failing", status(429, ""), "", "rate_limit", 429, false, "wait_and_retry"},
		{"move_failing", status(503, ""), "", "transient", 503, false, "retry"},
		{"move_failing", status(429, ""), "k1", "rate_limit", 429, true, "wait_and_retry"},
		{"move_failing", status(503, ""), "k2", "transient", 503, true, "retry"},
		{"move_failing", status(400, ""), "k3", "invalid_args", 422, false, "fix_arguments"},
	} {
		f.check(t, r, "upstream")
	}
}

// The cursor is passed back until has_more is false.
func TestPagination(t *testing.T) {
	r := bridge(t, nil, "--mcp", desk(new(atomic.Int64)).serve(t))
	var ids []string
	args := `{"org":"acme"}`
	for range 5 {
		page := json.RawMessage(r.post(t, calls(call2("list_repos", args))).result(0))
		wire.EachElement(wire.Get(page, "data"), func(v json.RawMessage) bool {
			ids = append(ids, string(wire.Get(v, "id")))
			return true
		})
		cursor, more := wire.Text(wire.Path(page, "pagination", "cursor"))
		if (string(wire.Path(page, "pagination", "has_more")) == "true") != more {
			t.Errorf("%s", wire.Get(page, "pagination"))
		}
		if !more {
			break
		}
		args = fmt.Sprintf(`{"org":"acme","cursor":%q}`, cursor)
	}
	if got := strings.Join(ids, " "); got != "1 2 3 4 5" {
		t.Errorf("walked %s", got)
	}
}

func TestAuthentication(t *testing.T) {
	for name, c := range map[string]struct {
		env    []string
		args   []string
		caller string
		want   string // what the server gets
	}{
		"GITHUB_TOKEN":            {[]string{"GITHUB_TOKEN=ghp_xxxx"}, nil, "", "Bearer ghp_xxxx"},
		"MCP_AUTH_TOKEN":          {[]string{"MCP_AUTH_TOKEN=your-token"}, nil, "", "Bearer your-token"},
		"both":                    {[]string{"GITHUB_TOKEN=ghp_xxxx", "MCP_AUTH_TOKEN=your-token"}, nil, "", "Bearer your-token"},
		"a scheme":                {[]string{"MCP_AUTH_TOKEN=Basic dTpw"}, nil, "", "Basic dTpw"},
		"blank":                   {[]string{"MCP_AUTH_TOKEN= ", "GITHUB_TOKEN=ghp_xxxx"}, nil, "", "Bearer ghp_xxxx"},
		"none":                    {nil, nil, "", ""},
		"not passed through":      {[]string{"MCP_AUTH_TOKEN=your-token"}, nil, "Bearer ghp_mine", "Bearer your-token"},
		"passed through":          {[]string{"MCP_AUTH_TOKEN=your-token"}, []string{"--allow-auth-passthrough"}, "Bearer ghp_mine", "Bearer ghp_mine"},
		"nothing to pass through": {[]string{"MCP_AUTH_TOKEN=your-token"}, []string{"--allow-auth-passthrough"}, "", "Bearer your-token"},
	} {
		t.Run(name, func(t *testing.T) {
			s := desk(new(atomic.Int64))
			r := bridge(t, c.env, append([]string{"--mcp", s.serve(t)}, c.args...)...)
			var head []string
			if c.caller != "" {
				head = []string{"Authorization", c.caller}
			}
			got := r.post(t, calls(call2("get_weather", `{}`)), head...)
			if _, sent := s.last(); got.status != 200 || sent.Get("Authorization") != c.want {
				t.Errorf("%d, the server got %q", got.status, sent.Get("Authorization"))
			}
		})
	}
}

func TestMutationWarnings(t *testing.T) {
	r := bridge(t, nil, "--mcp", desk(new(atomic.Int64)).serve(t))
	list, found := r.get(t, "/v1/tools"), 0
	wire.EachElement(list.at("data"), func(v json.RawMessage) bool {
		name, _ := wire.Text(wire.Path(v, "function", "name"))
		description, _ := wire.Text(wire.Path(v, "function", "description"))
		mutates := name == "create_issue" || name == "move_failing"
		if strings.Contains(description, "X-Idempotency-Key") != mutates || (string(wire.Path(v, "mcp", "mutates")) == "true") != mutates {
			t.Errorf("%s", v)
		}
		found++
		return true
	})
	if found != 5 { // from both pages of the server's list
		t.Errorf("%d tools: %s", found, list.body)
	}
}

// What is traced stands side by side as in the README, for failures too, without secrets.
func TestTraceMode(t *testing.T) {
	const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	r := bridge(t, []string{"MCP_AUTH_TOKEN=" + secret}, "--mcp", desk(new(atomic.Int64)).serve(t), "--trace")
	r.post(t, calls(call2("list_repos", `{"org":"acme","password":"hunter2hunter2"}`)))
	r.post(t, calls(call2("get_failing", status(403, `,"body":"token `+secret+` is not allowed"`))))
	r.stop(t, syscall.SIGTERM)
	blocks := strings.Split(r.out.String(), "═══ TRACE ═══\n")
	if len(blocks) != 3 {
		t.Fatalf("%s", r.out)
	}
	for i, want := range [][]string{
		{"OpenAI Request:\n  {\"model\":\"gpt-4\"", "\nMCP Request(s):\n  list_repos({\"org\":\"acme\"", "\nMCP Response(s):\n  {\"content\":", "\nOpenAI Response:\n  {", "\n═════════════\n"},
		{"OpenAI Request:", "MCP Request(s):\n  get_failing(", "MCP Response(s):\n  {\"error\":{\"class\":\"permission\"", "OpenAI Response:\n  {\"error\":{", "═════════════\n"},
	} {
		rest := blocks[i+1]
		for _, part := range want {
			_, after, found := strings.Cut(rest, part)
			if !found {
				t.Errorf("no %q in its place in\n%s", part, blocks[i+1])
			}
			rest = after
		}
	}
	for _, hidden := range []string{secret, "hunter2"} {
		if strings.Contains(r.out.String()+r.errs.String(), hidden) {
			t.Errorf("%s is in\n%s%s", hidden, r.out, r.errs)
		}
	}
}
