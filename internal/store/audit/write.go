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
	err := l.db.Write(context.Background(), func(tx *sql.Tx) error { return l.file.insert(tx, batch) })
	if err != nil {
		l.file.known = false
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

