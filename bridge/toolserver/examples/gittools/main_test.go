package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/bridge/toolserver"
)

// repo makes a repository with one commit and a branch beside.
func repo(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, args := range [][]string{
		{"init", "--quiet"},
		{"config", "user.name", "A Tester"},
		{"config", "user.email", "tester@example.com"},
		{"commit", "--quiet", "--allow-empty", "--message=first"},
		{"branch", "spare"},
	} {
		if out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	return dir
}

// TestThreeTiers reads, commits, and deletes a branch once that is confirmed.
func TestThreeTiers(t *testing.T) {
	dir, allow := repo(t), false
	s, err := newServer(dir, toolserver.Options{
		Audit:   filepath.Join(t.TempDir(), "audit.db"),
		Confirm: func(context.Context, toolserver.Ask) (bool, error) { return allow, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	call := func(tool, args string, want toolserver.Outcome, words string) {
		t.Helper()
		res := s.Call(t.Context(), toolserver.Call{Tool: tool, Arguments: json.RawMessage(args)})
		if res.Outcome != want || !strings.Contains(res.Text, words) {
			t.Errorf("%s %s: %s %s", tool, args, res.Outcome, res.Text)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	call("git_status", `{}`, toolserver.OK, "?? a.txt")
	call("git_log", `{"count":5}`, toolserver.OK, `"subject":"first"`)
	call("git_log", `{"branch":"--output=x"}`, toolserver.Failed, "is no branch")
	if out, err := exec.CommandContext(t.Context(), "git", "-C", dir, "add", "a.txt").CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	call("git_commit", `{"message":"second"}`, toolserver.OK, "second")
	call("git_commit", `{"message":"third"}`, toolserver.Failed, "git commit")
	call("git_delete_branch", `{"branch":"spare"}`, toolserver.Denied, "not confirmed")
	allow = true
	call("git_delete_branch", `{"branch":"spare"}`, toolserver.OK, "Deleted branch spare")
	conformant(t, s)
}
