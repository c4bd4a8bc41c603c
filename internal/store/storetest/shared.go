package storetest

import (
	"bytes"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/store"
)

// RunShared runs the part of the contract that is about several processes on one store;
// open returns another handle on it each time, with the same clock.
func RunShared(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store) {
	clock := &Clock{}
	handles := []store.Store{open(t, clock.Now), open(t, clock.Now)}
	for _, s := range handles {
		t.Cleanup(func() { _ = s.Close() })
	}
	each := func(call func(s store.Store, i int) error) {
		t.Helper()
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				if err := call(handles[i%2], i); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	var owners, holders atomic.Int64
	each(func(s store.Store, i int) error {
		r, err := s.Begin(t.Context(), key, "d", fmt.Sprint(i), time.Minute, time.Hour)
		if r.State == store.KeyBegun {
			owners.Add(1)
		}
		return err
	})
	each(func(s store.Store, i int) error {
		got, err := s.Acquire(t.Context(), "l", fmt.Sprint(i), time.Minute)
		if got {
			holders.Add(1)
		}
		return err
	})
	if owners.Load() != 1 || holders.Load() != 1 {
		t.Errorf("%d owners of a key, %d of a lease", owners.Load(), holders.Load())
	}
	each(func(s store.Store, _ int) error {
		return s.RecordTurn(t.Context(), store.Turn{Agent: "a", Conversation: "c", At: clock.Now()})
	})
	clock.Pass(2 * time.Hour) // the key and the lease are over: one may have them again
	owners.Store(0)
	holders.Store(0)
	each(func(s store.Store, i int) error {
		r, err := s.Begin(t.Context(), key, "e", fmt.Sprint(i), time.Minute, time.Hour)
		if r.State == store.KeyBegun {
			owners.Add(1)
		}
		return err
	})
	each(func(s store.Store, i int) error {
		got, err := s.Acquire(t.Context(), "l", fmt.Sprint(i), time.Minute)
		if got {
			holders.Add(1)
		}
		return err
	})
	if owners.Load() != 1 || holders.Load() != 1 {
		t.Errorf("once they are over: %d owners of a key, %d of a lease", owners.Load(), holders.Load())
	}
	seenByBoth(t, handles)
}

func seenByBoth(t *testing.T, handles []store.Store) {
	var secrets [][]byte
	must(t, handles[0].PutContext(t.Context(), store.SessionKey{Agent: "a", Conversation: "c"}, "ctx"))
	for i, s := range handles {
		secret, err := s.Secret(t.Context(), "n")
		must(t, err)
		secrets = append(secrets, secret)
		if got, err := s.Context(t.Context(), store.SessionKey{Agent: "a", Conversation: "c"}); err != nil || got != "ctx" {
			t.Errorf("handle %d: context %q %v", i, got, err)
		}
		turns, err := s.Turns(t.Context(), store.TurnFilter{})
		must(t, err)
		if len(turns) != 40 {
			t.Errorf("handle %d: %d turns", i, len(turns))
		}
		for i, turn := range turns {
			if turn.Seq != int64(i+1) {
				t.Errorf("turn %d has number %d", i+1, turn.Seq)
			}
		}
	}
	if !bytes.Equal(secrets[0], secrets[1]) {
		t.Error("two secrets of one name")
	}
	must(t, handles[0].Close())
	if _, err := handles[1].Secret(t.Context(), "n"); err != nil {
		t.Errorf("the other was closed: %v", err)
	}
}
