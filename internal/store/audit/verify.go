package audit

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Fault is one place where the chain does not hold.
type Fault struct {
	Seq     int64  `json:"seq"` // of the row, the first where there are several
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// The kinds of faults.
const (
	Changed   = "changed"   // a row is not what was written
	Missing   = "missing"   // rows between others are gone
	Moved     = "moved"     // a row stands where another stood
	Truncated = "truncated" // the newest rows are gone
	Added     = "added"     // there are rows after the head
	Replaced  = "replaced"  // the chain is not the one whose head was noted
)

// Verification is what Verify found.
type Verification struct {
	Rows   int64   `json:"rows"`   // that were read
	Pruned int64   `json:"pruned"` // rows that were pruned before, and cannot be read
	Head   Head    `json:"head"`
	Faults []Fault `json:"faults"` // at most 100
}

// mostFaults is how many faults are told.
const mostFaults = 100

// Sound tells whether the chain holds.
func (v Verification) Sound() bool { return len(v.Faults) == 0 }

// Head returns the end of the chain, after all that was appended.
func (l *Log) Head(ctx context.Context) (Head, error) {
	if err := l.Flush(ctx); err != nil {
		return Head{}, err
	}
	c, err := readChain(l.db.Read().QueryRowContext(ctx, chainQuery))
	if err != nil {
		return Head{}, err
	}
	return Head{c.headSeq, c.head.String()}, nil
}

// Verify reads the whole chain and tells where it does not hold. Each head that was
// noted before must still be in it, or have been pruned. The error says that the log
// could not be read, not that the chain is broken.
func (l *Log) Verify(ctx context.Context, noted ...Head) (Verification, error) {
	if err := l.Flush(ctx); err != nil {
		return Verification{}, err
	}
	tx, err := l.db.Read().BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return Verification{}, fmt.Errorf("verifying the audit log: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	return verify(ctx, tx, 0, noted)
}

// chain is what stands beside the rows.
type chain struct {
	prunedSeq, headSeq int64
	pruned, head       link
}

const chainQuery = `SELECT pruned_seq, pruned_hash, head_seq, head_hash FROM chain`

func readChain(row *sql.Row) (chain, error) {
	var c chain
	var pruned, head []byte
	err := row.Scan(&c.prunedSeq, &pruned, &c.headSeq, &head)
	if errors.Is(err, sql.ErrNoRows) {
		return c, errors.New("the audit log has lost its head: it was tampered with")
	}
	if err != nil {
		return c, fmt.Errorf("reading the head of the audit log: %w", err)
	}
	if c.pruned, err = parseLink(pruned); err != nil {
		return c, err
	}
	c.head, err = parseLink(head)
	return c, err
}

// verify checks the rows up to the one with the number last; 0 means all, and the head.
func verify(ctx context.Context, tx *sql.Tx, last int64, noted []Head) (Verification, error) {
	c, err := readChain(tx.QueryRowContext(ctx, chainQuery))
	if err != nil {
		return Verification{}, err
	}
	query, args := `SELECT `+columns+` FROM calls`, []any{}
	if last > 0 {
		query, args = query+` WHERE seq <= ?`, append(args, last)
	}
	rows, err := tx.QueryContext(ctx, query+` ORDER BY seq`, args...)
	if err != nil {
		return Verification{}, fmt.Errorf("verifying the audit log: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err tells
	w := newWalk(c, noted)
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return Verification{}, err
		}
		w.step(r)
	}
	if err := rows.Err(); err != nil {
		return Verification{}, fmt.Errorf("verifying the audit log: %w", err)
	}
	w.nameMoved()
	if last == 0 {
		w.end()
	}
	return w.found, nil
}

// walk goes along the chain.
type walk struct {
	chain  chain
	noted  map[int64]string
	seq    int64 // of the row before
	prev   link  // its hash
	found  Verification
	broken []stored // rows whose hash is not theirs
	unsure bool     // the row before is one of them: what follows it proves nothing
}

func newWalk(c chain, noted []Head) *walk {
	w := &walk{chain: c, noted: map[int64]string{}, seq: c.prunedSeq, prev: c.pruned}
	w.found = Verification{Pruned: c.prunedSeq, Head: Head{c.headSeq, c.head.String()}, Faults: []Fault{}}
	for _, h := range noted {
		if h.Seq > c.prunedSeq {
			w.noted[h.Seq] = h.Hash
		} else if h.Seq == c.prunedSeq && h.Hash != c.pruned.String() {
			w.tell(h.Seq, Replaced, "row %d had another hash when its head was noted: the chain was written anew", h.Seq)
		}
	}
	return w
}

func (w *walk) tell(seq int64, kind, format string, args ...any) {
	if len(w.found.Faults) < mostFaults {
		w.found.Faults = append(w.found.Faults, Fault{seq, kind, fmt.Sprintf(format, args...)})
	}
}

// step judges the next row. After a fault it goes on from what stands in the row, so
// that one fault is told once.
func (w *walk) step(r stored) {
	w.found.Rows++
	prev, errPrev := parseLink(r.prev)
	own, errOwn := parseLink(r.hash)
	gap := r.Seq != w.seq+1
	if gap {
		w.tell(w.seq+1, Missing, "%s missing", span(w.seq+1, r.Seq-1))
	}
	wrong := errPrev != nil || errOwn != nil || hash(prev, r.Entry) != own
	switch {
	case wrong:
		w.broken = append(w.broken, r)
	case !gap && !w.unsure && prev != w.prev:
		w.tell(r.Seq, Changed, "row %d does not follow the row before it: that one was changed, or this one was put in", r.Seq)
	}
	if want, ok := w.noted[r.Seq]; ok && want != own.String() {
		w.tell(r.Seq, Replaced, "row %d had another hash when its head was noted: the chain was written anew", r.Seq)
	}
	delete(w.noted, r.Seq)
	w.seq, w.prev, w.unsure = r.Seq, own, wrong
}

// nameMoved tells of each row whose hash is not its own: where it stood before, if it
// was only moved, else that it was changed.
func (w *walk) nameMoved() {
	for _, r := range w.broken {
		from, ok := w.origin(r)
		if ok {
			w.tell(r.Seq, Moved, "row %d was row %d: rows were moved", r.Seq, from)
		} else {
			w.tell(r.Seq, Changed, "row %d is not what was written", r.Seq)
		}
	}
}

// origin looks for the number that the row had, near those of the rows that are wrong.
func (w *walk) origin(r stored) (int64, bool) {
	prev, err := parseLink(r.prev)
	if err != nil {
		return 0, false
	}
	try := []int64{r.Seq - 1, r.Seq + 1}
	for _, other := range w.broken[:min(len(w.broken), mostFaults)] {
		try = append(try, other.Seq)
	}
	for _, seq := range try {
		e := r.Entry
		e.Seq = seq
		if h := hash(prev, e); seq != r.Seq && bytes.Equal(h[:], r.hash) {
			return seq, true
		}
	}
	return 0, false
}

// end judges where the chain ends.
func (w *walk) end() {
	switch c := w.chain; {
	case w.seq < c.headSeq:
		w.tell(w.seq+1, Truncated, "%s missing at the end", span(w.seq+1, c.headSeq))
	case w.seq > c.headSeq:
		w.tell(c.headSeq+1, Added, "the head is row %d, and the file goes on to row %d", c.headSeq, w.seq)
	case w.prev != c.head && len(w.broken) == 0:
		w.tell(w.seq, Changed, "the last row is not the one that the head names")
	}
	for seq := range w.noted {
		if seq > w.chain.headSeq {
			w.tell(seq, Truncated, "row %d, whose head was noted, is missing: the newest rows are gone", seq)
		}
	}
}

func span(first, last int64) string {
	if first == last {
		return fmt.Sprintf("row %d is", first)
	}
	return fmt.Sprintf("rows %d to %d are", first, last)
}
