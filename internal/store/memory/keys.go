package memory

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/peerwright/peerwright/internal/store"
)

func weighKey(k store.Key, c store.Claim) int {
	return len(k.Scope) + len(k.Name) + len(c.Digest) + len(c.Owner) + len(c.Result)
}

// Begin implements store.Keys.
func (s *Store) Begin(ctx context.Context, k store.Key, digest, owner string, lease, ttl time.Duration) (store.KeyRecord, error) {
	if err := s.enter(ctx); err != nil {
		return store.KeyRecord{}, err
	}
	defer s.mu.Unlock()
	now := s.now()
	if c, ok := s.live(k, now); ok {
		r := c.Record(digest, now)
		r.Result = bytes.Clone(r.Result)
		return r, nil
	}
	s.dropExpired(now)
	s.keys.put(k, store.NewClaim(digest, owner, now, lease, ttl))
	return store.KeyRecord{State: store.KeyBegun, Digest: digest, At: now}, nil
}

// live returns the claim of a key that is not forgotten.
func (s *Store) live(k store.Key, now time.Time) (store.Claim, bool) {
	c, ok := s.keys.get(k)
	return c, ok && now.Before(c.Expires)
}

// dropExpired drops from the old end what is over: two for each that comes, so that they
// become fewer and none costs much.
func (s *Store) dropExpired(now time.Time) {
	for range 2 {
		k, c, ok := s.keys.oldest()
		if !ok || now.Before(c.Expires) {
			return
		}
		s.keys.remove(k)
	}
}

// held calls f with the claim of the key if the owner has it and it is not done.
func (s *Store) held(ctx context.Context, k store.Key, owner string, f func(c store.Claim, now time.Time)) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	now := s.now()
	c, ok := s.live(k, now)
	if !ok || c.Owner != owner || c.Done {
		return fmt.Errorf("memory store: key: %w", store.ErrNotHeld)
	}
	f(c, now)
	return nil
}

// Extend implements store.Keys.
func (s *Store) Extend(ctx context.Context, k store.Key, owner string, lease time.Duration) error {
	return s.held(ctx, k, owner, func(c store.Claim, now time.Time) {
		c.Lease = now.Add(lease)
		if c.Expires.Before(c.Lease) {
			c.Expires = c.Lease
		}
		s.keys.put(k, c)
	})
}

// Finish implements store.Keys.
func (s *Store) Finish(ctx context.Context, k store.Key, owner string, result []byte, ttl time.Duration) error {
	return s.held(ctx, k, owner, func(c store.Claim, now time.Time) {
		c.Done, c.Result, c.At, c.Expires = true, bytes.Clone(result), now, now.Add(ttl)
		s.keys.put(k, c)
	})
}

// Abandon implements store.Keys.
func (s *Store) Abandon(ctx context.Context, k store.Key, owner string) error {
	return s.held(ctx, k, owner, func(store.Claim, time.Time) { s.keys.remove(k) })
}
