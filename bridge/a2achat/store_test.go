package a2achat_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/a2achat"
	"github.com/peerwright/peerwright/internal/store"
)

func newStore(t *testing.T) a2achat.Store {
	t.Helper()
	return &plain{contexts: map[store.SessionKey]string{}, leases: map[string]held{}}
}

// stores are those that two bridges can share, each with what opens it once more.
func stores(t *testing.T) map[string]func(t *testing.T) a2achat.Store {
	t.Helper()
	shared := newStore(t)
	return map[string]func(t *testing.T) a2achat.Store{
		"memory": func(*testing.T) a2achat.Store { return shared },
	}
}

type held struct {
	owner string
	until time.Time
}

// plain is a store in memory.
type plain struct {
	mu       sync.Mutex
	contexts map[store.SessionKey]string
	leases   map[string]held
	turns    []store.Turn
}

func (p *plain) Context(_ context.Context, k store.SessionKey) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.contexts[k], nil
}

func (p *plain) PutContext(_ context.Context, k store.SessionKey, c string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.contexts[k] = c
	return nil
}

func (p *plain) RecordTurn(_ context.Context, t store.Turn) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turns = append(p.turns, t)
	return nil
}

func (p *plain) Turns(_ context.Context, f store.TurnFilter) ([]store.Turn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]store.Turn(nil), p.turns...), nil
}

func (p *plain) Acquire(_ context.Context, name, owner string, d time.Duration) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if h, ok := p.leases[name]; ok && h.owner != owner && time.Now().Before(h.until) {
		return false, nil
	}
	p.leases[name] = held{owner, time.Now().Add(d)}
	return true, nil
}

func (p *plain) Renew(context.Context, string, string, time.Duration) error { return nil }

func (p *plain) Release(_ context.Context, name, owner string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.leases[name].owner == owner {
		delete(p.leases, name)
	}
	return nil
}

// sick is a store that fails while it is told to.
type sick struct {
	a2achat.Store

	reads, writes atomic.Bool // fail
}

var errSick = errors.New("the disk is full")

func (s *sick) Context(ctx context.Context, k store.SessionKey) (string, error) {
	if s.reads.Load() {
		return "", errSick
	}
	return s.Store.Context(ctx, k)
}

func (s *sick) PutContext(ctx context.Context, k store.SessionKey, c string) error {
	if s.writes.Load() {
		return errSick
	}
	return s.Store.PutContext(ctx, k, c)
}

func (s *sick) RecordTurn(ctx context.Context, t store.Turn) error {
	if s.writes.Load() {
		return errSick
	}
	return s.Store.RecordTurn(ctx, t)
}

func (s *sick) Acquire(ctx context.Context, name, owner string, d time.Duration) (bool, error) {
	if s.writes.Load() {
		return false, errSick
	}
	return s.Store.Acquire(ctx, name, owner, d)
}
