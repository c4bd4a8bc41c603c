package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/peerwright/peerwright/internal/store"
)

// Context implements store.Sessions.
func (s *Store) Context(ctx context.Context, k store.SessionKey) (id string, err error) {
	err = s.db.Read().QueryRowContext(ctx, "SELECT context FROM conversations WHERE agent = ? AND conversation = ?",
		k.Agent, k.Conversation).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return id, s.reading(ctx, "read a context", err)
}

// PutContext implements store.Sessions.
func (s *Store) PutContext(ctx context.Context, k store.SessionKey, contextID string) error {
	used := store.Stamp(s.now())
	return s.write(ctx, "put a context", func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT INTO conversations (agent, conversation, context, used) VALUES (?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET context = excluded.context, used = max(used, excluded.used)`,
			k.Agent, k.Conversation, contextID, used)
		return err
	})
}

// RecordTurn implements store.Sessions.
func (s *Store) RecordTurn(ctx context.Context, t store.Turn) error {
	if err := store.CheckTime(t.At); err != nil {
		return wrap("record a turn", err)
	}
	at := store.Stamp(t.At)
	used := max(at, store.Stamp(s.now()))
	return s.write(ctx, "record a turn", func(tx *sql.Tx) error {
		var seq int64
		err := tx.QueryRow(`INSERT INTO conversations (agent, conversation, seq, used) VALUES (?, ?, 1, ?)
			ON CONFLICT DO UPDATE SET seq = seq + 1, used = max(used, excluded.used) RETURNING seq`,
			t.Agent, t.Conversation, used).Scan(&seq)
		if err != nil {
			return err
		}
		_, err = tx.Exec(`INSERT INTO turns (agent, conversation, seq, at, context, task, message, state)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			t.Agent, t.Conversation, seq, at, t.Context, t.Task, t.Message, t.State)
		return err
	})
}

// pruned is how many rows one transaction deletes of a table: others wait meanwhile.
const pruned = 1000

// Prune implements store.Sessions.
func (s *Store) Prune(ctx context.Context, before time.Time) (total int, err error) {
	for _, statement := range []string{
		"DELETE FROM turns WHERE id IN (SELECT id FROM turns WHERE at < ? LIMIT ?)",
		`DELETE FROM conversations WHERE (agent, conversation) IN
			(SELECT agent, conversation FROM conversations WHERE used < ? LIMIT ?)`,
	} {
		n := int64(pruned)
		for n == pruned && err == nil {
			err = s.write(ctx, "prune", func(tx *sql.Tx) error {
				result, err := tx.Exec(statement, store.Stamp(before), pruned)
				if err != nil {
					return err
				}
				n, err = result.RowsAffected()
				return err
			})
			if err == nil {
				total += int(n)
			}
		}
	}
	return total, err
}
