package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/peerwright/peerwright/internal/store"
)

// Begin implements store.Keys. Beside each new key up to two that are over are deleted.
func (s *Store) Begin(ctx context.Context, k store.Key, digest, owner string, lease, ttl time.Duration) (store.KeyRecord, error) {
	var r store.KeyRecord
	err := s.write(ctx, "begin a key", func(tx *sql.Tx) error {
		now := s.now()
		c, found, err := load(tx, k)
		if err != nil {
			return err
		}
		if found && now.Before(c.Expires) {
			r = c.Record(digest, now)
			return nil
		}
		r = store.KeyRecord{State: store.KeyBegun, Digest: digest, At: now}
		if _, err := tx.Exec(`DELETE FROM keys WHERE id IN
			(SELECT id FROM keys WHERE expires <= ? ORDER BY expires LIMIT 2)`, store.Stamp(now)); err != nil {
			return err
		}
		return insert(tx, k, store.NewClaim(digest, owner, now, lease, ttl))
	})
	return r, err
}

func load(tx *sql.Tx, k store.Key) (c store.Claim, found bool, err error) {
	var at, lease, expires int64
	err = tx.QueryRow("SELECT digest, owner, done, result, at, lease, expires FROM keys WHERE scope = ? AND name = ?",
		k.Scope, k.Name).Scan(&c.Digest, &c.Owner, &c.Done, &c.Result, &at, &lease, &expires)
	if errors.Is(err, sql.ErrNoRows) {
		return c, false, nil
	}
	c.At, c.Lease, c.Expires = store.Time(at), store.Time(lease), store.Time(expires)
	return c, err == nil, err
}

func insert(tx *sql.Tx, k store.Key, c store.Claim) error {
	_, err := tx.Exec(`INSERT OR REPLACE INTO keys (scope, name, digest, owner, at, lease, expires) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		k.Scope, k.Name, c.Digest, c.Owner, store.Stamp(c.At), store.Stamp(c.Lease), store.Stamp(c.Expires))
	return err
}

// held ends the statements that only the owner of a key in flight may do.
const held = " WHERE scope = ?1 AND name = ?2 AND owner = ?3 AND done = 0 AND expires > ?4"

func (s *Store) change(ctx context.Context, doing, statement string, k store.Key, owner string, now time.Time, args ...any) error {
	args = append([]any{k.Scope, k.Name, owner, store.Stamp(now)}, args...)
	return s.write(ctx, doing, func(tx *sql.Tx) error { return one(tx.Exec(statement+held, args...)) })
}

// Extend implements store.Keys.
func (s *Store) Extend(ctx context.Context, k store.Key, owner string, lease time.Duration) error {
	now := s.now()
	return s.change(ctx, "extend a key", "UPDATE keys SET lease = ?5, expires = max(expires, ?5)",
		k, owner, now, store.Stamp(now.Add(lease)))
}

// Finish implements store.Keys.
func (s *Store) Finish(ctx context.Context, k store.Key, owner string, result []byte, ttl time.Duration) error {
	now := s.now()
	return s.change(ctx, "finish a key", "UPDATE keys SET done = 1, at = ?4, result = ?5, expires = ?6",
		k, owner, now, result, store.Stamp(now.Add(ttl)))
}

// Abandon implements store.Keys.
func (s *Store) Abandon(ctx context.Context, k store.Key, owner string) error {
	return s.change(ctx, "abandon a key", "DELETE FROM keys", k, owner, s.now())
}
