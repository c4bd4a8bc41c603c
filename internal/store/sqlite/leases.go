package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/peerwright/peerwright/internal/store"
)

// Acquire implements store.Leases. Beside each up to two that are over are deleted.
func (s *Store) Acquire(ctx context.Context, name, owner string, d time.Duration) (bool, error) {
	now := s.now()
	err := s.write(ctx, "acquire a lease", func(tx *sql.Tx) error {
		if _, err := tx.Exec(`DELETE FROM leases WHERE name IN
			(SELECT name FROM leases WHERE until <= ? ORDER BY until LIMIT 2)`, store.Stamp(now)); err != nil {
			return err
		}
		return one(tx.Exec(`INSERT INTO leases VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET owner = ?2, until = ?3
			WHERE owner = ?2 OR until <= ?4`, name, owner, store.Stamp(now.Add(d)), store.Stamp(now)))
	})
	if errors.Is(err, store.ErrNotHeld) {
		return false, nil
	}
	return err == nil, err
}

// Renew implements store.Leases.
func (s *Store) Renew(ctx context.Context, name, owner string, d time.Duration) error {
	now := s.now()
	return s.write(ctx, "renew a lease", func(tx *sql.Tx) error {
		return one(tx.Exec("UPDATE leases SET until = ? WHERE name = ? AND owner = ? AND until > ?",
			store.Stamp(now.Add(d)), name, owner, store.Stamp(now)))
	})
}

// Release implements store.Leases.
func (s *Store) Release(ctx context.Context, name, owner string) error {
	return s.write(ctx, "release a lease", func(tx *sql.Tx) error {
		_, err := tx.Exec("DELETE FROM leases WHERE name = ? AND owner = ?", name, owner)
		return err
	})
}
