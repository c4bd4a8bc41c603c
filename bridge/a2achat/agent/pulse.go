package agent

import (
	"context"
	"time"
)

// pulse ends a turn in which the agent is silent for too long, or which is too long.
type pulse struct {
	ctx   context.Context // ends with errSilent, errLong, or the caller's context
	long  context.Context // ends with errLong, or the caller's context
	timer *time.Timer
	idle  time.Duration
	stop  func()
}

func newPulse(ctx context.Context, idle, total time.Duration) *pulse {
	long, stopLong := context.WithTimeoutCause(ctx, total, errLong)
	p := &pulse{long: long, idle: idle}
	inner, cancel := context.WithCancelCause(long)
	p.ctx = inner
	p.timer = time.AfterFunc(idle, func() { cancel(errSilent) })
	p.stop = func() {
		p.timer.Stop()
		cancel(context.Canceled)
		stopLong()
	}
	return p
}

// hold stops the clock of the silence until the next beat.
func (p *pulse) hold() { p.timer.Stop() }

// beat says that the agent was heard.
func (p *pulse) beat() { p.timer.Reset(p.idle) }
