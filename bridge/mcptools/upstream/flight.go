package upstream

import "context"

// flight is something that is being done once for all who wait for it.
type flight[T any] struct {
	done  chan struct{}
	value T
	err   error
}

func newFlight[T any]() *flight[T] { return &flight[T]{done: make(chan struct{})} }

func (f *flight[T]) land(value T, err error) {
	f.value, f.err = value, err
	close(f.done)
}

// wait returns what came of it, or why the context ended before.
func (f *flight[T]) wait(ctx context.Context) (T, error) {
	select {
	case <-f.done:
		return f.value, f.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
