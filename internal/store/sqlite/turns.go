package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/peerwright/peerwright/internal/store"
)

// Turns implements store.Sessions.
func (s *Store) Turns(ctx context.Context, f store.TurnFilter) ([]store.Turn, error) {
	query, args := selectTurns(f)
	rows, err := s.db.Read().QueryContext(ctx, query, args...)
	if err != nil {
		return nil, s.reading(ctx, "read turns", err)
	}
	turns, err := scan(rows)
	if err != nil {
		return nil, s.reading(ctx, "read turns", err)
	}
	if f.Newest {
		slices.Reverse(turns)
	}
	return turns, nil
}

// selectTurns reads along an index from the end that the filter asks for.
func selectTurns(f store.TurnFilter) (query string, args []any) {
	query = "SELECT agent, conversation, seq, at, context, task, message, state FROM turns WHERE at BETWEEN ? AND ?"
	args = []any{store.Stamp(f.Since), store.StampUntil(f.Until)}
	if f.Agent != "" {
		query, args = query+" AND agent = ?", append(args, f.Agent)
	}
	if f.Conversation != "" {
		query, args = query+" AND conversation = ?", append(args, f.Conversation)
	}
	if f.Newest {
		query += " ORDER BY at DESC, id DESC"
	} else {
		query += " ORDER BY at, id"
	}
	if f.Limit > 0 {
		query, args = query+" LIMIT ?", append(args, f.Limit)
	}
	return query, args
}

func scan(rows *sql.Rows) (turns []store.Turn, err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var t store.Turn
		var at int64
		if err := rows.Scan(&t.Agent, &t.Conversation, &t.Seq, &at, &t.Context, &t.Task, &t.Message, &t.State); err != nil {
			return nil, err
		}
		t.At = store.Time(at)
		turns = append(turns, t)
	}
	return turns, rows.Err()
}
