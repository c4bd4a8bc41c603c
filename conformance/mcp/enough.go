package mcp

import (
	"context"
	"slices"
	"time"

	"github.com/peerwright/peerwright/conformance"
)

// enough returns conformance.ErrTooMuch once the server has sent more than is kept, and
// err until then.
func (t *Target) enough(err error) error {
	if t.budget.Spent() {
		return conformance.ErrTooMuch
	}
	return err
}

// hangUp ends every conversation with a server that sends without end: nobody would
// read on.
func (t *Target) hangUp() {
	t.mu.Lock()
	all := slices.Clone(t.all)
	t.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second) // it had its time
	defer cancel()
	for _, conv := range all {
		conv.hangUp(ctx)
	}
}

// hangUp ends the connection and leaves the rest to close, which waits for it.
func (v *conversation) hangUp(ctx context.Context) {
	v.mu.Lock()
	client := v.client
	v.mu.Unlock()
	if client != nil {
		_ = client.Conn().Close(ctx) // close tells
	}
}
