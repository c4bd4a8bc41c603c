package conformance

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/peerwright/peerwright/reporters"
)

// caseTimeout bounds each case of Test that sets no bound of its own.
const caseTimeout = 10 * time.Second

// Test puts the target through the suite in a go test, a subtest each. A broken MUST
// fails its subtest, a broken SHOULD is logged, and what does not apply or could not
// be exercised is skipped with the reason. Test closes the target.
func Test(t *testing.T, target Target, suite Suite) {
	t.Helper()
	t.Cleanup(func() {
		if err := target.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("closing the peer: %v", err)
		}
	})
	survey, err := target.Survey(t.Context())
	if err != nil {
		t.Fatalf("surveying the peer: %v", err)
	}
	for _, c := range suite.Cases {
		t.Run(c.ID, func(t *testing.T) {
			skipUnless(t, c.PlanFor(survey))
			tell(t, c.Meta, try(t, target, c))
		})
	}
	traces := target.Traces()
	for _, m := range suite.Monitors {
		t.Run(m.ID, func(t *testing.T) {
			skipUnless(t, m.PlanFor(survey))
			read(t, m, traces)
		})
	}
}

func skipUnless(t *testing.T, p Plan) {
	t.Helper()
	if p.Status != "" {
		t.Skipf("%s: %s", p.Status, p.Reason)
	}
}

func try(t *testing.T, target Target, c Case) Outcome {
	t.Helper()
	limit := c.Timeout
	if limit == 0 {
		limit = caseTimeout
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	return Try(ctx, target, c, time.Now)
}

func tell(t *testing.T, m Meta, out Outcome) {
	t.Helper()
	switch out.Status {
	case reporters.Passed:
	case reporters.NotVerified:
		t.Skipf("not verified: %s", out.Unverified)
	case reporters.Errored:
		t.Fatal(out.Broken)
	case reporters.Warned:
		t.Logf("warned: expected %s; got %s\n%s", out.Expected, out.Actual, m.about())
	default:
		t.Errorf("expected %s; got %s\n%s", out.Expected, out.Actual, m.about())
	}
}

func (m Meta) about() string {
	return string(m.Level) + ": " + m.Rule.Text + "\n" + m.Rule.URL + "\n" + m.Fix
}

// read lets a monitor judge every conversation of its revisions.
func read(t *testing.T, m Monitor, traces []Trace) {
	t.Helper()
	exercised := 0
	for _, trace := range traces {
		if !slices.Contains(m.Revisions, trace.Revision) {
			continue
		}
		j := m.Judge(trace)
		exercised += j.Exercised
		for _, v := range j.Violations {
			tell(t, m.Meta, Outcome{Status: m.Broken(), Finding: Finding{Expected: v.Expected, Actual: v.Actual}})
		}
	}
	if exercised == 0 && !t.Failed() {
		t.Skip("not verified: nothing that travelled put the rule to work")
	}
}
