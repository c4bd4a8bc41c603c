package audit

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// columns are what scan reads.
const columns = `seq, at_us, duration_us, source, server, caller, tool, outcome, detail, correlation, arguments, prev, hash`

// Entries returns the entries that the filter chooses, the oldest first. Rows that
// still wait to be written are written first.
func (l *Log) Entries(ctx context.Context, f Filter) ([]Entry, error) {
	if err := l.Flush(ctx); err != nil {
		return nil, err
	}
	where, args := f.where()
	order := ` ORDER BY seq`
	if f.Limit > 0 {
		order, args = ` ORDER BY seq DESC LIMIT ?`, append(args, f.Limit)
	}
	query := `SELECT ` + columns + ` FROM calls` + where + order
	if f.Limit > 0 {
		query = `SELECT * FROM (` + query + `) ORDER BY seq`
	}
	rows, err := l.db.Read().QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("reading the audit log: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err tells
	list := []Entry{}
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, r.entry())
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("reading the audit log: %w", err)
	}
	return list, nil
}

func (f Filter) where() (string, []any) {
	var terms []string
	var args []any
	add := func(term string, value any) { terms, args = append(terms, term), append(args, value) }
	for _, c := range []struct{ column, value string }{
		{"tool", f.Tool},
		{"caller", f.Caller},
		{"server", f.Server},
		{"outcome", string(f.Outcome)},
		{"source", string(f.Source)},
	} {
		if c.value != "" {
			add(c.column+` = ?`, c.value)
		}
	}
	if !f.Since.IsZero() {
		add(`at_us >= ?`, f.Since.UnixMicro())
	}
	if !f.Until.IsZero() {
		add(`at_us <= ?`, f.Until.UnixMicro())
	}
	if terms == nil {
		return "", nil
	}
	return ` WHERE ` + strings.Join(terms, ` AND `), args
}

// stored is a row as it stands in the file, which may be anything.
type stored struct {
	Entry
	prev, hash []byte
}

func scan(rows *sql.Rows) (stored, error) {
	var r stored
	var at, took int64
	var arguments string
	err := rows.Scan(&r.Seq, &at, &took, &r.Source, &r.Server, &r.Caller, &r.Tool, &r.Outcome,
		&r.Detail, &r.Correlation, &arguments, &r.prev, &r.hash)
	if err != nil {
		return stored{}, fmt.Errorf("reading a row of the audit log: %w", err)
	}
	r.At, r.Duration = time.UnixMicro(at).UTC(), time.Duration(took)*time.Microsecond
	if arguments != "" {
		r.Arguments = json.RawMessage(arguments)
	}
	return r, nil
}

// entry returns the row as users see it; arguments that someone has spoilt come as a
// string, so that the entry can be written as JSON.
func (r stored) entry() Entry {
	e := r.Entry
	e.Hash = fmt.Sprintf("%x", r.hash)
	if e.Arguments != nil && !json.Valid(e.Arguments) {
		e.Arguments, _ = json.Marshal(string(e.Arguments)) // a string always marshals
	}
	return e
}
