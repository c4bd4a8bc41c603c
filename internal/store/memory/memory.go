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

// How much is kept, in number and in bytes of names, contexts and results. A conversation
// that was dropped begins anew, without context; a key that was dropped early is not known
// to have been used. Leases that hold are not dropped.
const (
	MaxConversations     = 100_000
	MaxTurns             = 100_000
	MaxKeys              = 100_000
	MaxConversationBytes = 64 << 20
	MaxTurnBytes         = 64 << 20
	MaxKeyBytes          = 256 << 20
)

// Store is the store; New makes one.
type Store struct {
	now func() time.Time

	mu            sync.Mutex
	closed        bool
	conversations *bounded[store.SessionKey, conversation]
	turns         *timeline
	keys          *bounded[store.Key, store.Claim]
	leases        leases
	secrets       map[string][]byte
}

var _ store.Store = (*Store)(nil)

// New returns an empty store, which takes the time from now.
func New(now func() time.Time) *Store {
	return &Store{
		now:           now,
		conversations: newBounded(MaxConversations, MaxConversationBytes, weighConversation),
		turns:         newTimeline(MaxTurns, MaxTurnBytes),
		keys:          newBounded(MaxKeys, MaxKeyBytes, weighKey),
		leases:        leases{held: map[string]lease{}},
		secrets:       map[string][]byte{},
	}
}

// Name returns "memory".
func (s *Store) Name() string { return "memory" }

// Close forgets everything. What is called later fails.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.conversations, s.turns, s.keys, s.leases, s.secrets = nil, nil, nil, leases{}, nil
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
