// Package sqlitedb opens SQLite databases the one way this product does: private files, a
// write-ahead log, commits that are on disk before they are acknowledged, and a schema
// whose version is known. Several processes may have the same file open.
package sqlitedb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"sync"
)

// ErrClosed is returned by Write once the database is closed.
var ErrClosed = errors.New("the database is closed")

// ErrReadOnly is returned by Write of a database that was opened to be read only.
var ErrReadOnly = errors.New("the database was opened to be read only")

// Options say how to open. The zero value is a database without a schema, for any application.
type Options struct {
	// Application is the application_id of the file: it tells our databases from those of
	// others. A file that bears another one is refused. 0 is never refused.
	Application int32
	// Migrations bring a new file to the present schema, in order. How many were applied is
	// kept in the file (PRAGMA user_version), so one that was released is never changed.
	Migrations []string
	// Synchronous is FULL or NORMAL, "" means FULL. With NORMAL the last commits can be lost
	// when the machine fails, not when the process does.
	Synchronous string
	// ReadOnly opens what is there, and makes, changes and migrates nothing.
	ReadOnly bool
}

// DB is an open database. Its methods may be called by several goroutines.
type DB struct {
	writer, reader *sql.DB
	readOnly       bool
	watch          watch

	mu     sync.Mutex
	queue  []*write
	closed bool
	wake   chan struct{} // holds one while the queue may have something
	ended  chan struct{} // closed when the committer is gone
}

// Open opens the database at path, and makes it, and its folder, when it is not there: the
// folder with mode 0700, the files with 0600. What is there already keeps its mode. The
// context bounds the opening, not the life of the database.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	db, err := open(ctx, path, o)
	if err != nil {
		return nil, fmt.Errorf("open the database %s: %w", path, err)
	}
	return db, nil
}

func open(ctx context.Context, path string, o Options) (*DB, error) {
	name, err := place(path, o.ReadOnly)
	if err != nil {
		return nil, err
	}
	db := &DB{readOnly: o.ReadOnly, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	if err := db.pools(name, o); err != nil {
		return nil, err
	}
	if err := db.prepare(ctx, o); err != nil {
		return nil, errors.Join(err, db.closePools())
	}
	if o.ReadOnly {
		close(db.ended)
		return db, nil
	}
	if db.watch, err = watchOf(name); err != nil {
		return nil, errors.Join(err, db.closePools())
	}
	go db.commitAll()
	return db, nil
}

// pools opens the one connection that writes, and those that read.
func (db *DB) pools(name string, o Options) error {
	sync, err := synchronous(o.Synchronous)
	if err != nil {
		return err
	}
	if db.reader, err = sql.Open(driver, source(name, sync, true)); err != nil {
		return err
	}
	readers := max(4, runtime.GOMAXPROCS(0))
	db.reader.SetMaxOpenConns(readers)
	db.reader.SetMaxIdleConns(readers)
	if o.ReadOnly {
		return nil
	}
	if db.writer, err = sql.Open(driver, source(name, sync, false)); err != nil {
		return err
	}
	db.writer.SetMaxOpenConns(1)
	return nil
}

func (db *DB) prepare(ctx context.Context, o Options) error {
	if o.ReadOnly {
		_, err := checkVersion(ctx, db.reader, o)
		return err
	}
	if err := useLog(ctx, db.writer); err != nil {
		return err
	}
	return migrate(ctx, db.writer, o)
}

// Read returns the connections that read. They cannot write, and see what is committed.
func (db *DB) Read() *sql.DB { return db.reader }

// Close waits for the writes that were begun, refuses others, and closes the files.
// It may be called again.
func (db *DB) Close() error {
	db.mu.Lock()
	db.closed = true
	db.mu.Unlock()
	db.signal()
	<-db.ended
	return db.closePools()
}

func (db *DB) closePools() error {
	err := db.reader.Close()
	if db.writer != nil {
		err = errors.Join(err, db.writer.Close())
	}
	return err
}
