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
			if err := l.Ready(); err != nil && !r.flush {
				batch = append(batch, keep([]row{r}, err)...) // the next tick tries again
			} else if batch = l.gather(append(batch, r)); due(batch) {
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
	for rest := batch; len(rest) > 0; {
		part := rest[:min(len(rest), mostRows)]
		if err := l.insert(part); err != nil {
			return keep(rest, err)
		}
		rest = rest[len(part):]
	}
	return batch[:0]
}

// insert writes rows, and tells those who wait for them.
func (l *Log) insert(part []row) error {
	err := l.db.Write(context.Background(), func(tx *sql.Tx) error { return l.file.insert(tx, part) })
	if err != nil {
		l.file.known = false
		err = fmt.Errorf("writing the audit log: %w", err)
	}
	l.settle(part, err)
	if err != nil {
		return err
	}
	for _, r := range part {
		if r.done != nil {
			r.done <- nil
		}
	}
	return nil
}

// keep returns the rows that must be written another time. Nobody waits for them.
func keep(batch []row, err error) []row {
	kept := batch[:0]
	for _, r := range batch {
		if r.done != nil {
			r.done <- err
			r.done = nil
		}
		if !r.flush {
			kept = append(kept, r)
		}
	}
	return kept
}
