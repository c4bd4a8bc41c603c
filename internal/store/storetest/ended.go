package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/store"
)

// methods calls each method of a store once.
func methods(s store.Store) map[string]func(ctx context.Context) error {
	k := store.SessionKey{Agent: "a", Conversation: "c"}
	return map[string]func(ctx context.Context) error{
		"Context":    func(ctx context.Context) error { _, err := s.Context(ctx, k); return err },
		"PutContext": func(ctx context.Context) error { return s.PutContext(ctx, k, "c") },
		"RecordTurn": func(ctx context.Context) error { return s.RecordTurn(ctx, store.Turn{Agent: "a"}) },
		"Turns":      func(ctx context.Context) error { _, err := s.Turns(ctx, store.TurnFilter{}); return err },
		"Prune":      func(ctx context.Context) error { _, err := s.Prune(ctx, time.Now()); return err },
		"Begin": func(ctx context.Context) error {
			_, err := s.Begin(ctx, key, "d", "a", time.Minute, time.Hour)
			return err
		},
		"Extend":  func(ctx context.Context) error { return s.Extend(ctx, key, "a", time.Minute) },
		"Finish":  func(ctx context.Context) error { return s.Finish(ctx, key, "a", nil, time.Hour) },
		"Abandon": func(ctx context.Context) error { return s.Abandon(ctx, key, "a") },
		"Acquire": func(ctx context.Context) error { _, err := s.Acquire(ctx, "l", "a", time.Minute); return err },
		"Renew":   func(ctx context.Context) error { return s.Renew(ctx, "l", "a", time.Minute) },
		"Release": func(ctx context.Context) error { return s.Release(ctx, "l", "a") },
		"Secret":  func(ctx context.Context) error { _, err := s.Secret(ctx, "n"); return err },
	}
}

// ended calls every method with a context that is over, and asks that nothing was done,
// and every method of a closed store.
func ended(t *testing.T, s store.Store, _ *Clock) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for name, call := range methods(s) {
		if err := call(cancelled); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", name, err)
		}
		if err := call(late); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s, too late: %v", name, err)
		}
	}
	if turns, err := s.Turns(t.Context(), store.TurnFilter{}); err != nil || len(turns) != 0 {
		t.Errorf("a cancelled call left %d turns: %v", len(turns), err)
	}
	begin(t, s, "d", "a", store.KeyBegun)
	must(t, s.Close())
	for name, call := range methods(s) {
		if err := call(t.Context()); !errors.Is(err, store.ErrClosed) {
			t.Errorf("%s, closed: %v", name, err)
		}
	}
	must(t, s.Close())
}

// closing closes the store amid calls: each is done or says that the store is closed.
func closing(t *testing.T, s store.Store, _ *Clock) {
	begun := make(chan struct{}, 1)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			var err error
			for i := 0; err == nil; i++ {
				err = several(t.Context(), s, fmt.Sprint(w, i))
				select {
				case begun <- struct{}{}:
				default:
				}
			}
			if !errors.Is(err, store.ErrClosed) {
				t.Errorf("amid closing: %v", err)
			}
		})
	}
	<-begun
	must(t, s.Close())
	wg.Wait()
}

// several makes calls that write and that read, until one fails.
func several(ctx context.Context, s store.Store, name string) error {
	if _, err := s.Begin(ctx, store.Key{Scope: "s", Name: name}, "d", "o", time.Minute, time.Hour); err != nil {
		return err
	}
	if _, err := s.Turns(ctx, store.TurnFilter{}); err != nil {
		return err
	}
	_, err := s.Context(ctx, store.SessionKey{})
	return err
}
