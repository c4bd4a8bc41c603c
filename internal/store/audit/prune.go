package audit

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Bounds say which rows Prune takes out: those that are past any of them. The zero
// value takes out none.
type Bounds struct {
	KeepLast  int64     // rows that are kept, the newest; 0 means without this bound
	OlderThan time.Time // calls before it go; zero means without this bound
}

// ErrTampered is wrapped when Prune finds that the chain does not hold where it would
// prune: what it took out could not be shown any more.
var ErrTampered = errors.New("the chain does not hold, so nothing was pruned")

// Prune takes out the oldest rows, and returns how many. The chain goes on from the
// last one taken out, whose hash is kept, so that Verify still works. Rows are taken out
// from the oldest on without gaps: one that is older than OlderThan stays where a row
// before it is not.
func (l *Log) Prune(ctx context.Context, b Bounds) (int64, error) {
	if err := l.Flush(ctx); err != nil {
		return 0, err
	}
	var gone int64
	inside := context.WithoutCancel(ctx) // a statement that is broken off would undo the writes of others
	err := l.db.Write(ctx, func(tx *sql.Tx) error {
		last, err := b.last(inside, tx)
		if err != nil {
			return err
		}
		gone, err = cut(inside, tx, last)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("pruning the audit log: %w", err)
	}
	return gone, nil
}

// last returns the number of the last row to take out, 0 for none.
func (b Bounds) last(ctx context.Context, tx *sql.Tx) (int64, error) {
	c, err := readChain(tx.QueryRowContext(ctx, chainQuery))
	if err != nil {
		return 0, err
	}
	var last int64
	if b.KeepLast > 0 {
		last = c.headSeq - b.KeepLast
	}
	if b.OlderThan.IsZero() {
		return last, nil
	}
	var young sql.NullInt64
	err = tx.QueryRowContext(ctx, `SELECT min(seq) FROM calls WHERE at_us >= ?`, b.OlderThan.UnixMicro()).Scan(&young)
	if err != nil {
		return 0, fmt.Errorf("looking for old rows: %w", err)
	}
	if !young.Valid {
		return max(last, c.headSeq), nil
	}
	return max(last, young.Int64-1), nil
}

// cut takes out the rows up to last, and keeps the place where the chain goes on.
func cut(ctx context.Context, tx *sql.Tx, last int64) (int64, error) {
	if last <= 0 {
		return 0, nil
	}
	v, err := verify(ctx, tx, last, nil)
	if err != nil {
		return 0, err
	}
	if !v.Sound() {
		return 0, fmt.Errorf("%w: %s", ErrTampered, v.Faults[0].Message)
	}
	res, err := tx.ExecContext(ctx, `UPDATE chain SET pruned_seq = seq, pruned_hash = hash
		FROM (SELECT seq, hash FROM calls WHERE seq = ?)`, last)
	if err != nil {
		return 0, fmt.Errorf("keeping the place: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return 0, err // there is nothing up to there
	}
	res, err = tx.ExecContext(ctx, `DELETE FROM calls WHERE seq <= ?`, last)
	if err != nil {
		return 0, fmt.Errorf("taking out rows: %w", err)
	}
	return res.RowsAffected()
}
