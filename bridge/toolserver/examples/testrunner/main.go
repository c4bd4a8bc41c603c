// Command testrunner lets a model run the Go tests of one module over stdio. A run that
// takes too long is ended, and of what it says only the end is given back.
//
//	testrunner -audit audit.db /path/to/module
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"time"

	"github.com/peerwright/peerwright/bridge/toolserver"
)

func main() {
	audit := flag.String("audit", "", "the file of the audit log")
	flag.Parse()
	s, err := newServer(runner{folder: flag.Arg(0), most: 64 << 10}, 2*time.Minute, toolserver.Options{Audit: *audit})
	if err == nil {
		err = errors.Join(s.Stdio(context.Background()), s.Close())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testrunner:", err)
		os.Exit(1)
	}
}

// newServer offers the tests. Running them is a write: tests may do anything.
func newServer(r runner, limit time.Duration, o toolserver.Options) (*toolserver.Server, error) {
	s, err := toolserver.New("test-runner", o)
	if err != nil {
		return nil, err
	}
	return s, errors.Join(
		toolserver.Add(s, toolserver.ReadOnly, toolserver.Tool{Name: "list_packages", Description: "Lists the packages of the module.", Timeout: limit}, r.list),
		toolserver.Add(s, toolserver.Write, toolserver.Tool{Name: "run_tests", Description: "Runs tests, and returns the end of their output.", Timeout: limit, Idempotent: true}, r.run),
	)
}

type runner struct {
	folder string
	most   int // bytes of output that are given back
}

func (r runner) list(ctx context.Context, _ struct{}) (runOutput, error) {
	return r.command(ctx, "list", "./...")
}

type runInput struct {
	Package string `json:"package,omitempty" jsonschema:"a package path such as ./internal/wire; all when left out"`
	Run     string `json:"run,omitempty" jsonschema:"a regular expression of the tests to run"`
}

type runOutput struct {
	Passed    bool   `json:"passed"`
	Output    string `json:"output" jsonschema:"the end of what was written"`
	Truncated bool   `json:"truncated" jsonschema:"the beginning of the output was left out"`
}

// packages are paths within the module: no options, and nothing outside.
var packages = regexp.MustCompile(`^\./[A-Za-z0-9_./-]*$`)

func (r runner) run(ctx context.Context, in runInput) (runOutput, error) {
	if in.Package == "" {
		in.Package = "./..."
	}
	if !packages.MatchString(in.Package) || regexp.MustCompile(`(^|/)\.\.(/|$)`).MatchString(in.Package) {
		return runOutput{}, toolserver.Errorf(toolserver.InvalidArgs, "%q is no package of this module", in.Package)
	}
	return r.command(ctx, "test", "-count=1", "-run="+in.Run, in.Package)
}

// command runs go with the arguments. That it fails is a result, too.
func (r runner) command(ctx context.Context, args ...string) (runOutput, error) {
	out := &tail{most: r.most}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.folder, out, out
	cmd.WaitDelay = time.Second // a test's own children may hold the pipe
	err := cmd.Run()
	var failed *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return runOutput{}, context.Cause(ctx)
	case err != nil && !errors.As(err, &failed):
		return runOutput{}, err
	}
	return runOutput{Passed: err == nil, Output: string(out.kept), Truncated: out.cut}, nil
}

// tail keeps the end of what is written.
type tail struct {
	most int
	kept []byte
	cut  bool
}

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - t.most; over > 0 {
		t.kept, t.cut = append(t.kept[:0], t.kept[over:]...), true
	}
	return len(p), nil
}
