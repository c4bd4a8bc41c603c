package harness

import (
	"context"
	"fmt"
	"slices"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// monitors lets each monitor that applies read every conversation of the run, until
// the user has had enough.
func (r *run) monitors(ctx context.Context) {
	traces := r.target.Traces()
	for _, m := range r.suite.Monitors {
		if plan := r.planFor(m.Meta); plan.Status != "" {
			r.settle(m.Meta, plan)
			continue
		}
		r.put(r.judge(ctx, m, traces))
	}
}

// sighting is a violation and the conversation in which it stands.
type sighting struct {
	conformance.Violation
	frames []wire.Frame
}

func (r *run) judge(ctx context.Context, m conformance.Monitor, traces []conformance.Trace) reporters.Case {
	result, start := describe(m.Meta), r.options.Now()
	exercised := 0
	var seen []sighting
	for _, t := range traces {
		if !slices.Contains(m.Revisions, t.Revision) {
			continue
		}
		if ctx.Err() != nil {
			result.Status, result.Reason = reporters.Errored, interrupted(ctx)
			return result
		}
		j := m.Judge(t)
		exercised += j.Exercised
		for _, v := range j.Violations {
			seen = append(seen, sighting{v, t.Frames})
		}
	}
	result.DurationMS = r.options.Now().Sub(start).Milliseconds()
	switch {
	case len(seen) > 0:
		r.accuse(&result, m, seen)
	case exercised == 0:
		result.Status, result.Reason = reporters.NotVerified, "nothing that travelled put the rule to work"
	default:
		result.Status = reporters.Passed
	}
	return result
}

// accuse reports the first violation with its frames, and says how many there are.
func (r *run) accuse(result *reporters.Case, m conformance.Monitor, seen []sighting) {
	first := seen[0]
	result.Status, result.Fix = m.Broken(), m.Fix
	result.Expected, result.Actual = r.clean(first.Expected), r.clean(first.Actual)
	if len(seen) > 1 {
		result.Reason = fmt.Sprintf("seen %d times; the first is shown", len(seen))
	}
	var frames []wire.Frame
	for _, f := range first.frames {
		if slices.Contains(first.Frames, f.Seq) {
			frames = append(frames, f)
		}
	}
	result.Transcript = r.transcript(frames)
}
