package sqlitedb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"slices"
)

// batch is how many writes share a commit at most.
const batch = 256

// write is one call of Write.
type write struct {
	fn       func(*sql.Tx) error
	err      error
	panicked any  // what fn panicked with
	exited   bool // fn ended its goroutine
	done     chan struct{}
}

// failed tells whether the write is to be undone.
func (w *write) failed() bool { return w.err != nil || w.panicked != nil || w.exited }

// Write runs fn in a transaction, and returns nil once its commit is on disk. Writers that
// come at the same time share one commit, each in a savepoint of its own: what fn fails
// with undoes its own writes only, and is returned as it is.
//
// fn may be run again after a failure that was another's, so it must do nothing but write
// to tx and set its results. It must neither commit nor roll back, and should give the
// statements no context that ends: an interrupted one undoes the whole transaction.
// A panic of fn, and runtime.Goexit in it (t.Fatal of a test), undo its writes and go on
// in the goroutine of the caller. The context bounds the wait for a turn; a write that has
// begun is seen to its end. Of a file that was removed or replaced the error says so.
func (db *DB) Write(ctx context.Context, fn func(tx *sql.Tx) error) error {
	w := &write{fn: fn, done: make(chan struct{})}
	if err := db.enqueue(ctx, w); err != nil {
		return err
	}
	select {
	case <-w.done:
	case <-ctx.Done():
		if db.withdraw(w) {
			return ctx.Err()
		}
		<-w.done
	}
	if w.panicked != nil {
		panic(w.panicked)
	}
	if w.exited {
		runtime.Goexit()
	}
	return w.err
}

// Prepare makes a statement to be used in Write, by tx.Stmt: it is parsed once and not
// for each transaction. It is to be closed before the database is.
func (db *DB) Prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if db.readOnly {
		return nil, ErrReadOnly
	}
	stmt, err := db.writer.PrepareContext(ctx, query)
	return stmt, wrap("prepare a statement", err)
}

func (db *DB) enqueue(ctx context.Context, w *write) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if db.readOnly {
		return ErrReadOnly
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return ErrClosed
	}
	db.queue = append(db.queue, w)
	db.signal()
	return nil
}

func (db *DB) signal() {
	select {
	case db.wake <- struct{}{}:
	default:
	}
}

// withdraw takes a write back that has not begun.
func (db *DB) withdraw(w *write) bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	i := slices.Index(db.queue, w)
	if i < 0 {
		return false
	}
	db.queue = slices.Delete(db.queue, i, i+1)
	return true
}

// next takes the first write that waits, nil when none does.
func (db *DB) next() *write {
	db.mu.Lock()
	defer db.mu.Unlock()
	if len(db.queue) == 0 {
		return nil
	}
	w := db.queue[0]
	db.queue = slices.Delete(db.queue, 0, 1)
	return w
}

// state tells whether a write waits, and whether the database is closed.
func (db *DB) state() (waiting, closed bool) {
	db.mu.Lock()
	defer db.mu.Unlock()
	return len(db.queue) > 0, db.closed
}

// commitAll commits what is queued, until the database is closed and the queue empty.
func (db *DB) commitAll() {
	defer close(db.ended)
	for range db.wake {
		waiting, closed := db.state()
		for waiting {
			db.commitSome()
			waiting, closed = db.state()
		}
		if closed {
			return
		}
	}
}

// commitSome commits the writes that wait, up to a batch. They are taken only once the
// transaction is begun, so that they can be withdrawn while another process has the lock.
func (db *DB) commitSome() {
	if err := db.Lost(); err != nil {
		db.refuseAll(err)
		return
	}
	tx, err := db.writer.BeginTx(context.Background(), nil)
	if err != nil {
		db.refuseAll(fmt.Errorf("begin a transaction: %w", err))
		return
	}
	written, spoiled := db.runSome(tx)
	if len(written) == 0 {
		// Nothing was written; a rollback that fails has nothing to lose.
		_ = tx.Rollback()
		return
	}
	if !spoiled {
		err = tx.Commit()
		settle(written, wrap("commit", err))
		return
	}
	_ = tx.Rollback() // it is undone already, or has to be
	for _, w := range written {
		w.err = db.alone(w)
	}
	settle(written, nil)
}

// runSome runs writes in the transaction, and returns those to be committed. The ones that
// failed are settled. It is spoiled when the transaction did not outlive a failure.
func (db *DB) runSome(tx *sql.Tx) (written []*write, spoiled bool) {
	for len(written) < batch {
		w := db.next()
		if w == nil {
			return written, false
		}
		if len(written) > 0 {
			if _, err := tx.Exec("SAVEPOINT w"); err != nil {
				return append(written, w), true
			}
		}
		intact := run(tx, w, len(written) == 0)
		if !w.failed() {
			written = append(written, w)
		} else {
			close(w.done)
		}
		if !intact {
			return written, true
		}
	}
	return written, false
}

// run runs one write in the savepoint, and undoes it when it fails. It tells whether the
// transaction is intact. The first of a transaction has no savepoint: when it fails the
// transaction goes, which holds nothing else.
func run(tx *sql.Tx, w *write, first bool) bool {
	w.call(tx)
	if first {
		return !w.failed()
	}
	end := "RELEASE w"
	if w.failed() {
		end = "ROLLBACK TO w; RELEASE w"
	}
	_, err := tx.Exec(end)
	return err == nil
}

// call runs fn in a goroutine of its own, which is the one that fn can end: a panic and an
// exit belong to the caller of Write, and the committer outlives both.
func (w *write) call(tx *sql.Tx) {
	w.err, w.panicked, w.exited = nil, nil, true
	over := make(chan struct{})
	go func() {
		defer close(over)
		defer func() {
			if w.panicked = recover(); w.panicked != nil {
				w.exited = false
			}
		}()
		w.err = w.fn(tx)
		w.exited = false
	}()
	<-over
}

// alone runs a write in a transaction of its own.
func (db *DB) alone(w *write) error {
	tx, err := db.writer.BeginTx(context.Background(), nil)
	if err != nil {
		return wrap("begin a transaction", err)
	}
	if w.call(tx); w.failed() {
		if back := tx.Rollback(); !errors.Is(back, sql.ErrTxDone) {
			return errors.Join(w.err, back)
		}
		return w.err
	}
	return wrap("commit", tx.Commit())
}

func (db *DB) refuseAll(err error) {
	for w := db.next(); w != nil; w = db.next() {
		w.err = err
		close(w.done)
	}
}

// settle tells the writers. An error is that of their commit.
func settle(written []*write, err error) {
	for _, w := range written {
		if err != nil {
			w.err = err
		}
		close(w.done)
	}
}

func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
