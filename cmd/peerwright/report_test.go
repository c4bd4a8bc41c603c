package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/conformance/peers/a2apeer"
	"github.com/peerwright/peerwright/conformance/peers/mcppeer"
	"github.com/peerwright/peerwright/reporters"
)

// readReport validates a JSON report and reads it.
func readReport(t *testing.T, raw []byte) reporters.Report {
	t.Helper()
	if err := reporters.Validate(raw); err != nil {
		t.Fatalf("the report is not valid: %v", err)
	}
	r, err := reporters.ReadReport(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReportOnTheBuiltInPeers(t *testing.T) {
	got := peerwright(t, "report", "--format", "json")
	if got.code != exitGood || got.err != "" {
		t.Fatalf("exit %d, %s", got.code, got.err)
	}
	r := readReport(t, []byte(got.out))
	passed, protocols := map[string]bool{}, map[string]bool{}
	for _, p := range r.Peers {
		protocols[p.Protocol] = true
		for _, c := range p.Cases {
			if c.Status == reporters.Failed || c.Status == reporters.Errored || c.Status == reporters.Warned {
				t.Errorf("%s %s: %s is %s: %s %s", p.Target, p.Revision, c.ID, c.Status, c.Actual, c.Reason)
			}
			if c.Status == reporters.Passed {
				passed[c.ID] = true
			}
		}
	}
	if r.Verdict != reporters.Conformant || !protocols[conformance.MCP] || !protocols[conformance.A2A] {
		t.Errorf("verdict %s on %v", r.Verdict, protocols)
	}
	if len(passed) < 40 {
		t.Errorf("only %d different cases passed", len(passed))
	}
	areas := map[string]int{}
	for id := range passed {
		areas[strings.Split(id, ".")[1]]++
	}
	for _, area := range []string{"errors", "pagination", "idempotency", "streaming"} {
		if areas[area] < 10 {
			t.Errorf("only %d cases of %s passed", areas[area], area)
		}
	}
}

// Two runs on one peer differ only in times.
func TestReportsAreRepeatable(t *testing.T) {
	timeless := cmp.Options{
		cmpopts.IgnoreFields(reporters.Case{}, "DurationMS"), cmpopts.IgnoreFields(reporters.Report{}, "StartedAt", "DurationMS"),
	}
	server, stop, err := serve(func(string) http.Handler { return mcppeer.New(mcppeer.Options{}).Handler() })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	agent, stopAgent, err := serve(a2apeer.New(a2apeer.Options{Step: 200 * time.Millisecond}).Handler)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stopAgent)
	for _, args := range [][]string{{"--mcp", server + "/mcp"}, {"--a2a", agent}} {
		args = append([]string{"report", "--format", "json"}, args...)
		first := readReport(t, []byte(peerwright(t, args...).out))
		again := readReport(t, []byte(peerwright(t, args...).out))
		if d := cmp.Diff(first, again, timeless); d != "" {
			t.Errorf("two runs differ (- first, + again):\n%s", d)
		}
	}
}

func TestReportOnServersOverEachTransport(t *testing.T) {
	server, stop, err := serve(func(string) http.Handler { return mcppeer.New(mcppeer.Options{}).Handler() })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	agent, stopAgent, err := serve(a2apeer.New(a2apeer.Options{}).Handler)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stopAgent)
	file := filepath.Join(t.TempDir(), "report.json")
	for name, args := range map[string][]string{
		"http":              {"--mcp", server + "/mcp"},
		"http, pinned":      {"--mcp", server + "/mcp", "--revision", "2025-06-18"},
		"http+sse":          {"--mcp", server + "/sse", "--transport", "sse"},
		"http+sse, found":   {"--mcp", server + "/sse", "--revision", "2024-11-05"},
		"jsonrpc":           {"--a2a", agent},
		"rest":              {"--a2a", agent, "--transport", "rest"},
		"the card itself":   {"--a2a", agent + "/.well-known/agent-card.json"},
		"a command":         acting(t, "good"),
		"a pinned command":  append([]string{"--revision", "2025-11-25"}, acting(t, "good")...),
		"a header, a tool…": {"--mcp", server + "/mcp", "--header", "X-A: b", "--allow-tool", "note_add", "--skip", "mcp.tools.*"},
	} {
		t.Run(name, func(t *testing.T) {
			got := peerwright(t, append([]string{"report", "--format", "json", "--output", file}, args...)...)
			if got.out != "" || got.err != "" {
				t.Errorf("with --output the program says %q, %q", got.out, got.err)
			}
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			r := readReport(t, raw)
			if got.code != exitGood || r.Verdict != reporters.Conformant || len(r.Peers) != 1 {
				for _, c := range r.Peers[0].Cases {
					if c.Status == reporters.Failed || c.Status == reporters.Errored {
						t.Errorf("%s is %s: %s %s", c.ID, c.Status, c.Actual, c.Reason)
					}
				}
				t.Errorf("exit %d, verdict %s", got.code, r.Verdict)
			}
		})
	}
}

func TestReportFromAConfigurationFile(t *testing.T) {
	server, stop, err := serve(func(string) http.Handler { return mcppeer.New(mcppeer.Options{}).Handler() })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	t.Chdir(t.TempDir())
	t.Setenv("PEERWRIGHT_TEST_TOKEN", "canary-token-1")
	config := "report:\n  only: ['mcp.pagination.*']\n  targets:\n" +
		"    - {mcp: " + server + "/mcp, revision: 2025-11-25, headers_env: {Authorization: PEERWRIGHT_TEST_TOKEN}}\n" +
		"    - {mcp: " + server + "/mcp, revision: 2026-07-28}\n"
	if err := os.WriteFile("peerwright.yaml", []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	got := peerwright(t, "report", "--format", "json")
	r := readReport(t, []byte(got.out))
	if len(r.Peers) != 2 || r.Peers[0].Revision != "2025-11-25" || r.Peers[1].Revision != "2026-07-28" {
		t.Fatalf("checked %d peers: %+v", len(r.Peers), r.Peers)
	}
	if strings.Contains(got.out+got.err, "canary-token-1") {
		t.Error("a secret stands in the report")
	}
	if r.Verdict != reporters.Incomplete || got.code != exitBad {
		t.Errorf("verdict %s, exit %d: cases that were left out must not look like passed ones", r.Verdict, got.code)
	}
	if err := os.WriteFile("peerwright.yaml", []byte("report:\n  targets:\n    - {mpc: x}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := peerwright(t, "report"); got.code != exitUsage || !strings.Contains(got.err, "peerwright.yaml:3: report.targets[0].mpc: unknown key") {
		t.Errorf("exit %d, %s", got.code, got.err)
	}
}

func TestCasesAreListedAndExplained(t *testing.T) {
	got := peerwright(t, "cases")
	if got.code != exitGood || strings.Count(got.out, "\n") < 40 || !strings.Contains(got.out, "mcp.pagination.invalid-cursor") {
		t.Errorf("exit %d\n%s", got.code, got.out)
	}
	got = peerwright(t, "cases", "mcp.pagination.invalid-cursor")
	for _, want := range []string{"SHOULD", "-32602", "https://modelcontextprotocol.io/", "When it does not hold"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("the explanation does not say %q:\n%s", want, got.out)
		}
	}
	var all []caseInfo
	if err := json.Unmarshal([]byte(peerwright(t, "cases", "--json").out), &all); err != nil || len(all) < 40 {
		t.Errorf("%d cases, %v", len(all), err)
	}
	if got := peerwright(t, "--help"); got.code != exitGood || !strings.Contains(got.out, "report") {
		t.Errorf("exit %d\n%s", got.code, got.out)
	}
}
