package sqlitedb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// querier is a database or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// useLog turns the write-ahead log on. Processes that do so at once can be refused without
// being made to wait, so it is tried again.
func useLog(ctx context.Context, db *sql.DB) error {
	ctx, cancel := context.WithTimeout(ctx, busyMillis*time.Millisecond)
	defer cancel()
	for {
		var mode string
		err := db.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode)
		if err == nil && mode == "wal" {
			return nil
		}
		if err == nil {
			return fmt.Errorf("no write-ahead log can be kept there (journal mode %s)", mode)
		}
		if !busy(err) {
			return fmt.Errorf("turn the write-ahead log on: %w", err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("turn the write-ahead log on: %w", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// busy tells whether another process has the lock (SQLITE_BUSY and its extended codes).
func busy(err error) bool {
	var coded interface{ Code() int }
	return errors.As(err, &coded) && coded.Code()&0xff == 5
}

// migrate brings the schema to the present, in one transaction: of several processes one
// does it, and the others find it done.
func migrate(ctx context.Context, db *sql.DB, o Options) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin the migration: %w", err)
	}
	version, err := checkVersion(ctx, tx, o)
	if err == nil {
		err = apply(ctx, tx, o, version)
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func apply(ctx context.Context, tx *sql.Tx, o Options, version int) error {
	for i, text := range o.Migrations[version:] {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("migration %d: %w", version+i+1, err)
		}
	}
	// Pragmas take no parameters.
	marks := fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", len(o.Migrations), o.Application)
	_, err := tx.ExecContext(ctx, marks)
	return err
}

// checkVersion refuses a file that is not ours, or that a newer release of us has
// migrated, and returns how many migrations it has had.
func checkVersion(ctx context.Context, q querier, o Options) (int, error) {
	var version, application, tables int64
	row := q.QueryRowContext(ctx, `SELECT
		(SELECT user_version FROM pragma_user_version),
		(SELECT application_id FROM pragma_application_id),
		(SELECT count(*) FROM sqlite_schema)`)
	if err := row.Scan(&version, &application, &tables); err != nil {
		return 0, fmt.Errorf("read its version: %w", err)
	}
	fresh := version == 0 && application == 0 && tables == 0
	switch {
	case o.Application != 0 && application != int64(o.Application) && !fresh:
		return 0, fmt.Errorf("it belongs to another application (application_id %#x, ours is %#x); choose another path",
			application, o.Application)
	case version > int64(len(o.Migrations)):
		return 0, fmt.Errorf("its schema has version %d, and this release knows %d: use a newer release",
			version, len(o.Migrations))
	case o.ReadOnly && version < int64(len(o.Migrations)):
		return 0, fmt.Errorf("its schema has version %d, and %d is needed: open it for writing once", version, len(o.Migrations))
	}
	return int(version), nil
}
