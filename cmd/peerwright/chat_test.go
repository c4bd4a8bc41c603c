package main

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/conformance/peers/chatpeer"
	"github.com/peerwright/peerwright/reporters"
)

// endpoint serves a chat endpoint, behind what stands before it.
func endpoint(t *testing.T, o chatpeer.Options, before func(http.Handler) http.Handler) (base string) {
	t.Helper()
	h := chatpeer.New(o).Handler()
	if before != nil {
		h = before(h)
	}
	base, stop, err := serve(func(string) http.Handler { return h })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return base
}

func TestReportOnChatEndpoints(t *testing.T) {
	for name, c := range map[string]struct {
		options chatpeer.Options
		path    string
		args    []string
		calls   string // what the ledger holds
	}{
		"a bridge":              {path: "", calls: "list_books"},
		"a bridge, by /v1":      {path: "/v1", calls: "list_books"},
		"a bridge, by /v1/":     {path: "/v1/", calls: "list_books"},
		"a tool that writes":    {args: []string{"--allow-tool", "lend_book"}, calls: "lend_book"},
		"a bridge to an agent":  {options: chatpeer.Options{Agent: true}, calls: "chat/completions"},
		"a model server":        {options: chatpeer.Options{Plain: true}, calls: "chat/completions"},
		"a model that is named": {options: chatpeer.Options{Plain: true}, args: []string{"--model", "library", "--prompt", "Say hello."}, calls: "chat/completions"},
	} {
		t.Run(name, func(t *testing.T) {
			base := endpoint(t, c.options, nil)
			got := peerwright(t, append([]string{"report", "--format", "json", "--chat", base + c.path}, c.args...)...)
			if got.code != exitGood || got.err != "" {
				t.Fatalf("exit %d, %s\n%s", got.code, got.err, got.out)
			}
			p := readReport(t, []byte(got.out)).Peers[0]
			if p.Verdict != reporters.Conformant || p.Protocol != conformance.Chat || p.Revision != "v1" || p.Name != "library" || p.Summary.Passed < 20 {
				t.Errorf("%s %s %s of %s: %+v", p.Verdict, p.Protocol, p.Revision, p.Name, p.Summary)
			}
			called := false
			for _, one := range p.Calls {
				called = called || one.Tool == c.calls && one.Why != "" && one.Count > 0
				if one.Tool == "lend_book" && c.args == nil {
					t.Errorf("a tool that writes was called without leave: %+v", one)
				}
			}
			if !called {
				t.Errorf("%s is not among the calls: %+v", c.calls, p.Calls)
			}
		})
	}
}

// A rule that is broken fails the command, and the report says what to do.
func TestReportOnABrokenChatEndpoint(t *testing.T) {
	base := endpoint(t, chatpeer.Options{}, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("X-Idempotency-Key")
			next.ServeHTTP(w, r)
		})
	})
	got := peerwright(t, "report", "--chat", base, "--only", "chat.idempotency.*")
	if got.code != exitBad {
		t.Errorf("exit %d, %s", got.code, got.err)
	}
	for _, want := range []string{"Speaks chat completions v1 over http", "chat.idempotency.same-answer", "Store the result under key", "docs/bridge-api.md#tools", "--only 'chat.idempotency.*' --chat " + base} {
		if !strings.Contains(got.out, want) {
			t.Errorf("the report does not say %q:\n%s", want, got.out)
		}
	}
}

// A broken SHOULD is told, and fails nothing.
func TestReportOnASloppyChatEndpoint(t *testing.T) {
	base := endpoint(t, chatpeer.Options{Plain: true}, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/peerwright-no-such-route") {
				return // 200, as some single-page applications do
			}
			next.ServeHTTP(w, r)
		})
	})
	got := peerwright(t, "report", "--format", "json", "--chat", base)
	p := readReport(t, []byte(got.out)).Peers[0]
	if got.code != exitGood || p.Verdict != reporters.Conformant || p.Summary.Warned != 1 || p.Summary.Failed != 0 {
		t.Errorf("exit %d, %s, %+v", got.code, p.Verdict, p.Summary)
	}
}

// guarded asks for a key.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer canary-key-2" {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":{"message":"Incorrect API key provided"}}`))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func TestAChatEndpointThatAsksForAKey(t *testing.T) {
	base := endpoint(t, chatpeer.Options{}, guarded)
	unreachable(t, peerwright(t, "report", "--chat", base), "--header-env Authorization=VARIABLE")
	t.Setenv("PEERWRIGHT_TEST_KEY", "Bearer canary-key-2")
	got := peerwright(t, "report", "--format", "json", "--chat", base, "--header-env", "Authorization=PEERWRIGHT_TEST_KEY")
	if got.code != exitGood {
		t.Errorf("exit %d, %s\n%s", got.code, got.err, got.out)
	}
	if strings.Contains(got.out+got.err, "canary-key-2") {
		t.Error("the key stands in the report")
	}
}

func TestNoChatEndpoint(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(http.ResponseWriter)
		want   string
	}{
		"nothing is there":   {func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) }, "check the path of the URL"},
		"only other methods": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusMethodNotAllowed) }, "check the path of the URL"},
		"it is elsewhere": {func(w http.ResponseWriter) {
			w.Header().Set("Location", "/there")
			w.WriteHeader(http.StatusFound)
		}, "redirects are not followed"},
		"a web page for all": {func(w http.ResponseWriter) { _, _ = w.Write([]byte("<html>")) }, "no chat completions are served there"},
		"a broken gateway":   {func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) }, "HTTP status 502"},
	} {
		t.Run(name, func(t *testing.T) {
			base := endpoint(t, chatpeer.Options{}, func(http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { c.answer(w) })
			})
			unreachable(t, peerwright(t, "report", "--chat", base), c.want)
		})
	}
}

func TestAChatEndpointFromAConfigurationFile(t *testing.T) {
	base := endpoint(t, chatpeer.Options{Plain: true}, nil)
	t.Chdir(t.TempDir())
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile("peerwright.yaml", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("report:\n  targets:\n    - {chat: " + base + ", model: library, prompt: hello, allow_tools: [lend_book]}\n")
	got := peerwright(t, "report", "--format", "json")
	if p := readReport(t, []byte(got.out)).Peers[0]; got.code != exitGood || p.Protocol != conformance.Chat || p.Target != base {
		t.Errorf("exit %d, %s %s at %s", got.code, got.err, p.Protocol, p.Target)
	}
	for text, want := range map[string]string{
		"{chat: " + base + ", mcp: http://127.0.0.1:1/mcp}": "report.targets[0]: name one peer",
		"{chat: " + base + ", revision: v2}":                "--transport and --revision are not for a chat endpoint",
		"{caht: " + base + "}":                              "report.targets[0].caht: unknown key",
	} {
		write("report:\n  targets:\n    - " + text + "\n")
		if got := peerwright(t, "report"); got.code != exitUsage || !strings.Contains(got.err, want) {
			t.Errorf("%s: exit %d, %q; want exit 2 and %q", text, got.code, got.err, want)
		}
	}
}

func TestChatCasesAreListedAndExplained(t *testing.T) {
	var all []caseInfo
	if err := json.Unmarshal([]byte(peerwright(t, "cases", "--json").out), &all); err != nil {
		t.Fatal(err)
	}
	ids, areas := map[string]caseInfo{}, map[string]int{}
	for _, c := range all {
		if c.Protocol == conformance.Chat {
			ids[c.ID] = c
			areas[c.Area]++
			if c.Rule.Text == "" || !strings.HasPrefix(c.Rule.URL, "https://") || c.Fix == "" || len(c.Revisions) != 1 || c.Revisions[0] != "v1" {
				t.Errorf("%+v", c)
			}
		}
	}
	for _, area := range []string{"errors", "pagination", "idempotency", "streaming"} {
		if areas[area] < 5 {
			t.Errorf("%d chat cases of area %s", areas[area], area)
		}
	}
	if c := ids["chat.streaming.done"]; c.Level != reporters.Must || c.Kind != "case" {
		t.Errorf("%+v", c)
	}
	if c := ids["chat.errors.envelope"]; c.Kind != "monitor" || len(c.Needs) != 1 || c.Needs[0] != "canonical contract" {
		t.Errorf("%+v", c)
	}
	got := peerwright(t, "cases", "chat.pagination.other-tool")
	for _, want := range []string{"MUST case of chat", "bound to its tool", "canonical contract, callable tool", "docs/bridge-api.md#tools"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("the explanation does not say %q:\n%s", want, got.out)
		}
	}
}
