// Package storetest holds every store to the contract of package store.
package storetest

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/store"
)

// Clock is a time that the test moves. Its zero value is the beginning of 2026.
type Clock struct{ passed atomic.Int64 }

// Now returns the time.
func (c *Clock) Now() time.Time {
	return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(c.passed.Load()))
}

// Pass lets time pass.
func (c *Clock) Pass(d time.Duration) { c.passed.Add(int64(d)) }

// Run runs the contract; open returns a new, empty store with that clock.
func Run(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store) {
	for name, test := range map[string]func(*testing.T, store.Store, *Clock){
		"one owner": oneOwner, "states": states, "expiry": expiry, "leases": leases,
		"turns": turns, "order": order, "prune": prune, "far times": farTimes,
		"contexts": contexts, "hostile keys": hostileKeys, "hostile leases": hostileLeases, "hostile turns": hostileTurns,
		"secrets": secrets, "ended": ended, "closing": closing,
	} {
		t.Run(name, func(t *testing.T) {
			clock := &Clock{}
			s := open(t, clock.Now)
			t.Cleanup(func() { _ = s.Close() })
			test(t, s, clock)
		})
	}
}

var key = store.Key{Scope: "scope", Name: "name"}

func begin(t *testing.T, s store.Store, digest, owner string, want store.KeyState) store.KeyRecord {
	t.Helper()
	r, err := s.Begin(t.Context(), key, digest, owner, time.Minute, time.Hour)
	if err != nil || r.State != want {
		t.Fatalf("begin: %q %v, want %q", r.State, err, want)
	}
	return r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func notHeld(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, store.ErrNotHeld) {
		t.Errorf("%v, want not held", err)
	}
}

func oneOwner(t *testing.T, s store.Store, _ *Clock) {
	var owners atomic.Int64
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			r, err := s.Begin(t.Context(), key, "d", "o", time.Minute, time.Hour)
			if err != nil {
				t.Error(err)
			}
			if r.State == store.KeyBegun {
				owners.Add(1)
			}
		})
	}
	wg.Wait()
	if owners.Load() != 1 {
		t.Errorf("%d owners", owners.Load())
	}
}

func states(t *testing.T, s store.Store, clock *Clock) {
	ctx := t.Context()
	begin(t, s, "d", "a", store.KeyBegun)
	begin(t, s, "d", "b", store.KeyInFlight)
	begin(t, s, "other", "b", store.KeyConflict)
	notHeld(t, s.Extend(ctx, key, "b", time.Minute))
	notHeld(t, s.Finish(ctx, key, "b", nil, time.Hour))
	notHeld(t, s.Abandon(ctx, key, "b"))
	clock.Pass(30 * time.Second)
	must(t, s.Extend(ctx, key, "a", time.Minute))
	clock.Pass(59 * time.Second)
	begin(t, s, "d", "b", store.KeyInFlight)
	clock.Pass(time.Second)
	begin(t, s, "d", "b", store.KeyUnknown)
	large := strings.Repeat("r", 5<<20)
	must(t, s.Finish(ctx, key, "a", []byte(large), time.Hour)) // late
	if r := begin(t, s, "d", "b", store.KeyDone); string(r.Result) != large {
		t.Errorf("a result of %d bytes, want %d", len(r.Result), len(large))
	}
	begin(t, s, "other", "b", store.KeyConflict)
	notHeld(t, s.Abandon(ctx, key, "a"))
	clock.Pass(time.Hour)
	begin(t, s, "other", "b", store.KeyBegun)
	must(t, s.Abandon(ctx, key, "b"))
	begin(t, s, "d", "c", store.KeyBegun)
}

func expiry(t *testing.T, s store.Store, clock *Clock) {
	begin(t, s, "d", "a", store.KeyBegun)
	must(t, s.Extend(t.Context(), key, "a", 2*time.Hour))
	clock.Pass(90 * time.Minute)
	begin(t, s, "d", "b", store.KeyInFlight) // not forgotten within its lease
	clock.Pass(30 * time.Minute)
	begin(t, s, "d", "b", store.KeyBegun)
	notHeld(t, s.Finish(t.Context(), key, "a", nil, time.Hour))
}

func leases(t *testing.T, s store.Store, clock *Clock) {
	ctx := t.Context()
	acquire := func(owner string, want bool) {
		t.Helper()
		if got, err := s.Acquire(ctx, "l", owner, time.Minute); err != nil || got != want {
			t.Errorf("%s acquires: %t %v, want %t", owner, got, err, want)
		}
	}
	acquire("a", true)
	acquire("a", true)
	acquire("b", false)
	notHeld(t, s.Renew(ctx, "l", "b", time.Minute))
	must(t, s.Release(ctx, "l", "b"))
	acquire("b", false)
	must(t, s.Renew(ctx, "l", "a", 2*time.Minute))
	clock.Pass(time.Minute)
	acquire("b", false)
	clock.Pass(time.Minute)
	notHeld(t, s.Renew(ctx, "l", "a", time.Minute))
	acquire("b", true)
	must(t, s.Release(ctx, "l", "b"))
	acquire("a", true)
}

func secrets(t *testing.T, s store.Store, _ *Clock) {
	var all sync.Map
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			secret, err := s.Secret(t.Context(), "n")
			if err != nil || len(secret) != 32 {
				t.Errorf("%d bytes %v", len(secret), err)
			}
			all.Store(string(secret), true)
		})
	}
	wg.Wait()
	other, err := s.Secret(t.Context(), "other")
	must(t, err)
	all.Store(string(other), true)
	n := 0
	all.Range(func(any, any) bool { n++; return true })
	if n != 2 {
		t.Errorf("%d different secrets of two names", n)
	}
}
