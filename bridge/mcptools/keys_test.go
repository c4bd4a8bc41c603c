package mcptools_test

import (
	"context"
	"sync"
	"time"

	"github.com/peerwright/peerwright/internal/store"
)

// table is a store.Keys that forgets nothing.
type table struct {
	mu   sync.Mutex
	rows map[store.Key]*row
}

type row struct {
	store.KeyRecord
	owner string
	until time.Time // of the lease
}

func newTable() *table { return &table{rows: map[store.Key]*row{}} }

func (s *table) Begin(_ context.Context, k store.Key, digest, owner string, lease, _ time.Duration) (store.KeyRecord, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.rows[k]
	switch {
	case r == nil:
		s.rows[k] = &row{store.KeyRecord{State: store.KeyInFlight, Digest: digest}, owner, time.Now().Add(lease)}
		return store.KeyRecord{State: store.KeyBegun, Digest: digest}, nil
	case r.Digest != digest:
		return store.KeyRecord{State: store.KeyConflict, Digest: r.Digest}, nil
	case r.State == store.KeyInFlight && time.Now().After(r.until):
		r.State = store.KeyUnknown
	}
	return r.KeyRecord, nil
}

// held does something with a row that the owner has.
func (s *table) held(k store.Key, owner string, do func(r *row)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.rows[k]
	if r == nil || r.owner != owner {
		return store.ErrNotHeld
	}
	do(r)
	return nil
}

func (s *table) Extend(_ context.Context, k store.Key, owner string, lease time.Duration) error {
	return s.held(k, owner, func(r *row) { r.until = time.Now().Add(lease) })
}

func (s *table) Finish(_ context.Context, k store.Key, owner string, result []byte, _ time.Duration) error {
	return s.held(k, owner, func(r *row) { r.State, r.Result = store.KeyDone, result })
}

func (s *table) Abandon(_ context.Context, k store.Key, owner string) error {
	return s.held(k, owner, func(*row) { delete(s.rows, k) })
}
