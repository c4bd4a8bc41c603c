package transport

import (
	"context"
	"fmt"
	"sync"
)

// Queue hands what a transport's readers find to Receive, in order and without a
// bound: a reader never waits for a slow consumer, so stderr and other streams are
// always drained. The zero Queue is not ready; use NewQueue.
type Queue struct {
	mu    sync.Mutex
	items []Incoming
	wake  chan struct{}
	err   error // why the conversation is over; nil while it goes on
}

// NewQueue returns an empty queue.
func NewQueue() *Queue { return &Queue{wake: make(chan struct{})} }

// Put appends one item; it is dropped once the queue is closed.
func (q *Queue) Put(in Incoming) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil {
		q.items = append(q.items, in)
		q.signal()
	}
}

// Close ends the queue: what it holds is still handed out, then every Get fails
// with an error that wraps both ErrClosed and cause. The first cause stays.
func (q *Queue) Close(cause error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err != nil {
		return
	}
	q.err = ErrClosed
	if cause != nil {
		q.err = fmt.Errorf("%w: %w", ErrClosed, cause)
	}
	q.signal()
}

// Err returns why the queue was closed, nil while it is open.
func (q *Queue) Err() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}

// Get returns the next item, waiting for one until the context ends.
func (q *Queue) Get(ctx context.Context) (Incoming, error) {
	for {
		in, wake, err := q.take()
		if err != nil || wake == nil {
			return in, err
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return Incoming{}, fmt.Errorf("waiting for the peer: %w", context.Cause(ctx))
		}
	}
}

// take returns an item, or the channel to wait on, or the end.
func (q *Queue) take() (Incoming, chan struct{}, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) > 0 {
		in := q.items[0]
		q.items = q.items[1:]
		return in, nil, nil
	}
	if q.err != nil {
		return Incoming{}, nil, q.err
	}
	return Incoming{}, q.wake, nil
}

func (q *Queue) signal() {
	close(q.wake)
	q.wake = make(chan struct{})
}
