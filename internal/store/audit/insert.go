package audit

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/peerwright/peerwright/internal/sqlitedb"
)

// file is the end of the chain in the file, as the writer uses it. Where no other process
// writes, the end is where this one left it, and need not be read.
type file struct {
	add, move, read *sql.Stmt

	known bool // seq and last are the end, unless another process moved it
	seq   int64
	last  link
}

// prepare parses the statements, once.
func (f *file) prepare(ctx context.Context, db *sqlitedb.DB) error {
	for _, s := range []struct {
		to    **sql.Stmt
		query string
	}{
		{&f.add, `INSERT INTO calls (` + columns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`},
		{&f.move, `UPDATE chain SET head_seq = ?, head_hash = ? WHERE head_seq = ? AND head_hash = ?`},
		{&f.read, `SELECT head_seq, head_hash FROM chain`},
	} {
		var err error
		if *s.to, err = db.Prepare(ctx, s.query); err != nil { //nolint:sqlclosecheck // close closes it
			return errors.Join(err, f.close())
		}
	}
	return nil
}

func (f *file) close() error {
	var err error
	for _, stmt := range []*sql.Stmt{f.add, f.move, f.read} {
		if stmt != nil {
			err = errors.Join(err, stmt.Close())
		}
	}
	return err
}

// insert appends the rows to the chain, wherever its end is now.
func (f *file) insert(tx *sql.Tx, batch []row) error {
	if f.known {
		if moved, err := f.chain(tx, batch); err != nil || moved {
			return err
		}
	}
	if err := f.find(tx); err != nil {
		return err
	}
	moved, err := f.chain(tx, batch)
	if err == nil && !moved {
		err = errors.New("the head of the chain is gone from the file")
	}
	return err
}

// find reads the end of the chain.
func (f *file) find(tx *sql.Tx) error {
	var raw []byte
	if err := tx.Stmt(f.read).QueryRow().Scan(&f.seq, &raw); err != nil { //nolint:sqlclosecheck // the end of the transaction closes it
		return fmt.Errorf("reading the head: %w", err)
	}
	last, err := parseLink(raw)
	f.last, f.known = last, err == nil
	return err
}

// chain moves the end of the chain over the rows, and adds them. It does neither when
// another process has moved the end.
func (f *file) chain(tx *sql.Tx, batch []row) (bool, error) {
	seq, last, links := f.seq, f.last, make([]link, 0, len(batch))
	for i, r := range batch {
		if r.flush {
			continue
		}
		seq++
		batch[i].entry.Seq = seq
		last = hash(last, batch[i].entry)
		links = append(links, last)
	}
	res, err := tx.Stmt(f.move).Exec(seq, last[:], f.seq, f.last[:]) //nolint:sqlclosecheck // the end of the transaction closes it
	if err != nil {
		return false, fmt.Errorf("moving the head: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return false, err
	}
	return true, f.rows(tx, batch, links)
}

// rows adds the rows, which have these links, and the chain ends with the last of them.
func (f *file) rows(tx *sql.Tx, batch []row, links []link) error {
	add := tx.Stmt(f.add) //nolint:sqlclosecheck // the end of the transaction closes it
	for _, r := range batch {
		if r.flush {
			continue
		}
		e, prev := r.entry, f.last
		f.seq, f.last, links = e.Seq, links[0], links[1:]
		if _, err := add.Exec(e.Seq, e.At.UnixMicro(), e.Duration.Microseconds(), string(e.Source), e.Server, e.Caller, e.Tool,
			string(e.Outcome), e.Detail, e.Correlation, string(e.Arguments), prev[:], f.last[:]); err != nil {
			return fmt.Errorf("adding a row: %w", err)
		}
	}
	return nil
}
