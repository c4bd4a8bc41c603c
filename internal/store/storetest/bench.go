package storetest

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/store"
)

// Benchmark measures a store that holds so many keys and turns already; the cost is to be
// the same whatever their number.
func Benchmark(b *testing.B, rows []int, open func(b *testing.B, now func() time.Time) store.Store) {
	for _, n := range rows {
		b.Run(fmt.Sprintf("rows=%d", n), func(b *testing.B) {
			clock := &Clock{}
			s := open(b, clock.Now)
			fill(b, s, clock, n)
			i := n
			each := func(call func() error) func(b *testing.B) {
				return func(b *testing.B) {
					for b.Loop() {
						if err := call(); err != nil {
							b.Fatal(err)
						}
						i++
					}
				}
			}
			b.Run("begin and finish", each(func() error { return once(b, s, store.Key{Scope: "new", Name: fmt.Sprint(i)}) }))
			b.Run("record", each(func() error { return s.RecordTurn(b.Context(), turnAt(clock, i)) }))
			b.Run("newest", each(func() error {
				got, err := s.Turns(b.Context(), store.TurnFilter{Agent: "a", Limit: 20, Newest: true})
				if err == nil && len(got) != 20 {
					err = fmt.Errorf("%d turns", len(got))
				}
				return err
			}))
		})
	}
}

func turnAt(clock *Clock, i int) store.Turn {
	return store.Turn{Agent: "a", Conversation: fmt.Sprint("c", i/10), At: clock.Now().Add(time.Duration(i) * time.Second), State: "completed"}
}

// once begins and finishes a call. A key that is there already is as good.
func once(b *testing.B, s store.Store, k store.Key) error {
	r, err := s.Begin(b.Context(), k, "d", "o", time.Minute, time.Hour)
	if err != nil || r.State == store.KeyDone {
		return err
	}
	return s.Finish(b.Context(), k, "o", []byte(`{"answer":42}`), time.Hour)
}

// fill fills the store by several at once, which share what a write costs.
func fill(b *testing.B, s store.Store, clock *Clock, n int) {
	b.Helper()
	const writers = 64
	done := make(chan error, writers)
	var next atomic.Int64 // taken in turn, so that the turns come in about the order of their times
	for range writers {
		go func() {
			var err error
			for i := int(next.Add(1)) - 1; i < n && err == nil; i = int(next.Add(1)) - 1 {
				if err = once(b, s, store.Key{Scope: "old", Name: fmt.Sprint(i)}); err == nil {
					err = s.RecordTurn(b.Context(), turnAt(clock, i))
				}
			}
			done <- err
		}()
	}
	for range writers {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
}
