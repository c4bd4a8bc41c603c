package mutants_test

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/conformance/mutants"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// TestMain lets garbage lie: three hundred peers go through the suite here, and under
// the race detector a quarter of the time would go into collecting.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

// ruling is what came of one rule for one peer.
type ruling struct {
	id     string
	status reporters.Status
	conformance.Finding
	frames []wire.Frame
}

// limit bounds a case that sets no bound of its own.
const limit = 10 * time.Second

// check puts one mutant through the whole suite, as the harness does, but without a
// runner that takes one peer at a time.
func (s side) check(t *testing.T, m mutants.Mutant) []ruling {
	t.Helper()
	target, stop, err := m.Target(s.protocol)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	return putThrough(t, s.suite, target)
}

// putThrough puts one target through a suite, and closes it.
func putThrough(t *testing.T, suite conformance.Suite, target conformance.Target) []ruling {
	t.Helper()
	defer func() {
		if err := target.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	survey, err := target.Survey(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var all []ruling
	for _, c := range suite.Cases {
		if plan := c.PlanFor(survey); plan.Status != "" {
			all = append(all, ruling{id: c.ID, status: plan.Status, Finding: conformance.Finding{Unverified: plan.Reason}})
			continue
		}
		all = append(all, try(t.Context(), target, c))
	}
	traces := target.Traces()
	for _, m := range suite.Monitors {
		status := m.PlanFor(survey).Status
		if status == "" {
			all = append(all, judge(m, traces))
			continue
		}
		all = append(all, ruling{id: m.ID, status: status})
	}
	return all
}

func try(ctx context.Context, target conformance.Target, c conformance.Case) ruling {
	timeout := limit
	if c.Timeout > 0 {
		timeout = c.Timeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no answer within %v", timeout))
	defer cancel()
	out := conformance.Try(ctx, target, c, time.Now)
	return ruling{c.ID, out.Status, out.Finding, out.Frames}
}

func judge(m conformance.Monitor, traces []conformance.Trace) ruling {
	r := ruling{id: m.ID, status: reporters.NotVerified}
	for _, trace := range traces {
		if !slices.Contains(m.Revisions, trace.Revision) {
			continue
		}
		j := m.Judge(trace)
		if j.Exercised > 0 && r.status == reporters.NotVerified {
			r.status = reporters.Passed
		}
		if len(j.Violations) == 0 || r.status == m.Broken() {
			continue
		}
		first := j.Violations[0]
		r.status, r.Expected, r.Actual = m.Broken(), first.Expected, first.Actual
		r.frames = slices.DeleteFunc(slices.Clone(trace.Frames), func(f wire.Frame) bool { return !slices.Contains(first.Frames, f.Seq) })
	}
	return r
}

// broken lists the rules that were found broken, and describes how.
func broken(all []ruling) (ids []string, details string) {
	var b strings.Builder
	for _, r := range all {
		switch r.status {
		case reporters.Passed, reporters.NotApplicable, reporters.NotVerified:
			continue
		}
		ids = append(ids, r.id)
		fmt.Fprintf(&b, "%s is %s: expected %s; got %s %s\n", r.id, r.status, r.Expected, r.Actual, r.Broken)
		for _, f := range r.frames {
			text := string(f.Data)
			if len(text) > 400 {
				text = text[:400] + "…"
			}
			fmt.Fprintf(&b, "    %s %s %d %s %d %s\n", f.Dir, f.Kind, f.Exchange, f.Method, f.Status, text)
		}
	}
	slices.Sort(ids)
	return ids, b.String()
}
