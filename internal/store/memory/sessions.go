package memory

import (
	"context"
	"fmt"
	"time"

	"github.com/peerwright/peerwright/internal/store"
)

// Context implements store.Sessions.
func (s *Store) Context(ctx context.Context, k store.SessionKey) (string, error) {
	if err := s.enter(ctx); err != nil {
		return "", err
	}
	defer s.mu.Unlock()
	c, _ := s.conversations.get(k)
	return c.context, nil
}

// PutContext implements store.Sessions.
func (s *Store) PutContext(ctx context.Context, k store.SessionKey, contextID string) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	c, _ := s.conversations.get(k)
	c.context = contextID
	s.conversations.put(k, c)
	return nil
}

// RecordTurn implements store.Sessions.
func (s *Store) RecordTurn(ctx context.Context, t store.Turn) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	k := store.SessionKey{Agent: t.Agent, Conversation: t.Conversation}
	c, _ := s.conversations.get(k)
	c.seq++
	s.conversations.put(k, c)
	t.Seq = c.seq
	s.turnCount++
	s.turns.put(s.turnCount, t)
	return nil
}

// Turns implements store.Sessions.
func (s *Store) Turns(ctx context.Context, f store.TurnFilter) ([]store.Turn, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var found []store.Turn
	s.turns.each(func(t store.Turn) bool {
		if f.Matches(t) {
			found = append(found, t)
		}
		return f.Limit <= 0 || len(found) < f.Limit
	})
	return found, nil
}

// Acquire implements store.Leases.
func (s *Store) Acquire(ctx context.Context, name, owner string, d time.Duration) (bool, error) {
	if err := s.enter(ctx); err != nil {
		return false, err
	}
	defer s.mu.Unlock()
	now := s.now()
	if l, ok := s.leases[name]; ok && l.owner != owner && now.Before(l.end) {
		return false, nil
	}
	s.leases[name] = lease{owner, now.Add(d)}
	return true, nil
}

// Renew implements store.Leases.
func (s *Store) Renew(ctx context.Context, name, owner string, d time.Duration) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	now := s.now()
	if l, ok := s.leases[name]; !ok || l.owner != owner || !now.Before(l.end) {
		return fmt.Errorf("memory store: lease: %w", store.ErrNotHeld)
	}
	s.leases[name] = lease{owner, now.Add(d)}
	return nil
}

// Release implements store.Leases.
func (s *Store) Release(ctx context.Context, name, owner string) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if s.leases[name].owner == owner {
		delete(s.leases, name)
	}
	return nil
}
