package mcp

import (
	"context"
	"sync"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// conversation is one connection to the server, for one case or for many.
type conversation struct {
	client     *mcp.Client // nil when the handshake failed
	transcript *wire.Transcript
	budget     *wire.Budget
	hostile    bool

	mu     sync.Mutex
	stray  []transport.Incoming // what answered no request, oldest first
	wake   chan struct{}        // closed when stray grows; nil while nobody waits
	closed bool
}

// begun keeps the client of a conversation that was opened.
func (v *conversation) begun(client *mcp.Client, err error) (*conversation, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.client = client
	if err != nil {
		return nil, err
	}
	return v, nil
}

// observe keeps what answers no request, for as long as there is room.
func (v *conversation) observe(in transport.Incoming) {
	if v.budget.Spent() {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.stray = append(v.stray, in)
	if v.wake != nil {
		close(v.wake)
		v.wake = nil
	}
}

// await returns the first stray thing from position `from` on that want accepts,
// waiting for it until the context ends.
func (v *conversation) await(ctx context.Context, from int, want func(transport.Incoming) bool) (transport.Incoming, bool) {
	for {
		v.mu.Lock()
		for _, in := range v.stray[from:] {
			if want(in) {
				v.mu.Unlock()
				return in, true
			}
		}
		from = len(v.stray)
		if v.wake == nil {
			v.wake = make(chan struct{})
		}
		wake := v.wake
		v.mu.Unlock()
		select {
		case <-wake:
		case <-ctx.Done():
			return transport.Incoming{}, false
		}
	}
}

func (v *conversation) strayCount() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.stray)
}

func (v *conversation) straySince(from int) []transport.Incoming {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]transport.Incoming(nil), v.stray[from:]...)
}

func (v *conversation) trace(transportName string) conformance.Trace {
	tr := conformance.Trace{Frames: apart(v.transcript.Frames(0)), Transport: transportName, Hostile: v.hostile}
	if v.client != nil {
		tr.Revision = v.client.Revision
	}
	return tr
}

// apart gives each HTTP exchange a number of its own: a handshake that tries one era
// after the other makes two connections, and each counts from 1.
func apart(frames []wire.Frame) []wire.Frame {
	last, is := 0, map[int]int{}
	for i, f := range frames {
		if f.Exchange == 0 {
			continue
		}
		if f.Kind == wire.FrameRequest || is[f.Exchange] == 0 {
			last++
			is[f.Exchange] = last
		}
		frames[i].Exchange = is[f.Exchange]
	}
	return frames
}

func (v *conversation) close(ctx context.Context) error {
	v.mu.Lock()
	done := v.closed || v.client == nil
	v.closed = true
	v.mu.Unlock()
	if done {
		return nil
	}
	return v.client.Close(ctx)
}
