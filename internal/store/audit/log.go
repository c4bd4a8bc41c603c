package audit

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/peerwright/peerwright/internal/redact"
	"github.com/peerwright/peerwright/internal/sqlitedb"
)

// Options are what Open takes. The zero value is ready to use.
type Options struct {
	// ReadOnly opens a file that is there, and changes nothing in it.
	ReadOnly bool
	// Durable makes every Append wait until its row would survive the end of the
	// machine. Otherwise only denials wait, and the others are written within Every.
	Durable bool
	// Every is how long a row may wait for others before it is written; 0 means 100 ms.
	Every time.Duration
	// Pending is how many rows may wait; more of them make Append wait, or fail while rows
	// cannot be written. 0 means 8,192.
	Pending int
	// MostArguments is the size in bytes up to which arguments are kept; of longer ones
	// the size alone. 0 means 64 KiB.
	MostArguments int
}

func (o Options) withDefaults() Options {
	if o.Every <= 0 {
		o.Every = 100 * time.Millisecond
	}
	if o.Pending <= 0 {
		o.Pending = 8192
	}
	if o.MostArguments <= 0 {
		o.MostArguments = 64 << 10
	}
	return o
}

// ErrClosed is returned for a row that came after Close.
var ErrClosed = errors.New("the audit log is closed")

// ErrReadOnly is returned for a row of a log that was opened to be read only.
var ErrReadOnly = errors.New("the audit log was opened to be read only")

// Log writes one file and reads it. All methods may be called by several goroutines.
type Log struct {
	db      *sqlitedb.DB
	opts    Options
	secrets *redact.Redactor
	file    file // of the writer alone

	rows    chan row
	closing chan struct{}
	closed  chan struct{} // the writer has returned
	once    sync.Once
	sending sync.RWMutex // held for reading while a row is handed over

	mu     sync.Mutex
	broken error // why the last rows could not be written; nil once they are
	room   room
	final  error // what Close returns
}

// row is an entry on its way to the file.
type row struct {
	entry Entry
	done  chan error // told when it is written; nil where nobody waits
	flush bool       // there is no entry: it only waits for those before
}

// Open opens the log in the file, which it makes with mode 0600 where there is none.
func Open(ctx context.Context, path string, o Options) (*Log, error) {
	o = o.withDefaults()
	db, err := sqlitedb.Open(ctx, path, sqlitedb.Options{
		Application: application, Migrations: migrations(), Synchronous: "FULL", ReadOnly: o.ReadOnly,
	})
	if err != nil {
		return nil, fmt.Errorf("opening the audit log %s: %w", path, err)
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	l := &Log{
		db: db, opts: o, secrets: redact.New(key),
		rows: make(chan row, o.Pending), closing: make(chan struct{}), closed: make(chan struct{}),
	}
	if !o.ReadOnly {
		if err := l.file.prepare(ctx, db); err != nil {
			return nil, errors.Join(fmt.Errorf("opening the audit log %s: %w", path, err), db.Close())
		}
	}
	go l.write()
	return l, nil
}

// Known tells the log of secrets to take out wherever they stand, besides those that
// are known by their name or shape.
func (l *Log) Known(secrets ...string) { l.secrets.Known(secrets...) }

// Ready returns why rows cannot be written at present, nil when they can.
func (l *Log) Ready() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return l.broken
	}
	if err := l.db.Lost(); err != nil {
		return fmt.Errorf("the audit log: %w", err)
	}
	return nil
}

// Append adds the entry, whose Seq and Hash it gives. A denial, and any entry of a
// durable log, has been written when it returns; the error is then why it was not. Of
// the others Append returns the error of the rows before it, if they could not be written.
//
// While rows cannot be written Append fails at once, and the row is kept and tried again
// for as long as the log is open: up to Options.Pending of them and 32 MiB, half of that
// for calls that did not run. There is no room for more; Close tells how many were lost.
func (l *Log) Append(ctx context.Context, e Entry) error {
	if l.opts.ReadOnly {
		return ErrReadOnly
	}
	r := row{entry: l.clean(e)}
	if kept, why := l.admit(r.entry); why != nil {
		if kept {
			l.offer(r)
		}
		return why
	}
	if l.opts.Durable || e.Outcome == Denied {
		r.done = make(chan error, 1)
	}
	if err := l.hand(ctx, r); err != nil {
		l.leave(r.entry, true)
		return err
	}
	if r.done == nil {
		return l.Ready()
	}
	return l.await(ctx, r.done)
}

// Flush returns when every row that was appended before is in the file.
func (l *Log) Flush(ctx context.Context) error {
	r := row{flush: true, done: make(chan error, 1)}
	if l.opts.ReadOnly {
		return nil // there is nothing to write
	}
	if err := l.hand(ctx, r); err != nil {
		return err
	}
	return l.await(ctx, r.done)
}

// Close writes what waits, and closes the file. Its error says that rows were lost.
func (l *Log) Close() error {
	l.once.Do(func() {
		close(l.closing)
		<-l.closed
		err := errors.Join(l.file.close(), l.db.Close())
		l.mu.Lock()
		defer l.mu.Unlock()
		l.final = errors.Join(l.broken, l.room.shortage(), err)
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.final
}

func (l *Log) hand(ctx context.Context, r row) error {
	l.sending.RLock()
	defer l.sending.RUnlock()
	select {
	case <-l.closing:
		return ErrClosed
	default:
	}
	select {
	case l.rows <- r:
		return nil
	case <-l.closing:
		return ErrClosed
	case <-ctx.Done():
		return fmt.Errorf("appending to the audit log: %w", context.Cause(ctx))
	}
}

// offer hands over a row that nobody waits for, unless the queue is full.
func (l *Log) offer(r row) {
	l.sending.RLock()
	defer l.sending.RUnlock()
	select {
	case <-l.closing:
	default:
		select {
		case l.rows <- r:
			return
		default:
		}
	}
	l.leave(r.entry, true)
}

func (l *Log) await(ctx context.Context, done <-chan error) error {
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("waiting for the audit log: %w", context.Cause(ctx))
	}
}
