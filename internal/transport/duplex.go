package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/peerwright/peerwright/internal/wire"
)

// farewell bounds the time for the answers that a handler left out.
const farewell = 2 * time.Second

// Duplex is the Link of a transport with one stream in each direction: stdio and
// WebSocket. The transport puts in what it reads; Serve runs the handler.
type Duplex struct {
	in   *Queue
	out  *Outbox
	lost chan struct{} // closed when no answer can reach the client any more
	once sync.Once

	mu      sync.Mutex
	pending []wire.ID // requests without an answer, in the order of their coming
}

var _ Link = (*Duplex)(nil)

// NewDuplex returns a link that hands each message to write. Serve must be called,
// and lets it go.
func NewDuplex(write func(msg []byte) error) *Duplex {
	return &Duplex{in: NewQueue(), out: NewOutbox(write), lost: make(chan struct{})}
}

// Put hands in what came from the client.
func (d *Duplex) Put(in Incoming) {
	d.expect(in.Message)
	d.in.Put(in)
}

// End tells that nothing more comes from the client, which may still read answers.
// The cause is io.EOF when the client ended in good order.
func (d *Duplex) End(cause error) { d.in.Close(cause) }

// Lost tells that the client is gone, and can read nothing more either.
func (d *Duplex) Lost(cause error) {
	d.in.Close(cause)
	d.once.Do(func() { close(d.lost) })
}

// Receive implements Link.
func (d *Duplex) Receive(ctx context.Context) (Incoming, error) { return d.in.Get(ctx) }

// Send implements Link. When a write fails, the client counts as gone.
func (d *Duplex) Send(ctx context.Context, a Answer) error {
	err := d.out.Send(ctx, a.Raw)
	if errors.Is(err, ErrClosed) {
		d.Lost(err)
	}
	if err != nil {
		return fmt.Errorf("sending to the client: %w", err)
	}
	d.settle(answers(a.Raw)...)
	return nil
}

// Serve runs the handler until it returns, and then answers each request that it
// left unanswered with an internal error. Its error is the handler's, but for the
// one that only says that the client ended the conversation in good order.
func (d *Duplex) Serve(ctx context.Context, h Handler) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-d.lost:
			cancel()
		case <-ctx.Done():
		}
	}()
	err := h(ctx, d)
	d.in.Close(nil)
	d.answerRest(ctx)
	d.out.Stop()
	if errors.Is(err, ErrClosed) && errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (d *Duplex) answerRest(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	d.mu.Lock()
	rest := d.pending
	d.pending = nil
	d.mu.Unlock()
	for _, id := range rest {
		const text = "Internal error: the server ended before it answered this request"
		if d.out.Send(ctx, wire.Failure(id, -32603, text, nil)) != nil {
			return
		}
	}
}

// expect notes the requests in m. One that the client cancels needs no answer.
func (d *Duplex) expect(m wire.Message) {
	for _, part := range m.Batch {
		d.expect(part)
	}
	switch {
	case m.Kind == wire.KindRequest:
		d.mu.Lock()
		d.pending = append(d.pending, m.ID)
		d.mu.Unlock()
	case m.Method == "notifications/cancelled":
		d.settle(wire.RawID(wire.Get(m.Params, "requestId")))
	}
}

// settle strikes each id off the requests without an answer.
func (d *Duplex) settle(ids ...wire.ID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, id := range ids {
		if !d.strike(func(p wire.ID) bool { return p == id }) {
			d.strike(id.Equal) // two spellings of one string
		}
	}
}

func (d *Duplex) strike(is func(wire.ID) bool) bool {
	for i, p := range d.pending {
		if is(p) {
			d.pending = append(d.pending[:i], d.pending[i+1:]...)
			return true
		}
	}
	return false
}
