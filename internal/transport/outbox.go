package transport

import (
	"context"
	"fmt"
	"sync"
)

// Outbox writes the messages of one stream in turn, from a goroutine of its own, so
// that a sender can stop waiting for a peer that has stopped reading. A message
// whose sender gave up while it was being written is still written whole: half of
// it would spoil every message after it.
type Outbox struct {
	write func(msg []byte) error
	jobs  chan job
	stop  chan struct{}
	once  sync.Once
	done  chan struct{}
}

type job struct {
	msg    []byte
	result chan error
}

// NewOutbox starts an outbox that hands each message to write. Stop ends it.
func NewOutbox(write func(msg []byte) error) *Outbox {
	o := &Outbox{write: write, jobs: make(chan job), stop: make(chan struct{}), done: make(chan struct{})}
	go o.run()
	return o
}

func (o *Outbox) run() {
	defer close(o.done)
	for {
		select {
		case j := <-o.jobs:
			j.result <- o.write(j.msg)
		case <-o.stop:
			return
		}
	}
}

// Send returns once msg is written, or the context ends. The error wraps ErrClosed
// when it could not be written or the outbox has stopped. msg must not be changed
// afterwards, not even after an error.
func (o *Outbox) Send(ctx context.Context, msg []byte) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", ErrNotSent, context.Cause(ctx))
	}
	j := job{msg: msg, result: make(chan error, 1)}
	select {
	case o.jobs <- j:
		return o.wait(ctx, j)
	case <-o.stop:
		return fmt.Errorf("%w: %w", ErrNotSent, ErrClosed)
	case <-ctx.Done():
		return fmt.Errorf("%w, the peer has not taken the one before it: %w", ErrNotSent, context.Cause(ctx))
	}
}

func (o *Outbox) wait(ctx context.Context, j job) error {
	select {
	case err := <-j.result:
		if err != nil {
			return fmt.Errorf("%w: %w", ErrClosed, err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("peer has not taken the whole message, and may still do so: %w", context.Cause(ctx))
	}
}

// Stop lets the outbox take no further message. A write that is under way is not
// broken off: the caller closes the stream for that. Stop may be called twice.
func (o *Outbox) Stop() { o.once.Do(func() { close(o.stop) }) }

// Done is closed when the outbox has stopped and its last write has returned.
func (o *Outbox) Done() <-chan struct{} { return o.done }
