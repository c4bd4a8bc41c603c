package audit

import "fmt"

// room is how much waits to be written. While rows can be written the queue bounds it;
// while they cannot, calls may be refused for that at any rate, each with a row.
type room struct {
	rows, bytes int
	lost        int64 // rows that there was no room for
}

// mostKept is the size in bytes of the rows that are kept while none can be written.
const mostKept = 32 << 20

// admit counts a row in. While rows cannot be written it returns why, and whether this one
// is kept all the same.
func (l *Log) admit(e Entry) (kept bool, why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil && !l.room.has(e, l.opts.Pending) {
		l.room.lost++
		return false, l.broken
	}
	l.room.rows++
	l.room.bytes += size(e)
	return true, l.broken
}

// has tells whether a row may be kept. Calls that did not run leave half of the room to
// those that did.
func (r room) has(e Entry, rows int) bool {
	bytes := mostKept
	if e.Outcome == Denied || e.Outcome == Invalid {
		rows, bytes = rows/2, bytes/2
	}
	return r.rows < rows && r.bytes+size(e) <= bytes
}

// leave counts a row out that was not handed over; lost says that it should have been.
func (l *Log) leave(e Entry, lost bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.room.rows--
	l.room.bytes -= size(e)
	if lost {
		l.room.lost++
	}
}

// settle takes note of what became of rows: err is why they were not written.
func (l *Log) settle(part []row, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = err
	if err != nil {
		return
	}
	for _, r := range part {
		if !r.flush {
			l.room.rows--
			l.room.bytes -= size(r.entry)
		}
	}
}

// shortage tells of the rows that there was no room for.
func (r room) shortage() error {
	if r.lost == 0 {
		return nil
	}
	return fmt.Errorf("%d rows of the audit log were lost while it could not be written", r.lost)
}

// size is about what an entry takes in memory, in bytes.
func size(e Entry) int {
	const fixed = 512
	return fixed + len(e.Arguments) + len(e.Detail) + len(e.Caller) + len(e.Server) + len(e.Tool) + len(e.Correlation)
}
