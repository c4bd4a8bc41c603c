// Package memory is a store that lives and ends with the process. It is bounded: what was
// used longest ago makes room.
package memory

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"github.com/peerwright/peerwright/internal/store"
)

// How much is kept. A conversation that was dropped begins anew, without context; a key
// that was dropped early is not known to have been used.
const (
	MaxConversations = 100_000
	MaxTurns         = 100_000
	MaxKeys          = 100_000
)

// Store is the store; New makes one.
type Store struct {
	now func() time.Time

	mu            sync.Mutex
	closed        bool
	conversations *bounded[store.SessionKey, conversation]
	turns         *bounded[uint64, store.Turn]
	turnCount     uint64
	keys          *bounded[store.Key, store.Claim]
	leases        map[string]lease
	secrets       map[string][]byte
}

type conversation struct {
	context string
	seq     int64
}

type lease struct {
	owner string
	end   time.Time
}

var _ store.Store = (*Store)(nil)

// New returns an empty store, which takes the time from now.
func New(now func() time.Time) *Store {
	return &Store{
		now:           now,
		conversations: newBounded[store.SessionKey, conversation](MaxConversations),
		turns:         newBounded[uint64, store.Turn](MaxTurns),
		keys:          newBounded[store.Key, store.Claim](MaxKeys),
		leases:        map[string]lease{}, secrets: map[string][]byte{},
	}
}

// Name returns "memory".
func (s *Store) Name() string { return "memory" }

// Close forgets everything. What is called later fails.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

// enter takes the lock, unless the context or the store has ended.
func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return fmt.Errorf("memory store: %w", store.ErrClosed)
	}
	return nil
}

// Secret implements store.Secrets.
func (s *Store) Secret(ctx context.Context, name string) ([]byte, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	secret, ok := s.secrets[name]
	if !ok {
		secret = make([]byte, 32)
		_, _ = rand.Read(secret) // it never fails
		s.secrets[name] = secret
	}
	return append([]byte(nil), secret...), nil
}
