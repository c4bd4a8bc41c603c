// Command gittools serves a git repository over stdio: reading is always allowed,
// committing unless -read-only is given, and deleting a branch once the client's user,
// or whoever sits at the terminal, says so.
//
//	gittools -audit audit.db /path/to/repository
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/peerwright/peerwright/bridge/toolserver"
)

func main() {
	audit := flag.String("audit", "", "the file of the audit log")
	readOnly := flag.Bool("read-only", false, "deny what changes the repository")
	flag.Parse()
	s, err := newServer(flag.Arg(0), toolserver.Options{
		Audit: *audit, ReadOnly: *readOnly, Confirm: toolserver.FirstOf(toolserver.Elicit(), toolserver.Terminal()),
	})
	if err == nil {
		err = errors.Join(s.Stdio(context.Background()), s.Close())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gittools:", err)
		os.Exit(1)
	}
}

// newServer offers the repository in the folder. A model chooses branches and messages,
// and never the folder.
func newServer(folder string, o toolserver.Options) (*toolserver.Server, error) {
	r := repository{folder}
	s, err := toolserver.New("git-tools", o)
	if err != nil {
		return nil, err
	}
	return s, errors.Join(
		toolserver.Add(s, toolserver.ReadOnly, toolserver.Tool{Name: "git_status", Description: "Shows the state of the working tree."}, r.status),
		toolserver.Add(s, toolserver.ReadOnly, toolserver.Tool{Name: "git_log", Description: "Shows the newest commits of a branch."}, r.log),
		toolserver.Add(s, toolserver.Write, toolserver.Tool{Name: "git_commit", Description: "Commits all changes of files that git knows.", Timeout: 30 * time.Second}, r.commit),
		toolserver.Add(s, toolserver.Destructive, toolserver.Tool{Name: "git_delete_branch", Description: "Deletes a branch, merged or not. What is on no other branch is lost."}, r.deleteBranch),
	)
}

type repository struct{ folder string }

func (r repository) status(ctx context.Context, _ struct{}) (string, error) {
	return r.git(ctx, "status", "--short", "--branch")
}

type logInput struct {
	Branch string `json:"branch,omitempty" jsonschema:"the branch; the current one when left out"`
	Count  int    `json:"count,omitempty" jsonschema:"how many commits, 10 when left out and 100 at most"`
}

type commitLine struct {
	Hash    string `json:"hash" jsonschema:"the abbreviated hash"`
	Author  string `json:"author"`
	Subject string `json:"subject" jsonschema:"the first line of the message"`
}

func (r repository) log(ctx context.Context, in logInput) ([]commitLine, error) {
	if in.Count < 1 {
		in.Count = 10
	}
	branch, err := ref(in.Branch)
	if err != nil {
		return nil, err
	}
	out, err := r.git(ctx, "log", fmt.Sprintf("-%d", min(in.Count, 100)), "--format=%h%x00%an%x00%s", branch, "--")
	if err != nil {
		return nil, err
	}
	commits := []commitLine{}
	for line := range strings.Lines(out) {
		if f := strings.SplitN(strings.TrimSpace(line), "\x00", 3); len(f) == 3 {
			commits = append(commits, commitLine{f[0], f[1], f[2]})
		}
	}
	return commits, nil
}

type commitInput struct {
	Message string `json:"message" jsonschema:"the message of the commit"`
}

func (r repository) commit(ctx context.Context, in commitInput) (string, error) {
	if strings.TrimSpace(in.Message) == "" {
		return "", toolserver.Errorf(toolserver.InvalidArgs, "a commit needs a message")
	}
	return r.git(ctx, "commit", "--all", "--message="+in.Message)
}

type branchInput struct {
	Branch string `json:"branch" jsonschema:"the branch to delete"`
}

func (r repository) deleteBranch(ctx context.Context, in branchInput) (string, error) {
	branch, err := ref(in.Branch)
	if err != nil || in.Branch == "" {
		return "", errors.Join(err, toolserver.Errorf(toolserver.InvalidArgs, "which branch?"))
	}
	return r.git(ctx, "branch", "--delete", "--force", branch)
}

// ref keeps a name from being taken for an option.
func ref(branch string) (string, error) {
	if strings.HasPrefix(branch, "-") {
		return "", toolserver.Errorf(toolserver.InvalidArgs, "%q is no branch", branch)
	}
	if branch == "" {
		return "HEAD", nil
	}
	return branch, nil
}

// git runs git in the folder. What it says on stderr is the error.
func (r repository) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", r.folder, "--no-pager"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	cmd.WaitDelay = time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", toolserver.Errorf(toolserver.Conflict, "git %s: %w: %s%s", args[0], err, out, &stderr)
	}
	return string(out), nil
}
