package config_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peerwright/peerwright/internal/config"
)

type section struct {
	Timeout time.Duration     `yaml:"timeout"`
	Targets []target          `yaml:"targets"`
	Env     map[string]string `yaml:"headers_env"`
}

type target struct {
	ID      string   `yaml:"id"`
	MCP     string   `yaml:"mcp"`
	Command []string `yaml:"command"`
	On      bool     `yaml:"on"`
	Caller  *caller  `yaml:"caller"`
	Limit   *int     `yaml:"limit"`
}

type caller struct {
	Header string `yaml:"header"`
}

type file struct {
	Report section `yaml:"report"`
}

func load(t *testing.T, text string) (file, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "peerwright.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(name))
	var f file
	err := config.Load("peerwright.yaml", &f)
	return f, err
}

func TestLoad(t *testing.T) {
	got, err := load(t, `
report:
  timeout: 3s
  headers_env: {Authorization: TOKEN}
  targets:
    - mcp: http://127.0.0.1:1/mcp
    - command: [npx, server]
      on: true
`)
	if err != nil {
		t.Fatal(err)
	}
	want := file{section{
		3 * time.Second,
		[]target{{MCP: "http://127.0.0.1:1/mcp"}, {Command: []string{"npx", "server"}, On: true}},
		map[string]string{"Authorization": "TOKEN"},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestLoadRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"an unknown key":         {"report:\n  targts: []\n", "peerwright.yaml:2: report.targts: unknown key; the keys here are timeout, targets, headers_env"},
		"an unknown section":     {"reprt: {}\n", "peerwright.yaml:1: reprt: unknown key; the keys here are report"},
		"a key twice":            {"report:\n  timeout: 1s\n  timeout: 2s\n", "peerwright.yaml:3: report.timeout: the key stands twice"},
		"a wrong duration":       {"report:\n  timeout: soon\n", "peerwright.yaml:2: report.timeout: must be a duration such as 10s"},
		"text for a list":        {"report:\n  targets: x\n", "peerwright.yaml:2: report.targets: must be a list"},
		"a list for a mapping":   {"report: [1]\n", "peerwright.yaml:1: report: must be a mapping with the keys timeout, targets, headers_env"},
		"a deep unknown key":     {"report:\n  targets:\n    - mpc: x\n", "peerwright.yaml:3: report.targets[0].mpc: unknown key; the keys here are id, mcp, command, on, caller, limit"},
		"a word for a boolean":   {"report:\n  targets:\n    - on: maybe\n", "peerwright.yaml:3: report.targets[0].on: must be a true or false"},
		"an item with an id":     {"report:\n  targets:\n    - id: a\n      mpc: x\n", "peerwright.yaml:4: report.targets[a].mpc: unknown key; the keys here are id, mcp, command, on, caller, limit"},
		"a list for a pointer":   {"report:\n  targets:\n    - caller: []\n", "peerwright.yaml:3: report.targets[0].caller: must be a mapping with the keys header"},
		"a mapping for a scalar": {"report:\n  targets:\n    - mcp: {a: b}\n", "peerwright.yaml:3: report.targets[0].mcp: must be a text"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, c.text)
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestNothingAfterAKeyChoosesNothing(t *testing.T) {
	got, err := load(t, "report:\n  targets:\n    - mcp:\n      caller: null\n      limit: ~\n    - limit: 0\n")
	if err != nil {
		t.Fatal(err)
	}
	if first := got.Report.Targets[0]; first.MCP != "" || first.Caller != nil || first.Limit != nil {
		t.Errorf("nothing came out as %+v", first)
	}
	if limit := got.Report.Targets[1].Limit; limit == nil || *limit != 0 {
		t.Error("0 was taken for nothing")
	}
}

func TestLoadOfNothing(t *testing.T) {
	if got, err := load(t, ""); err != nil || len(got.Report.Targets) != 0 {
		t.Errorf("an empty file: %+v, %v", got, err)
	}
	if err := config.Load(filepath.Join(t.TempDir(), "absent.yaml"), &file{}); err == nil {
		t.Error("a file that is not there was read")
	}
}
