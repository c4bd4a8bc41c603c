// Package sqlite is a store in one SQLite file, which several processes may share.
package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/peerwright/peerwright/internal/sqlitedb"
	"github.com/peerwright/peerwright/internal/store"
)

// application marks our files: "pwst".
const application = 0x70777374

// Times are nanoseconds since 1970, see store.Stamp. A conversation is used when something
// is kept of it; no turn of it is later.
var schema = []string{`
CREATE TABLE conversations (
	agent TEXT NOT NULL, conversation TEXT NOT NULL, context TEXT NOT NULL DEFAULT '', seq INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (agent, conversation)) WITHOUT ROWID;
CREATE TABLE turns (
	id INTEGER PRIMARY KEY, agent TEXT NOT NULL, conversation TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL,
	context TEXT NOT NULL, task TEXT NOT NULL, message TEXT NOT NULL, state TEXT NOT NULL,
	UNIQUE (agent, conversation, seq));
CREATE TABLE keys (
	id INTEGER PRIMARY KEY, scope TEXT NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL, owner TEXT NOT NULL,
	done INTEGER NOT NULL DEFAULT 0, result BLOB, at INTEGER NOT NULL, lease INTEGER NOT NULL, expires INTEGER NOT NULL,
	UNIQUE (scope, name));
CREATE INDEX keys_expires ON keys (expires);
CREATE TABLE leases (name TEXT PRIMARY KEY, owner TEXT NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
`, `
ALTER TABLE conversations ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
UPDATE conversations SET used = unixepoch() * 1000000000;
CREATE INDEX conversations_used ON conversations (used);
CREATE INDEX turns_at ON turns (at);
CREATE INDEX turns_agent_at ON turns (agent, at);
CREATE INDEX leases_until ON leases (until);
`}

// Store is an open store.
type Store struct {
	db     *sqlitedb.DB
	path   string
	now    func() time.Time
	closed atomic.Bool
}

var _ store.Store = (*Store)(nil)

// Open opens the store in the file at path, and makes it when it is not there.
func Open(ctx context.Context, path string, now func() time.Time) (*Store, error) {
	db, err := sqlitedb.Open(ctx, path, sqlitedb.Options{Application: application, Migrations: schema})
	if err != nil {
		return nil, err
	}
	return &Store{db: db, path: path, now: now}, nil
}

// Name returns "sqlite" and the path.
func (s *Store) Name() string { return "sqlite " + s.path }

// Close waits for what is being written, and closes the file.
func (s *Store) Close() error {
	s.closed.Store(true)
	return s.db.Close()
}

// write runs fn in a transaction, and says what was being done when it fails.
func (s *Store) write(ctx context.Context, doing string, fn func(tx *sql.Tx) error) error {
	err := s.db.Write(ctx, fn)
	if errors.Is(err, sqlitedb.ErrClosed) {
		err = store.ErrClosed
	}
	return wrap(doing, err)
}

// reading says what was being read when it fails. A statement that was interrupted, or
// finds the files closed, has an error that tells neither.
func (s *Store) reading(ctx context.Context, doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		err = ctx.Err()
	case s.closed.Load():
		err = fmt.Errorf("%w (%w)", store.ErrClosed, err)
	}
	return wrap(doing, err)
}

func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("sqlite store: %s: %w", doing, err)
}

// one fails with ErrNotHeld when a statement changed nothing.
func one(r sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return store.ErrNotHeld
}

// Secret implements store.Secrets.
func (s *Store) Secret(ctx context.Context, name string) (secret []byte, err error) {
	fresh := make([]byte, 32)
	_, _ = rand.Read(fresh) // it never fails
	err = s.write(ctx, "secret", func(tx *sql.Tx) error {
		if _, err := tx.Exec("INSERT INTO secrets VALUES (?, ?) ON CONFLICT DO NOTHING", name, fresh); err != nil {
			return err
		}
		return tx.QueryRow("SELECT value FROM secrets WHERE name = ?", name).Scan(&secret)
	})
	return secret, err
}
