package live_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/peerwright/peerwright/conformance/peers/live"
	"github.com/peerwright/peerwright/internal/wire"
)

// allowed is what OpenAI takes for the name of a function.
var allowed = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// TestLiveServers puts the bridge in front of servers on the TypeScript, Python and Go
// SDKs, and of the SDKs' own examples: their tools are listed as OpenAI wants them, and
// each that only reads is called.
func TestLiveServers(t *testing.T) {
	for _, p := range live.Peers(root(t)) {
		if p.Protocol != "mcp" {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			if !strings.HasPrefix(p.Name, "go-mcp") { // those are of this process
				needLive(t)
			}
			if ok, why := p.Available(); !ok {
				t.Skip(why)
			}
			target, stop, err := p.Start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer stop()
			args := []string{"--mcp", target.URL, "--timeout", "20s"}
			if target.Command != nil {
				args = append([]string{"--"}, target.Command...)
			}
			r := bridge(t, target.Env, args...)
			if !strings.HasPrefix(r.out.String(), "Bridge ready\n") {
				t.Errorf("%s%s", r.out, r.errs)
			}
			callEach(t, r)
			if code := r.stop(t, syscall.SIGTERM); code != 0 {
				t.Errorf("exit %d: %s", code, r.errs)
			}
		})
	}
}

// listed is a function as GET /v1/tools has it.
type listed struct {
	Type     string
	Function struct {
		Name, Description string
		Parameters        json.RawMessage
	}
	MCP struct {
		Name    string
		Mutates bool
	}
}

func callEach(t *testing.T, r *running) {
	t.Helper()
	var tools []listed
	list := r.get(t, "/v1/tools")
	if err := json.Unmarshal(list.at("data"), &tools); err != nil || len(tools) == 0 || list.at("problems") != nil {
		t.Fatalf("%d %s", list.status, list.body)
	}
	names, read, gave := map[string]bool{}, 0, 0
	for _, f := range tools {
		if f.Type != "function" || !allowed.MatchString(f.Function.Name) || names[f.Function.Name] {
			t.Errorf("%+v", f)
		}
		names[f.Function.Name] = true
		if _, err := jsonschema.CompileString("parameters.json", string(f.Function.Parameters)); err != nil || string(wire.Get(f.Function.Parameters, "type")) != `"object"` {
			t.Errorf("%s: %s: %v", f.Function.Name, f.Function.Parameters, err)
		}
		if f.MCP.Mutates && !strings.HasPrefix(f.MCP.Name, "greet") { // of the Go example, which says nothing of its tools
			continue
		}
		read++
		if tried(t, r, f) {
			gave++
		}
	}
	if read == 0 || gave == 0 {
		t.Errorf("%d tools, %d called, %d gave a result", len(tools), read, gave)
	}
	t.Logf("%d tools; %d called, of which %d gave a result", len(tools), read, gave)
}

// fitting are arguments for tools that want some; the others take none.
var fitting = map[string]string{
	"add": `{"a":1,"b":2}`, "get-sum": `{"a":1,"b":2}`, "echo": `{"message":"hello"}`, "nested": `{"who":{"name":"Ada"}}`, "wait": `{"milliseconds":10}`,
	"trigger-long-running-operation": `{"duration":1,"steps":2}`,
	"get-structured-content":         `{"location":"Chicago"}`, "get-annotated-message": `{"messageType":"success"}`,
	"gzip-file-as-resource": `{"name":"x","data":"data:text/plain,hello","outputType":"resource"}`,
}

// tried calls the tool, and tells whether it gave a result. One that fails has to fail
// in the envelope, as the tool that always fails does.
func tried(t *testing.T, r *running, f listed) bool {
	t.Helper()
	args := fitting[f.MCP.Name]
	if strings.HasPrefix(f.MCP.Name, "greet") {
		args = `{"name":"Ada"}`
	}
	got := r.post(t, calls(call2(f.Function.Name, args)))
	if got.status == 200 && json.Valid([]byte(got.result(0))) && got.text("peerwright", "calls", "0", "outcome") == "ok" {
		return true
	}
	if f.MCP.Name != "fail" || got.text("error", "class") == "" || got.text("error", "message") == "" {
		t.Errorf("%s: %d %.500s", f.MCP.Name, got.status, got.body)
	}
	return false
}
