package conformance

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// Outcome is what came of one case.
type Outcome struct {
	Status reporters.Status
	Finding
	Frames   []wire.Frame // what travelled while the case ran
	Duration time.Duration
	// Unopened tells that no handle could be had; Unreachable that nobody is there, so
	// that other cases need not try.
	Unopened, Unreachable bool
}

// ended is how a case unwinds; only Try recovers it.
type ended struct{ skipped bool }

// Try puts the target's peer through one case, in a handle of its own, and judges.
// A broken MUST is failed, a broken SHOULD or MAY warned. A panic in a case is the
// suite's fault, and errored. now is the clock for the duration.
func Try(ctx context.Context, t Target, c Case, now func() time.Time) Outcome {
	start := now()
	p, err := t.Open(ctx, c.Isolated)
	if err != nil {
		f := Finding{Broken: "the peer could not be used: " + err.Error()}
		lost := errors.Is(err, transport.ErrUnreachable)
		return Outcome{Status: reporters.Errored, Finding: f, Duration: now().Sub(start), Unopened: true, Unreachable: lost}
	}
	out := Outcome{}
	out.Status, out.Finding = run(ctx, c, p)
	out.Frames, out.Duration = p.Frames(), now().Sub(start)
	p.Release(context.WithoutCancel(ctx), out.Status != reporters.Passed && out.Status != reporters.NotVerified)
	return out
}

func run(ctx context.Context, c Case, p Peer) (status reporters.Status, f Finding) {
	check := NewCheck(Ends{
		Fail: func(string, ...int) { panic(ended{}) },
		Skip: func(string) { panic(ended{skipped: true}) },
	})
	defer func() {
		f = check.Finding()
		switch r := recover().(type) {
		case nil:
			status = reporters.Passed
		case ended:
			status = c.judge(r, f)
		default:
			status = reporters.Errored
			f.Broken = fmt.Sprintf("the suite failed in %s: %v\n%s", c.ID, r, debug.Stack())
		}
	}()
	c.Run(ctx, check, p)
	return reporters.Passed, f
}

func (m Meta) judge(e ended, f Finding) reporters.Status {
	switch {
	case f.Broken != "":
		return reporters.Errored
	case e.skipped:
		return reporters.NotVerified
	}
	return m.Broken()
}

// Broken returns the status of a rule that did not hold.
func (m Meta) Broken() reporters.Status {
	if m.Level == reporters.Must {
		return reporters.Failed
	}
	return reporters.Warned
}
