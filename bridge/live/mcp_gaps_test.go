package live_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/peerwright/peerwright/internal/wire"
)

// gaps is what agno-relay leaves open, or gets wrong, and the tests that show it closed:
// in this package, or in that of the folder before the name.
var gaps = []struct{ gap, closedBy string }{
	// 1.1
	{"the version that is printed is not that of the program", "TestOneVersion"},
	{"it listens on all interfaces, and asks nobody for a key", "TestNobodyElseIsServed"},
	{"a port that is none is not refused", "cmd/peerwright/TestBridgeUsage"},
	// 1.2
	{"/capabilities says the same whatever is allowed", "TestQuickStart"},
	{"a malformed or oversized body is answered with HTML", "TestBodiesThatCannotBe"},
	{"answers have no time and no model, and all one id", "TestAnswersAreTheirOwn"},
	{"no tool_calls is a success without calls", "TestRequestsThatCannotBe"},
	{"no messages is an upstream that is down", "TestRequestsThatCannotBe"},
	{"the first failure of several calls loses the other results", "TestOneFailureAmongOthers"},
	{"several reads wait for each other", "bridge/mcptools/TestCallsAtOnceOrInTurn"},
	{"arguments that are no JSON become {}", "TestRequestsThatCannotBe"},
	{"an unknown tool is an upstream that is down", "TestRequestsThatCannotBe"},
	{"a result with isError is a success", "TestOneFailureAmongOthers"},
	{"the error is flat, without its envelope", "TestErrorClasses"},
	{"no streams", "TestAStreamOfResults"},
	// 1.3
	{"the tools are listed nowhere", "TestMutationWarnings"},
	{"the pages of tools/list are not followed", "TestMutationWarnings"},
	// 1.4
	{"the cursor goes to the server as it is, under whatever name", "TestPagination"},
	{"the cursor holds no tool, no parameter, no arguments, no proof", "bridge/mcptools/TestPages"},
	{"page and offset, which say where one is, go on for ever", "bridge/mcptools/TestAWalkOfPages"},
	{"has_more: false of the server is ignored", "bridge/mcptools/pages/TestEveryShapeIsWalkedToItsEnd"},
	{"next_cursor, links.next, pageInfo and the like, and nested lists are not seen", "bridge/mcptools/pages/TestEveryShapeIsWalkedToItsEnd"},
	{"get_status is taken for a list, and its result lost", "TestWhatIsNoList"},
	{"text and failures of list tools vanish", "TestWhatIsNoList"},
	{"what stands beside a list is dropped", "bridge/mcptools/pages/TestNothingIsDropped"},
	// 1.5
	{"an error with an object for a body is [object Object]", "TestTheCauseIsKept"},
	{"reset_at is never set", "TestTheEnvelope"},
	{"Retry-After is not read as a date", "internal/errclass/TestRetryAfter"},
	{"codes of JSON-RPC and HTTP are not looked at: all is transient or timeout", "TestErrorClasses"},
	{"the cause of a failed mutation is replaced by advice", "TestTheCauseIsKept"},
	{"a read that timed out is not retryable", "TestTimeouts"},
	{"the bridge repeats nothing itself", "bridge/mcptools/TestWhatTheBridgeRepeats"},
	// 1.6
	{"the key is not stored: nothing is replayed", "TestTheKeyIsKept"},
	{"the key is not forwarded", "TestTheKeyIsKept"},
	{"other arguments under the key are not noticed", "TestTheKeyIsKept"},
	{"one header goes for several calls", "bridge/mcptools/TestKeysOfSeveralCalls"},
	{"keys never expire", "internal/store/memory/TestContract"},
	{"concurrent duplicates are both executed", "bridge/mcptools/TestConcurrentDuplicates"},
	// 1.7
	{"address_lookup is taken for a mutation by its first letters, transfer for a read", "TestWhatMutates"},
	{"annotations are ignored", "TestWhatMutates"},
	{"a name that says nothing is taken for a read", "TestWhatMutates"},
	// 1.8
	{"the token goes without its scheme", "TestAuthentication"},
	{"callers share a session", "bridge/mcptools/upstream/TestNothingCrossesCallers"},
	{"a lost session is never renewed", "bridge/mcptools/upstream/TestALostSessionIsRenewedOnce"},
	// 1.9
	{"failures are not traced", "TestTraceMode"},
	{"Authorization: Bearer, secrets inside of JSON strings, and further names are not redacted", "TestNoSecretIsTraced"},
	// 1.10
	{"the report ends with 0 whatever it found", "cmd/peerwright/TestAServerThatTalksOnItsStdout"},
	{"the report looks at no server", "conformance/peers/live/TestSuiteOnLivePeers"},
	// 1.11
	{"the demonstration cannot be started", "cmd/peerwright/TestReportOnTheBuiltInPeers"},
}

// TestGaps holds that what closes a gap is there.
func TestGaps(t *testing.T) {
	for _, g := range gaps {
		folder, name := ".", g.closedBy
		if i := strings.LastIndexByte(g.closedBy, '/'); i > 0 {
			folder, name = filepath.Join(root(t), g.closedBy[:i]), g.closedBy[i+1:]
		}
		files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
		found := err != nil
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found = found || bytes.Contains(source, []byte("\nfunc "+name+"(t *testing.T)"))
		}
		if !found {
			t.Errorf("%s: there is no test %s", g.gap, g.closedBy)
		}
	}
}

// The version is told in one way: to the user, and to the server.
func TestOneVersion(t *testing.T) {
	out, err := program(t, nil, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	s := desk(new(atomic.Int64))
	r := bridge(t, nil, "--mcp", s.serve(t))
	r.post(t, calls(call2("get_weather", `{}`)))
	params, _ := s.last()
	version, _ := wire.Text(wire.Path([]byte(params), "_meta", "io.modelcontextprotocol/clientInfo", "version"))
	if words := strings.Fields(string(out)); version == "" || words[len(words)-1] != version {
		t.Errorf("%s, and %q in %s", out, version, params)
	}
}

// Nobody but this machine is served without a key, no page of another site, and nobody
// without a key where there are keys.
func TestNobodyElseIsServed(t *testing.T) {
	at := desk(new(atomic.Int64)).serve(t)
	cmd := program(t, nil, "bridge", "--mcp", at, "--listen", "0.0.0.0:0")
	out, _ := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 2 || !bytes.Contains(out, []byte("--open")) {
		t.Errorf("exit %d: %s", cmd.ProcessState.ExitCode(), out)
	}
	r := bridge(t, []string{"BRIDGE_KEYS=alice-key, bob-key"}, "--mcp", at, "--keys-env", "BRIDGE_KEYS")
	for _, c := range []struct {
		name, value string
		status      int
	}{
		{"Authorization", "Bearer bob-key", 200},
		{"X-API-Key", "alice-key", 200},
		{"Authorization", "Bearer alice", 401},
		{"X-Nothing", "", 401},
	} {
		if got := r.post(t, calls(call2("get_weather", `{}`)), c.name, c.value); got.status != c.status || c.status == 401 && got.text("error", "class") != "auth" {
			t.Errorf("%s %s: %d %s", c.name, c.value, got.status, got.body)
		}
	}
	if got := r.post(t, calls(call2("get_weather", `{}`)), "X-API-Key", "bob-key", "Origin", "https://elsewhere.example"); got.status != 403 {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := r.get(t, "/healthz"); got.status != 200 {
		t.Errorf("%d %s", got.status, got.body)
	}
	if strings.Contains(r.out.String()+r.errs.String(), "bob-key") {
		t.Errorf("a key is in %s%s", r.out, r.errs)
	}
}

func TestBodiesThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "peerwright.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, "bridge:\n  max_body: 1000\n  upstreams:\n    - {id: desk, mcp: %s}\n", desk(new(atomic.Int64)).serve(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := bridge(t, nil, "--config", file)
	for body, status := range map[string]int{
		`{"messages":`: 400, `[]`: 400, `{}`: 400, `{"messages":5}`: 400, ``: 400, strings.Repeat(" ", 1001): 413,
	} {
		got := r.post(t, body)
		if got.status != status || got.text("error", "class") != "invalid_args" || string(got.at("error", "retryable")) != "false" || got.text("error", "context", "outcome") != "not_run" {
			t.Errorf("%.20q: %d %s", body, got.status, got.body)
		}
	}
}

func TestAnswersAreTheirOwn(t *testing.T) {
	r, seen := bridge(t, nil, "--mcp", desk(new(atomic.Int64)).serve(t)), map[string]bool{}
	for range 3 {
		got := r.post(t, calls(call2("get_weather", `{}`)))
		if got.text("model") != "gpt-4" || len(got.at("created")) != len("1796026460") || seen[got.text("id")] {
			t.Errorf("%s", got.body)
		}
		seen[got.text("id")] = true
	}
}

func TestRequestsThatCannotBe(t *testing.T) {
	s := desk(new(atomic.Int64))
	r := bridge(t, nil, "--mcp", s.serve(t))
	for name, c := range map[string]struct {
		body, class string
		status      int
		says        string
	}{
		"no call":        {`{"messages":[{"role":"user","content":"hello"}]}`, "invalid_args", 422, "--llm"},
		"empty calls":    {`{"messages":[{"role":"assistant","tool_calls":[]}]}`, "invalid_args", 422, "tool_calls"},
		"no messages":    {`{"model":"gpt-4"}`, "invalid_args", 400, "messages"},
		"half arguments": {calls(call2("create_issue", `{"a":`)), "invalid_args", 422, "arguments"},
		"a scalar":       {calls(call2("create_issue", `5`)), "invalid_args", 422, "arguments"},
		"an array":       {calls(call2("create_issue", `[]`)), "invalid_args", 422, "arguments"},
		"no org":         {calls(call2("list_repos", `{}`)), "invalid_args", 422, "org"},
		"no such tool":   {calls(call2("list_repo", `{}`)), "not_found", 404, "list_repos"},
	} {
		if got := r.post(t, c.body); got.status != c.status || got.text("error", "class") != c.class || !strings.Contains(got.text("error", "message"), c.says) || got.text("error", "context", "outcome") != "not_run" {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	if s.made() != 0 {
		t.Errorf("%d calls were made", s.made())
	}
	if got := r.post(t, calls(call2("create_issue", ` `))); got.status != 200 { // no arguments are none
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestOneFailureAmongOthers(t *testing.T) {
	s := desk(new(atomic.Int64))
	s.tools["list_broken"] = gives(reads, `{"isError":true,"content":[{"type":"text","text":"the index is gone"}]}`)
	r := bridge(t, nil, "--mcp", s.serve(t))
	got := r.post(t, calls(call2("get_weather", ""), call2("list_broken", ""), call2("no_such", ""), call2("get_weather", "")))
	if got.status != 200 || got.result(0) != `{"result":"fine"}` || got.result(3) != `{"result":"fine"}` ||
		!strings.Contains(got.result(1), "the index is gone") || !strings.Contains(got.result(2), `"class":"not_found"`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	if alone := r.post(t, calls(call2("list_broken", ""))); alone.status != 422 || alone.text("error", "message") != "the index is gone" {
		t.Errorf("%d %s", alone.status, alone.body)
	}
}

func TestAStreamOfResults(t *testing.T) {
	r := bridge(t, nil, "--mcp", desk(new(atomic.Int64)).serve(t))
	got := r.post(t, strings.Replace(calls(call2("get_weather", ""), call2("get_weather", "")), `{"model"`, `{"stream":true,"model"`, 1))
	if got.status != 200 || !strings.HasPrefix(got.head.Get("Content-Type"), "text/event-stream") || !bytes.HasSuffix(got.body, []byte("data: [DONE]")) ||
		bytes.Count(got.body, []byte(`"finish_reason":"tool_calls"`)) != 1 || !bytes.Contains(got.body, []byte(`"id":"call_2"`)) {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestWhatIsNoList(t *testing.T) {
	s := &script{tools: map[string]tool{
		"get_status": says(reads, `{"status":"green","parts":["a"]}`), "get_address": says(reads, `{"street":"Main"}`), "list_notes": says(reads, "no notes yet"),
		"dump": says(reads, `[{"id":1}]`),
	}}
	r := bridge(t, nil, "--mcp", s.serve(t))
	for name, want := range map[string]string{
		"get_status": `{"result":{"status":"green","parts":["a"]}}`, "get_address": `{"result":{"street":"Main"}}`,
		"list_notes": `{"result":"no notes yet"}`, "dump": `{"data":[{"id":1}],"pagination":{"has_more":false,"cursor":null}}`,
	} {
		if got := r.post(t, calls(call2(name, ""))); got.result(0) != want {
			t.Errorf("%s: %s", name, got.body)
		}
	}
}

func TestTheCauseIsKept(t *testing.T) {
	r := bridge(t, nil, "--mcp", desk(new(atomic.Int64)).serve(t))
	for args, want := range map[string]string{
		status(503, `,"body":"the disk is full"`):                                                    "the disk is full",
		status(500, `,"body":"{\"message\":\"row 7 is locked\"}","Content-Type":"application/json"`): "row 7 is locked",
		`{"code":-32603}`: "as the server says it",
	} {
		if got := r.post(t, calls(call2("move_failing", args))); !strings.Contains(got.text("error", "message"), want) || bytes.Contains(got.body, []byte("[object")) {
			t.Errorf("%s", got.body)
		}
	}
	got := r.post(t, calls(call2("move_failing", status(502, `,"body":"<html><body>Bad gateway</body></html>","Content-Type":"text/html"`))))
	if strings.Contains(got.text("error", "message"), "<") || string(got.at("error", "context", "upstream_code")) != "502" {
		t.Errorf("%s", got.body)
	}
}

// A key is kept with what came of its call, in a file that outlives the process.
func TestTheKeyIsKept(t *testing.T) {
	var ran atomic.Int64
	s := desk(&ran)
	at, store := s.serve(t), "sqlite://"+filepath.Join(t.TempDir(), "bridge.db")
	one, other := calls(call2("create_issue", `{"a":1,"b":2}`)), calls(call2("create_issue", `{"a":2}`))
	for i := range 2 {
		r := bridge(t, nil, "--mcp", at, "--store", store)
		for j := range 2 {
			got := r.post(t, strings.Replace(one, `{\"a\":1,\"b\":2}`, `{\"b\":2, \"a\":1}`, j), "X-Idempotency-Key", "k1")
			replayed := got.head.Get("X-Idempotency-Replayed") == "true"
			if got.status != 200 || got.result(0) != `{"result":{"issue":1}}` || replayed != (i+j > 0) {
				t.Errorf("%d %d: %d %v %s", i, j, got.status, replayed, got.body)
			}
		}
		if got := r.post(t, other, "X-Idempotency-Key", "k1"); got.status != 409 || got.text("error", "class") != "conflict" || got.text("error", "code") != "idempotency_conflict" {
			t.Errorf("%d %s", got.status, got.body)
		}
		if code := r.stop(t, syscall.SIGTERM); code != 0 {
			t.Errorf("exit %d", code)
		}
	}
	params, head := s.last()
	if key, _ := wire.Text(wire.Path([]byte(params), "_meta", "idempotencyKey")); ran.Load() != 1 || key != "k1" || head.Get("Idempotency-Key") != "k1" {
		t.Errorf("ran %d times: %s %v", ran.Load(), params, head)
	}
}

// Whether a tool mutates is taken from its annotations, and from its name only without.
func TestWhatMutates(t *testing.T) {
	s := &script{tools: map[string]tool{}}
	mutates := map[string]bool{}
	for _, name := range strings.Fields("get_x list_x search_x github.list_repos") {
		s.tools[name], mutates[name] = says(bare, "x"), false
	}
	for _, name := range strings.Fields("address_lookup settings_get postal_code putative_x") { // which begin like a mutation
		s.tools[name], mutates[name] = says(reads, "x"), false
	}
	for _, name := range strings.Fields("send transfer move rename merge close write execute upload cancel archive revoke publish github_create_issue fs/write_file frobnicate") {
		s.tools[name], mutates[name] = says(bare, "x"), true
	}
	s.tools["create_nothing"], s.tools["get_and_delete"], mutates["get_and_delete"] = says(reads, "x"), says(writes, "x"), true
	r := bridge(t, nil, "--mcp", s.serve(t))
	found := 0
	wire.EachElement(r.get(t, "/v1/tools").at("data"), func(v json.RawMessage) bool {
		name, _ := wire.Text(wire.Path(v, "mcp", "name"))
		if got := string(wire.Path(v, "mcp", "mutates")) == "true"; got != mutates[name] {
			t.Errorf("%s mutates: %v", name, got)
		}
		found++
		return true
	})
	if found != len(s.tools) {
		t.Errorf("%d of %d tools", found, len(s.tools))
	}
}

func TestNoSecretIsTraced(t *testing.T) {
	secrets := []string{"sk-Zq81", "canary-client", "canary-refresh", "canary-private", "canary-cookie", "canary-bearer-0123456789"}
	s := desk(new(atomic.Int64))
	s.tools["get_leak"] = tool{reads, func(w http.ResponseWriter, _ *http.Request, m wire.Message) {
		w.Write(wire.Result(m.ID, fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}]}`, wire.Quote(
			"Authorization: Bearer "+secrets[5]+"\nSet-Cookie: a=b; session="+secrets[4]+"; Path=/\n{\"refresh_token\":\""+secrets[2]+"\"}"))))
	}}
	r := bridge(t, nil, "--mcp", s.serve(t), "--trace")
	r.post(t, calls(call2("get_leak", `{"api_key":"`+secrets[0]+`","client_secret":"`+secrets[1]+`","nested":{"private_key":"`+secrets[3]+`"}}`)))
	r.stop(t, syscall.SIGTERM)
	if !strings.Contains(r.out.String(), "get_leak(") {
		t.Fatalf("%s%s", r.out, r.errs)
	}
	for _, hidden := range secrets {
		if strings.Contains(r.out.String()+r.errs.String(), hidden) {
			t.Errorf("%s is in\n%s%s", hidden, r.out, r.errs)
		}
	}
}
