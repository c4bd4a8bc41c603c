package memory

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/peerwright/peerwright/internal/store"
)

type lease struct {
	owner string
	end   time.Time
}

// leases holds those that hold, and not many more that are over.
type leases struct {
	held map[string]lease
	full int // when to look for those that are over
}

const fewLeases = 1024

// put keeps a lease. Those that are over are dropped whenever their number may have
// doubled, so that each costs little.
func (l *leases) put(name string, new lease, now time.Time) {
	if len(l.held) >= max(l.full, fewLeases) {
		maps.DeleteFunc(l.held, func(_ string, old lease) bool { return !now.Before(old.end) })
		l.full = 2 * len(l.held)
	}
	l.held[name] = new
}

// Acquire implements store.Leases.
func (s *Store) Acquire(ctx context.Context, name, owner string, d time.Duration) (bool, error) {
	if err := s.enter(ctx); err != nil {
		return false, err
	}
	defer s.mu.Unlock()
	now := s.now()
	if l, ok := s.leases.held[name]; ok && l.owner != owner && now.Before(l.end) {
		return false, nil
	}
	s.leases.put(name, lease{owner, now.Add(d)}, now)
	return true, nil
}

// Renew implements store.Leases.
func (s *Store) Renew(ctx context.Context, name, owner string, d time.Duration) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	now := s.now()
	if l, ok := s.leases.held[name]; !ok || l.owner != owner || !now.Before(l.end) {
		return fmt.Errorf("memory store: lease: %w", store.ErrNotHeld)
	}
	s.leases.held[name] = lease{owner, now.Add(d)}
	return nil
}

// Release implements store.Leases.
func (s *Store) Release(ctx context.Context, name, owner string) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if l, ok := s.leases.held[name]; ok && l.owner == owner {
		delete(s.leases.held, name)
	}
	return nil
}
