package harness

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/redact"
	"github.com/peerwright/peerwright/reporters"
)

// Options say how. The zero value is ready to use.
type Options struct {
	Select   Selection
	Timeout  time.Duration                    // of each case that sets none of its own; 0 means DefaultTimeout
	Start    time.Duration                    // of the start and survey of the peer; 0 means Timeout
	Now      func() time.Time                 // nil means time.Now
	Redactor *redact.Redactor                 // for what the report quotes; nil means one with a key that nobody keeps
	Progress func(done, total int, id string) // nil tells no one
}

// DefaultTimeout bounds each case that sets no bound of its own.
const DefaultTimeout = 10 * time.Second

// Run puts one peer through the suite and closes the target. A peer that cannot be
// reached is a Peer with Error, and the error beside it says the same. Run may be
// called again, but not twice at once: a second call waits.
func Run(ctx context.Context, t conformance.Target, s conformance.Suite, o Options) (reporters.Peer, error) {
	o = o.withDefaults()
	survey, err := survey(ctx, t, o)
	if err != nil {
		peer := reporters.Peer{Error: string(o.Redactor.Text([]byte(err.Error())))}
		return peer, errors.Join(err, t.Close(context.WithoutCancel(ctx)))
	}
	run := &run{target: t, suite: s, options: o, survey: survey, results: map[string]reporters.Case{}}
	run.plan()
	if err := run.specs(ctx); err != nil {
		return reporters.Peer{}, errors.Join(err, t.Close(context.WithoutCancel(ctx)))
	}
	run.monitors(ctx)
	peer := run.peer()
	if err := t.Close(context.WithoutCancel(ctx)); err != nil {
		return peer, fmt.Errorf("closing the peer: %w", err)
	}
	return peer, nil
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Redactor == nil {
		key := make([]byte, 32)
		_, _ = rand.Read(key) // never fails
		o.Redactor = redact.New(key)
	}
	return o
}

func survey(ctx context.Context, t conformance.Target, o Options) (conformance.Survey, error) {
	limit := o.timeout(o.Start)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer within %v", limit))
	defer cancel()
	s, err := t.Survey(ctx)
	if err != nil {
		return s, fmt.Errorf("surveying the peer: %w", err)
	}
	return s, nil
}

func (o Options) timeout(own time.Duration) time.Duration {
	switch {
	case own > 0:
		return own
	case o.Timeout > 0:
		return o.Timeout
	}
	return DefaultTimeout
}
