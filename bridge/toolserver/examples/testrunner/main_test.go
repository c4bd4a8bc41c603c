package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/toolserver"
)

// module writes a module with a test that passes, one that fails and says much, and one
// that hangs.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n",
		"m_test.go": `package m

import (
	"strings"
	"testing"
)

func TestGood(t *testing.T) {}
func TestBad(t *testing.T)  { t.Error(strings.Repeat("x", 5000), "the end") }
func TestHang(t *testing.T) { select {} }
`,
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRunner(t *testing.T) {
	dir := module(t)
	s, err := newServer(runner{folder: dir, most: 1000}, time.Minute, toolserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	short, err := newServer(runner{folder: dir, most: 1000}, 50*time.Millisecond, toolserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	call := func(s *toolserver.Server, args string) toolserver.Result {
		return s.Call(t.Context(), toolserver.Call{Tool: "run_tests", Arguments: json.RawMessage(args)})
	}
	if res := call(s, `{"run":"Good"}`); !strings.Contains(res.Text, `"passed":true`) {
		t.Errorf("good: %+v", res)
	}
	if res := call(s, `{"run":"Bad"}`); res.Outcome != toolserver.OK || !strings.Contains(res.Text, `"passed":false`) || !strings.Contains(res.Text, "the end") || !strings.Contains(res.Text, `"truncated":true`) || len(res.Text) > 1500 {
		t.Errorf("bad: %+v", res)
	}
	if res := call(short, `{"run":"Hang"}`); res.Outcome != toolserver.Timeout {
		t.Errorf("hanging: %+v", res)
	}
	for _, pkg := range []string{"-exec=rm", "../other", "./../..", "/etc"} {
		if res := call(s, `{"package":"`+pkg+`"}`); res.Failure == nil || res.Failure.Class != toolserver.InvalidArgs {
			t.Errorf("%s: %+v", pkg, res)
		}
	}
	conformant(t, s)
}
