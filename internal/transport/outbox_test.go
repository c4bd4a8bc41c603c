package transport

import (
	"context"
	"errors"
	"slices"
	"testing"
)

func TestOutboxWritesWholeWhatItsSenderGaveUp(t *testing.T) {
	writing, goOn := make(chan struct{}), make(chan struct{})
	var wrote []string
	o := NewOutbox(func(msg []byte) error {
		writing <- struct{}{}
		<-goOn
		wrote = append(wrote, string(msg))
		return nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error)
	go func() { first <- o.Send(ctx, []byte("first")) }()
	<-writing
	second := make(chan error)
	go func() { second <- o.Send(ctx, []byte("second")) }() // waits its turn
	cancel()
	for _, result := range []chan error{first, second} {
		if err := <-result; !errors.Is(err, context.Canceled) || errors.Is(err, ErrClosed) {
			t.Errorf("Send = %v", err)
		}
	}
	close(goOn)
	third := make(chan error)
	go func() { third <- o.Send(t.Context(), []byte("third")) }()
	<-writing
	if err := <-third; err != nil {
		t.Error(err)
	}
	o.Stop()
	o.Stop()
	<-o.Done()
	if !slices.Equal(wrote, []string{"first", "third"}) {
		t.Errorf("wrote %q", wrote)
	}
	if err := o.Send(t.Context(), nil); !errors.Is(err, ErrClosed) {
		t.Errorf("Send after Stop = %v", err)
	}
}

func TestOutboxTellsOfAFailedWrite(t *testing.T) {
	broken := errors.New("broken pipe")
	o := NewOutbox(func([]byte) error { return broken })
	defer o.Stop()
	if err := o.Send(t.Context(), nil); !errors.Is(err, ErrClosed) || !errors.Is(err, broken) {
		t.Errorf("Send = %v", err)
	}
}
