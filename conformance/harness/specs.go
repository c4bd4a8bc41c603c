package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/extensions/globals"
	"github.com/onsi/ginkgo/v2/formatter"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/reporters"
)

// one keeps runs apart: Ginkgo holds its tree of specs and its configuration in
// package variables.
var one sync.Mutex //nolint:gochecknoglobals // guards Ginkgo's own globals

// grace is how long after a case's deadline Ginkgo waits for it to give up by
// itself, which it does with a better message.
const grace = 5 * time.Second

// verdict is all that RunSpecs asks of a *testing.T.
type verdict struct{}

// Fail does nothing: what came of each case is collected, not whether one failed.
func (verdict) Fail() {}

// specs runs the planned cases as specs, in their order.
func (r *run) specs(ctx context.Context) error {
	if len(r.todo) == 0 {
		return nil
	}
	one.Lock()
	defer one.Unlock()
	globals.Reset()
	formatter.ColorableStdOut = io.Discard
	formatter.SingletonFormatter.ColorMode = formatter.ColorModePassthrough
	var report types.Report
	ginkgo.ReportAfterSuite("collect", func(rep types.Report) { report = rep })
	ginkgo.Describe("peer", func() {
		for i, c := range r.todo {
			r.spec(ctx, i, c)
		}
	})
	suite, console := types.NewDefaultSuiteConfig(), types.NewDefaultReporterConfig()
	suite.RandomSeed, suite.FailOnEmpty = 1, true
	ginkgo.RunSpecs(verdict{}, "peer", suite, console)
	return r.collect(ctx, report)
}

func (r *run) spec(ctx context.Context, i int, c conformance.Case) {
	timeout := r.options.timeout(c.Timeout)
	// Specs of one container run by file, line and text: the line keeps our order.
	at := types.CodeLocation{FileName: "suite", LineNumber: i + 1}
	ginkgo.It(c.ID, ginkgo.Label(string(c.Area), string(c.Level)), at, ginkgo.NodeTimeout(timeout+grace),
		func(sc ginkgo.SpecContext) {
			if r.options.Progress != nil {
				r.options.Progress(i+1, len(r.todo), c.ID)
			}
			result := r.try(ctx, sc, c, timeout)
			r.put(result)
			pass(result)
		})
}

// pass tells Ginkgo what came of the case.
func pass(result reporters.Case) {
	switch result.Status {
	case reporters.Passed:
	case reporters.NotVerified, reporters.NotApplicable, reporters.Skipped:
		ginkgo.Skip(result.Reason)
	default:
		ginkgo.Fail(string(result.Status)+": "+result.Reason+result.Actual, 1)
	}
}

// try runs one case under its deadline, unless the peer is lost or the user has had
// enough.
func (r *run) try(outer context.Context, sc ginkgo.SpecContext, c conformance.Case, timeout time.Duration) reporters.Case {
	result := describe(c.Meta)
	result.Status = reporters.Errored
	if result.Reason = r.stopped(outer); result.Reason != "" {
		return result
	}
	ctx, cancel := context.WithTimeoutCause(outer, timeout, fmt.Errorf("no answer within %v", timeout))
	defer cancel()
	defer context.AfterFunc(sc, cancel)()
	out := conformance.Try(ctx, r.target, c, r.options.Now)
	cut := outer.Err() != nil || errors.Is(context.Cause(ctx), context.Canceled) // Ginkgo hears signals too
	if cut && out.Status != reporters.Passed {
		result.Reason = interrupted(outer)
		return result
	}
	r.opened(out)
	return r.report(result, c, out)
}

func (r *run) stopped(ctx context.Context) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	return r.lost
}

// interrupted is the reason of what was not judged because the user had enough: what
// came of a case that was cut off says nothing about the peer.
func interrupted(ctx context.Context) string {
	if cause := context.Cause(ctx); cause != nil {
		return "the run was interrupted: " + cause.Error()
	}
	return "the run was interrupted"
}

// maxUnopened is how many cases in a row may have no handle before the rest are not
// tried: each would wait as long, and a peer that refuses is not to be pestered.
const maxUnopened = 3

// opened counts the cases that had no handle, and gives the peer up in time.
func (r *run) opened(out conformance.Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !out.Unopened {
		r.unopened = 0
		return
	}
	r.unopened++
	if out.Unreachable || r.unopened == maxUnopened {
		r.lost = r.clean(out.Broken)
	}
}

// collect makes sure that every case has a result: those that Ginkgo had to end by
// itself are the suite's errors.
func (r *run) collect(ctx context.Context, report types.Report) error {
	ran := map[string]types.SpecReport{}
	for _, s := range report.SpecReports.WithLeafNodeType(types.NodeTypeIt) {
		ran[s.LeafNodeText] = s
	}
	for _, c := range r.todo {
		s, ok := ran[c.ID]
		if !ok {
			return fmt.Errorf("case %s was not run: %s", c.ID, strings.Join(report.SpecialSuiteFailureReasons, "; "))
		}
		result := describe(c.Meta)
		result.Status, result.Reason = reporters.Errored, "the suite gave up on it: "+s.State.String()+" "+r.clean(s.FailureMessage())
		if s.State.Is(types.SpecStateSkipped | types.SpecStateInterrupted) { // by a signal: a case skips itself otherwise
			result.Reason = interrupted(ctx)
		}
		r.put(result) // has no effect on a case that came to an end
	}
	if len(ran) != len(r.todo) {
		return errors.New("ginkgo ran specs that the suite does not know")
	}
	return nil
}
