package audit

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// mostRows is how many rows are written at once.
const mostRows = 512

// write takes rows off the queue and writes them, many at a time, until Close. Rows
// that cannot be written are kept, and tried again with those that follow.
func (l *Log) write() {
	defer close(l.closed)
	tick := time.NewTicker(l.opts.Every)
	defer tick.Stop()
	var batch []row
	for {
		select {
		case r := <-l.rows:
			if batch = l.gather(append(batch, r)); due(batch) {
				batch = l.flush(batch)
			}
		case <-tick.C:
			batch = l.flush(batch)
		case <-l.closing:
			l.drain(batch)
			return
		}
	}
}

// gather adds the rows that wait already.
func (l *Log) gather(batch []row) []row {
	for len(batch) < mostRows {
		select {
		case r := <-l.rows:
			batch = append(batch, r)
		default:
			return batch
		}
	}
	return batch
}

// due tells whether the batch is to be written now: somebody waits, or it is full.
func due(batch []row) bool {
	for _, r := range batch {
		if r.done != nil {
			return true
		}
	}
	return len(batch) >= mostRows
}

// drain writes what is left once nothing more can come.
func (l *Log) drain(batch []row) {
	l.sending.Lock() // whoever was handing over a row has done so
	defer l.sending.Unlock()
	for {
		batch = l.flush(l.gather(batch))
		if len(l.rows) == 0 || l.Ready() != nil {
			return
		}
	}
}

// flush writes the batch, and returns what could not be written.
func (l *Log) flush(batch []row) []row {
	if len(batch) == 0 {
		return nil
	}
	err := l.db.Write(context.Background(), func(tx *sql.Tx) error { return insert(tx, batch) })
	if err != nil {
		err = fmt.Errorf("writing the audit log: %w", err)
	}
	l.mu.Lock()
	l.broken = err
	l.mu.Unlock()
	kept := batch[:0]
	for _, r := range batch {
		if r.done != nil {
			r.done <- err
			r.done = nil
		}
		if err != nil && !r.flush {
			kept = append(kept, r)
		}
	}
	return kept
}

// insert appends the rows to the chain, wherever its end is now: another process may
// have moved it.
func insert(tx *sql.Tx, batch []row) error {
	seq, prev, err := end(tx)
	if err != nil {
		return err
	}
	stmt, err := tx.Prepare(`INSERT INTO calls (seq, at_us, duration_us, source, server, caller, tool, outcome,
		detail, correlation, arguments, prev, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return fmt.Errorf("preparing: %w", err)
	}
	defer func() { _ = stmt.Close() }() // it goes with the transaction
	for _, r := range batch {
		if r.flush {
			continue
		}
		e := r.entry
		seq++
		e.Seq = seq
		h := hash(prev, e)
		if _, err := stmt.Exec(e.Seq, e.At.UnixMicro(), e.Duration.Microseconds(), string(e.Source), e.Server, e.Caller, e.Tool,
			string(e.Outcome), e.Detail, e.Correlation, string(e.Arguments), prev[:], h[:]); err != nil {
			return fmt.Errorf("adding a row: %w", err)
		}
		prev = h
	}
	if _, err := tx.Exec(`UPDATE chain SET head_seq = ?, head_hash = ?`, seq, prev[:]); err != nil {
		return fmt.Errorf("moving the head: %w", err)
	}
	return nil
}

// end returns the number and the hash of the last row.
func end(tx *sql.Tx) (int64, link, error) {
	var seq int64
	var raw []byte
	if err := tx.QueryRow(`SELECT head_seq, head_hash FROM chain`).Scan(&seq, &raw); err != nil {
		return 0, link{}, fmt.Errorf("reading the head: %w", err)
	}
	h, err := parseLink(raw)
	return seq, h, err
}
