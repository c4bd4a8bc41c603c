package harness_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/onsi/gomega"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/conformance/harness"
	"github.com/peerwright/peerwright/internal/redact"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

const has, lacks = conformance.Feature("widgets"), conformance.Feature("gadgets")

// peer is a target that is there, or is not.
type peer struct {
	away   error // what Survey says
	opened int
	lost   int // from which Open on the peer is gone; 0 never
	closed int
}

func (p *peer) Survey(ctx context.Context) (conformance.Survey, error) {
	if p.away != nil {
		return conformance.Survey{}, p.away
	}
	return conformance.Survey{
		Protocol: conformance.MCP, Transport: "test", Target: "here", Name: "peer", Version: "1", Revision: "r1",
		Features: map[conformance.Feature]conformance.Offer{has: {Usable: true}, "things": {Why: "it offers no thing"}},
	}, ctx.Err()
}

func (p *peer) Open(context.Context, bool) (conformance.Peer, error) {
	p.opened++
	if p.lost > 0 && p.opened >= p.lost {
		return nil, fmt.Errorf("dialling: %w", transport.ErrUnreachable)
	}
	return handle{}, nil
}

func (p *peer) Traces() []conformance.Trace {
	return []conformance.Trace{{Frames: handle{}.Frames(), Revision: "r1"}, {Revision: "another"}}
}
func (p *peer) Calls() []reporters.Call { return []reporters.Call{{Tool: "t", Why: "w", Count: 1}} }
func (p *peer) Close(context.Context) error {
	p.closed++
	return nil
}

type handle struct{}

func (handle) Frames() []wire.Frame {
	return []wire.Frame{
		{Seq: 1, Dir: wire.Out, Kind: wire.FrameRequest, Method: "POST", URL: "http://h/?token=canary-1", Header: http.Header{"Authorization": {"Bearer canary-2"}}},
		{Seq: 2, Dir: wire.In, Kind: wire.FrameMessage, Data: []byte(`{"password":"canary-3"}` + "\n")},
	}
}
func (handle) Release(context.Context, bool) {}

func meta(id string, level reporters.Level, needs ...conformance.Feature) conformance.Meta {
	return conformance.Meta{
		ID: id, Title: id, Protocol: conformance.MCP, Area: conformance.Errors, Level: level,
		Revisions: []string{"r1"}, Needs: needs, Rule: reporters.Rule{Text: "rule", URL: "https://example.org/"}, Fix: "mend it",
	}
}

func a(id string, level reporters.Level, run func(context.Context, *conformance.Check), needs ...conformance.Feature) conformance.Case {
	return conformance.Case{Meta: meta(id, level, needs...), Run: func(ctx context.Context, c *conformance.Check, _ conformance.Peer) { run(ctx, c) }}
}

func good(context.Context, *conformance.Check) {}

func bad(_ context.Context, c *conformance.Check) { c.That(false, "a thing", "%d things", 2) }

func suite() conformance.Suite {
	other := a("z.other-revision", reporters.Must, good)
	other.Revisions = []string{"r2"}
	return conformance.Suite{
		Cases: []conformance.Case{
			a("m.good", reporters.Must, good, has),
			a("b.bad-must", reporters.Must, bad),
			a("c.bad-should", reporters.Should, bad),
			a("d.no-gadgets", reporters.Must, bad, lacks),
			a("e.no-thing", reporters.Must, bad, "things"),
			a("f.unverified", reporters.Must, func(_ context.Context, c *conformance.Check) { c.NotVerified("it said %s", "nothing") }),
			a("g.panic", reporters.Must, func(context.Context, *conformance.Check) { panic("slip") }),
			a("h.gomega", reporters.Must, func(_ context.Context, c *conformance.Check) { c.Expect(1).To(gomega.Equal(2)) }),
			a("i.hangs", reporters.Must, func(ctx context.Context, c *conformance.Check) {
				<-ctx.Done()
				c.Answered(context.Cause(ctx), "a question")
			}),
			a("j.unreachable", reporters.Must, func(_ context.Context, c *conformance.Check) {
				c.Answered(transport.ErrUnreachable, "a question")
			}),
			other,
		},
		Monitors: []conformance.Monitor{
			{Meta: meta("n.seen", reporters.Must), Judge: func(tr conformance.Trace) conformance.Judgement {
				return conformance.Judgement{Exercised: len(tr.Frames)}
			}},
			{Meta: meta("o.unseen", reporters.Must), Judge: func(conformance.Trace) conformance.Judgement { return conformance.Judgement{} }},
			{Meta: meta("p.broken", reporters.Must), Judge: func(tr conformance.Trace) conformance.Judgement {
				v := conformance.Violation{Expected: "x", Actual: "y", Frames: []int{2}}
				return conformance.Judgement{Exercised: 2, Violations: []conformance.Violation{v, v}}
			}},
		},
	}
}

func options() harness.Options {
	return harness.Options{Timeout: 200 * time.Millisecond, Now: time.Now, Redactor: redact.New([]byte("key"))}
}

func statuses(p reporters.Peer) map[string]reporters.Status {
	m := map[string]reporters.Status{}
	for _, c := range p.Cases {
		m[c.ID] = c.Status
	}
	return m
}

func find(t *testing.T, p reporters.Peer, id string) reporters.Case {
	t.Helper()
	i := slices.IndexFunc(p.Cases, func(c reporters.Case) bool { return c.ID == id })
	if i < 0 {
		t.Fatalf("no case %s in the report", id)
	}
	return p.Cases[i]
}

func wantStatuses() map[string]reporters.Status {
	return map[string]reporters.Status{
		"m.good": reporters.Passed, "b.bad-must": reporters.Failed, "c.bad-should": reporters.Warned,
		"d.no-gadgets": reporters.NotApplicable, "e.no-thing": reporters.NotVerified, "f.unverified": reporters.NotVerified,
		"g.panic": reporters.Errored, "h.gomega": reporters.Failed, "i.hangs": reporters.Failed,
		"j.unreachable": reporters.Errored, "z.other-revision": reporters.NotApplicable,
		"n.seen": reporters.Passed, "o.unseen": reporters.NotVerified, "p.broken": reporters.Failed,
	}
}

// Twice in one process, with the same result: Ginkgo keeps its state in globals.
func TestEveryStatusTwice(t *testing.T) {
	for range 2 {
		target := &peer{}
		got, err := harness.Run(t.Context(), target, suite(), options())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(wantStatuses(), statuses(got)); d != "" {
			t.Error(d)
		}
		if target.closed != 1 {
			t.Errorf("the target was closed %d times", target.closed)
		}
	}
}

func TestWhatAResultSays(t *testing.T) {
	got, err := harness.Run(t.Context(), &peer{}, suite(), options())
	if err != nil {
		t.Fatal(err)
	}
	if c := find(t, got, "b.bad-must"); c.Expected != "a thing" || c.Actual != "2 things" || c.Fix != "mend it" || len(c.Transcript) != 2 {
		t.Errorf("a failed case says %+v", c)
	}
	if c := find(t, got, "m.good"); c.Transcript != nil || c.Reason != "" {
		t.Errorf("a passed case says %+v", c)
	}
	if c := find(t, got, "e.no-thing"); c.Reason != "it offers no thing" {
		t.Errorf("a case that nothing could exercise says %q", c.Reason)
	}
	if c := find(t, got, "i.hangs"); !strings.Contains(c.Actual, "no answer within 200ms") {
		t.Errorf("a case that ran out of time says %q", c.Actual)
	}
	if c := find(t, got, "p.broken"); len(c.Transcript) != 1 || !strings.Contains(c.Reason, "4 times") && !strings.Contains(c.Reason, "2 times") {
		t.Errorf("a monitor that found something says %+v", c)
	}
	for _, c := range got.Cases {
		for _, f := range c.Transcript {
			if strings.Contains(f.Text, "canary") {
				t.Errorf("a secret stands in the report: %s", f.Text)
			}
		}
	}
}

func TestAPeerThatIsAway(t *testing.T) {
	target := &peer{away: fmt.Errorf("dialling: %w", transport.ErrUnreachable)}
	got, err := harness.Run(t.Context(), target, suite(), options())
	if !errors.Is(err, transport.ErrUnreachable) || got.Error == "" || target.closed != 1 {
		t.Errorf("got %+v, %v, closed %d times", got, err, target.closed)
	}
}

func TestAPeerThatGoesAway(t *testing.T) {
	got, err := harness.Run(t.Context(), &peer{lost: 3}, suite(), options())
	if err != nil {
		t.Fatal(err)
	}
	errored := 0
	for id, status := range statuses(got) {
		if status == reporters.Errored && !strings.Contains(find(t, got, id).Reason, "could not be") {
			t.Errorf("%s says %q", id, find(t, got, id).Reason)
		}
		if status == reporters.Errored {
			errored++
		}
	}
	if errored != 6 { // all planned cases but the first two
		t.Errorf("%d cases errored", errored)
	}
}

func TestAnInterruptedRunIsNotComplete(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	s := suite()
	s.Cases = append([]conformance.Case{a("a.first", reporters.Must, func(context.Context, *conformance.Check) {
		cancel(errors.New("the user pressed ^C"))
	})}, s.Cases...)
	got, err := harness.Run(ctx, &peer{}, s, options())
	if err != nil {
		t.Fatal(err)
	}
	if c := find(t, got, "m.good"); c.Status != reporters.Errored || !strings.Contains(c.Reason, "^C") {
		t.Errorf("a case after the interrupt: %+v", c)
	}
}

func TestSelection(t *testing.T) {
	o := options()
	o.Select = harness.Selection{Only: []string{"m.*", "n.*", "b.*"}, Skip: []string{"b.bad-*"}}
	got, err := harness.Run(t.Context(), &peer{}, suite(), o)
	if err != nil {
		t.Fatal(err)
	}
	for id, status := range statuses(got) {
		if taken := id == "m.good" || id == "n.seen"; taken != (status == reporters.Passed) || !taken && status != reporters.Skipped {
			t.Errorf("%s is %s", id, status)
		}
	}
	if err := (harness.Selection{Skip: []string{"m.god"}}).Check(suite()); err == nil || !strings.Contains(err.Error(), `"m.god" fits no case`) {
		t.Errorf("a pattern that fits nothing: %v", err)
	}
	if err := (harness.Selection{Only: []string{"m.["}}).Check(suite()); err == nil {
		t.Error("a broken pattern passed")
	}
	if err := o.Select.Check(suite()); err != nil {
		t.Error(err)
	}
}

func TestProgressAndOrder(t *testing.T) {
	o := options()
	var seen []string
	o.Progress = func(done, total int, id string) { seen = append(seen, fmt.Sprintf("%d/%d %s", done, total, id)) }
	if _, err := harness.Run(t.Context(), &peer{}, suite(), o); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 8 || seen[0] != "1/8 m.good" || seen[7] != "8/8 j.unreachable" {
		t.Errorf("cases ran as %q", seen)
	}
}

func TestDigestChangesWithTheQuestions(t *testing.T) {
	s := suite()
	first := harness.Digest(s)
	if first != harness.Digest(suite()) || !strings.HasPrefix(first, "sha256:") {
		t.Errorf("the digest is not stable: %s", first)
	}
	s.Cases[0].Level = reporters.Should
	if first == harness.Digest(s) {
		t.Error("the digest does not see a level")
	}
}
