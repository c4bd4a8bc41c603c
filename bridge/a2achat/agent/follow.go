package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
)

// The bounds of asking for a task.
const (
	pollGrowth = 20              // the longest wait, in first ones
	pollTries  = 5               // failures in a row that may pass
	lastLook   = 5 * time.Second // for the one question after a silence
)

// recall asks for the task that the message goes on with, to know what earlier turns
// have told of it.
func (t *turn) recall() {
	err := t.ask(t.pulse.ctx, func(e event) error { t.model.remember(e); return nil })
	if err != nil {
		t.model.warn("the task of the earlier turn could not be asked for: " + t.clean(err.Error()))
	}
}

// follow goes on with a task after the call that began it has ended before the task
// did. began is why, nil when it just ended. The message is not sent again: the agent
// may have carried it out, and knows no message by its id (A2A issue 1987).
func (t *turn) follow(began error) error {
	if errors.Is(context.Cause(t.pulse.ctx), errSilent) {
		return t.lookOnce(began)
	}
	if t.model.taskID == "" || !t.model.came {
		return t.broken(began, nil)
	}
	immediate := began != nil
	if t.card.Streaming && !t.config.Blocking {
		immediate = true
		if err := t.resubscribe(); err != nil {
			return err
		}
	}
	if err := t.poll(began, immediate); err != nil {
		if errors.Is(err, errSilent) {
			return t.lookOnce(err)
		}
		return err
	}
	return nil
}

// resubscribe reads on in a stream of the task. That it cannot is no failure: the task
// can be asked for.
func (t *turn) resubscribe() error {
	t.unsure = true
	err := t.stream(a2ahttp.SubscribeToTask)
	var told toldError
	switch {
	case errors.As(err, &told), t.pulse.ctx.Err() != nil && !t.model.over():
		return err
	case err != nil:
		t.model.warn("the stream could not be taken up again: " + t.clean(err.Error()))
	}
	return nil
}

// poll asks for the task until the turn is over, waiting longer each time. It asks at
// least once: what a stream missed stands in the task.
func (t *turn) poll(began error, immediate bool) error {
	wait, failed := t.config.Poll, 0
	if immediate {
		wait = 0
	}
	for {
		if err := sleep(t.pulse.ctx, wait); err != nil {
			return err
		}
		wait = min(max(wait+wait/2, t.config.Poll), pollGrowth*t.config.Poll)
		before := t.model.news
		err := t.ask(t.pulse.ctx, t.model.confirm)
		if err == nil {
			failed, t.late = 0, nil
			if t.model.over() {
				return nil
			}
			if t.model.news != before {
				t.pulse.beat()
			}
			continue
		}
		failed++
		again, err := t.pardon(began, err, failed)
		if err != nil || t.model.over() {
			return err
		}
		wait = max(wait, again)
	}
}

// pardon returns how long to wait after the task could not be asked for, and an error
// where that makes no sense.
func (t *turn) pardon(began, asked error, failed int) (time.Duration, error) {
	var told toldError
	switch e := t.failure(t.pulse.ctx, asked, errclass.Call{ReadOnly: true}); {
	case errors.As(asked, &told):
		return 0, asked
	case t.model.over():
		return 0, t.unconfirmed(asked)
	case t.pulse.ctx.Err() != nil, !e.Retryable, failed == pollTries:
		return 0, t.broken(began, asked)
	default:
		return e.SuggestedBackoff, nil
	}
}

// ask asks for the task. That it answers is no news by itself.
func (t *turn) ask(ctx context.Context, take func(event) error) error {
	id := t.model.taskID
	reply, err := t.client.Send(ctx, a2ahttp.Request{Op: a2ahttp.GetTask, Params: idParams(id), Header: t.header})
	if err != nil {
		return err
	}
	e, err := readEvent(reply.Result, t.card.proto())
	if err != nil {
		return err
	}
	return take(e)
}

// unconfirmed takes what came for the whole, where the task cannot be asked for.
func (t *turn) unconfirmed(err error) error {
	t.model.warn("the task could not be asked for, so that something may be missing: " + t.clean(err.Error()))
	for _, e := range t.late {
		if err := t.model.apply(e); err != nil {
			return err
		}
	}
	t.late = nil
	return nil
}

// lookOnce asks once more for a task whose agent has been silent for too long: it may
// be over, and the word of that lost.
func (t *turn) lookOnce(silence error) error {
	if t.model.taskID == "" {
		return silence
	}
	ctx, cancel := context.WithTimeout(t.pulse.long, lastLook)
	defer cancel()
	var told toldError
	if err := t.ask(ctx, t.model.confirm); errors.As(err, &told) {
		return err
	}
	if !t.model.over() {
		return silence
	}
	return nil
}

// broken tells of a task that was left unfinished. began is why the answer to the
// message ended, nil when it just did; asked is why the task could not be asked for.
func (t *turn) broken(began, asked error) error {
	if cause := context.Cause(t.pulse.ctx); cause != nil {
		return cause
	}
	text := "its answer ended before the task did"
	if began != nil {
		text = t.classify(t.pulse.ctx, began, errclass.Call{}).Message
	}
	if t.model.state != "" {
		text += fmt.Sprintf(" (the task is %s)", t.model.state)
	}
	if asked != nil {
		text += "; the task could not be asked for: " + t.classify(t.pulse.ctx, asked, errclass.Call{ReadOnly: true}).Message
	}
	return errclass.FromTransport(errclass.Closed, errors.New(text), errclass.Call{})
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
