package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"math"
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
	return id, wrap("read a context", err)
}

// PutContext implements store.Sessions.
func (s *Store) PutContext(ctx context.Context, k store.SessionKey, contextID string) error {
	return s.write(ctx, "put a context", func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT INTO conversations (agent, conversation, context) VALUES (?, ?, ?)
			ON CONFLICT DO UPDATE SET context = excluded.context`, k.Agent, k.Conversation, contextID)
		return err
	})
}

// RecordTurn implements store.Sessions.
func (s *Store) RecordTurn(ctx context.Context, t store.Turn) error {
	return s.write(ctx, "record a turn", func(tx *sql.Tx) error {
		var seq int64
		err := tx.QueryRow(`INSERT INTO conversations (agent, conversation, seq) VALUES (?, ?, 1)
			ON CONFLICT DO UPDATE SET seq = seq + 1 RETURNING seq`, t.Agent, t.Conversation).Scan(&seq)
		if err != nil {
			return err
		}
		_, err = tx.Exec(`INSERT INTO turns (agent, conversation, seq, at, context, task, message, state)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			t.Agent, t.Conversation, seq, t.At.UnixNano(), t.Context, t.Task, t.Message, t.State)
		return err
	})
}

// Turns implements store.Sessions.
func (s *Store) Turns(ctx context.Context, f store.TurnFilter) ([]store.Turn, error) {
	query := "SELECT agent, conversation, seq, at, context, task, message, state FROM turns WHERE at BETWEEN ? AND ?"
	args := []any{bound(f.Since, math.MinInt64), bound(f.Until, math.MaxInt64)}
	if f.Agent != "" {
		query, args = query+" AND agent = ?", append(args, f.Agent)
	}
	if f.Conversation != "" {
		query, args = query+" AND conversation = ?", append(args, f.Conversation)
	}
	query += " ORDER BY id"
	if f.Limit > 0 {
		query, args = query+" LIMIT ?", append(args, f.Limit)
	}
	rows, err := s.db.Read().QueryContext(ctx, query, args...)
	if err != nil {
		return nil, wrap("read turns", err)
	}
	turns, err := scan(rows)
	return turns, wrap("read turns", err)
}

func bound(t time.Time, none int64) int64 {
	if t.IsZero() {
		return none
	}
	return t.UnixNano()
}

func scan(rows *sql.Rows) (turns []store.Turn, err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var t store.Turn
		var at int64
		if err := rows.Scan(&t.Agent, &t.Conversation, &t.Seq, &at, &t.Context, &t.Task, &t.Message, &t.State); err != nil {
			return nil, err
		}
		t.At = time.Unix(0, at)
		turns = append(turns, t)
	}
	return turns, rows.Err()
}
