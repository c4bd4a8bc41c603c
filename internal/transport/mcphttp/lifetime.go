package mcphttp

import (
	"context"
	"sync"

	"github.com/peerwright/peerwright/internal/transport"
)

// lifetime starts the handlers of a server, and ends them with it.
type lifetime struct {
	handler transport.Handler
	ctx     context.Context // the server's own
	stop    context.CancelCauseFunc

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

func newLifetime(h transport.Handler) *lifetime {
	l := &lifetime{handler: h}
	l.ctx, l.stop = context.WithCancelCause(context.Background())
	return l
}

// run starts the handler for a link; done is told what its end means for the
// requests that it left open. The handler's context ends with ctx and with the
// server. It returns false when the server is closed.
func (l *lifetime) run(ctx context.Context, link transport.Link, done func(reason string)) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(l.ctx, func() { cancel(transport.ErrClosed) })
	l.running.Go(func() {
		defer cancel(nil)
		defer stop()
		done(failure(l.handler(ctx, link)))
	})
	return true
}

// failure is the text of the error for a request that the handler left open. Why it
// did is not for the client to see.
func failure(err error) string {
	if err != nil {
		return "the server failed before it answered"
	}
	return "the server did not answer"
}

func (l *lifetime) isOver() bool { return l.ctx.Err() != nil }

// close ends every handler and waits for them.
func (l *lifetime) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.stop(transport.ErrClosed)
	l.running.Wait()
}
