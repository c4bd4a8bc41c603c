package transport_test

import (
	"context"
	"errors"
	"testing"

	"github.com/peerwright/peerwright/internal/transport"
)

// A sender who gave up knows whether the peer may have his message.
func TestWhatWasNotSentIsKnown(t *testing.T) {
	writing, hold := make(chan struct{}), make(chan struct{})
	o := transport.NewOutbox(func([]byte) error {
		close(writing)
		<-hold
		return nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	first, second := make(chan error, 1), make(chan error, 1)
	go func() { first <- o.Send(ctx, []byte("a")) }()
	<-writing
	go func() { second <- o.Send(ctx, []byte("b")) }()
	cancel()
	if err := <-first; errors.Is(err, transport.ErrNotSent) || !errors.Is(err, context.Canceled) {
		t.Errorf("half a message: %v", err)
	}
	if err := <-second; !errors.Is(err, transport.ErrNotSent) || !errors.Is(err, context.Canceled) {
		t.Errorf("a message that waits: %v", err)
	}
	close(hold)
	o.Stop()
	<-o.Done()
	if err := o.Send(t.Context(), []byte("c")); !errors.Is(err, transport.ErrNotSent) || !errors.Is(err, transport.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}
