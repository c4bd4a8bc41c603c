package memory

import (
	"context"
	"fmt"
	"time"

	"github.com/peerwright/peerwright/internal/store"
)

type conversation struct {
	context string
	seq     int64
	used    time.Time // when something was kept of it last; no turn of it is later
}

func weighConversation(k store.SessionKey, c conversation) int {
	return len(k.Agent) + len(k.Conversation) + len(c.context)
}

func (c *conversation) use(at time.Time) {
	if at.After(c.used) {
		c.used = at
	}
}

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
	c.use(s.now())
	s.conversations.put(k, c)
	return nil
}

// RecordTurn implements store.Sessions.
func (s *Store) RecordTurn(ctx context.Context, t store.Turn) error {
	if err := store.CheckTime(t.At); err != nil {
		return fmt.Errorf("memory store: record a turn: %w", err)
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	k := store.SessionKey{Agent: t.Agent, Conversation: t.Conversation}
	c, _ := s.conversations.get(k)
	c.seq++
	c.use(s.now())
	c.use(t.At)
	s.conversations.put(k, c)
	t.Seq, t.At = c.seq, store.Time(store.Stamp(t.At))
	s.turns.add(t)
	return nil
}

// Turns implements store.Sessions.
func (s *Store) Turns(ctx context.Context, f store.TurnFilter) ([]store.Turn, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	return s.turns.find(f), nil
}

// Prune implements store.Sessions.
func (s *Store) Prune(ctx context.Context, before time.Time) (int, error) {
	if err := s.enter(ctx); err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	gone := s.conversations.removeIf(func(c conversation) bool { return c.used.Before(before) })
	return gone + s.turns.prune(before), nil
}
