package sqlitedb_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/peerwright/peerwright/internal/sqlitedb"
)

var schema = sqlitedb.Options{
	Application: 0x7077, Migrations: []string{"CREATE TABLE t (n INTEGER PRIMARY KEY, v BLOB NOT NULL)"},
}

func open(tb testing.TB, path string, o sqlitedb.Options) *sqlitedb.DB {
	tb.Helper()
	db, err := sqlitedb.Open(context.Background(), path, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	return db
}

func insert(n int) func(*sql.Tx) error {
	return func(tx *sql.Tx) error {
		_, err := tx.Exec("INSERT INTO t VALUES (?, ?)", n, make([]byte, 400))
		return err
	}
}

func count(tb testing.TB, db *sqlitedb.DB) int {
	tb.Helper()
	var n int
	if err := db.Read().QueryRow("SELECT count(*) FROM t").Scan(&n); err != nil {
		tb.Fatal(err)
	}
	return n
}

func TestFilesArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "odd ?#%dir")
	path := filepath.Join(dir, "x.db")
	db := open(t, path, schema)
	if err := db.Write(context.Background(), insert(1)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{dir: 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", name, info.Mode().Perm(), want)
		}
	}
}

func TestPragmas(t *testing.T) {
	for mode, want := range map[string]string{"": "2", "FULL": "2", "normal": "1"} {
		o := schema
		o.Synchronous = mode
		db := open(t, filepath.Join(t.TempDir(), "x.db"), o)
		check := func(got map[string]string) {
			for pragma, want := range map[string]string{
				"synchronous": want, "foreign_keys": "1", "busy_timeout": "10000", "journal_mode": "wal",
			} {
				if got[pragma] != want {
					t.Errorf("%q: %s is %s, want %s", mode, pragma, got[pragma], want)
				}
			}
		}
		got := map[string]string{}
		err := db.Write(context.Background(), func(tx *sql.Tx) error { return pragmas(tx.QueryRow, got) })
		if err != nil {
			t.Fatal(err)
		}
		check(got)
		if err := pragmas(db.Read().QueryRow, got); err != nil {
			t.Fatal(err)
		}
		check(got)
	}
}

func pragmas(query func(string, ...any) *sql.Row, into map[string]string) error {
	for _, p := range []string{"synchronous", "foreign_keys", "busy_timeout", "journal_mode"} {
		var v string
		if err := query("PRAGMA " + p).Scan(&v); err != nil {
			return err
		}
		into[p] = v
	}
	return nil
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	ours, foreign := filepath.Join(dir, "ours.db"), filepath.Join(dir, "foreign.db")
	two := schema
	two.Migrations = append(two.Migrations, "CREATE TABLE u (n)")
	_ = open(t, ours, two).Close()
	_ = open(t, foreign, sqlitedb.Options{Migrations: []string{"CREATE TABLE other (n)"}}).Close()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database\n", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	readOnly := schema
	readOnly.ReadOnly = true
	wrong := schema
	wrong.Synchronous = "off"
	bad := schema
	bad.Migrations = []string{"CREATE TABLE half (n)", "nonsense"}
	for _, tt := range []struct {
		path string
		o    sqlitedb.Options
		want string
	}{
		{ours, schema, "use a newer release"},
		{foreign, schema, "another application"},
		{text, schema, "not a database"},
		{":memory:", schema, "path of a file"},
		{"", schema, "path of a file"},
		{filepath.Join(dir, "none.db"), readOnly, "no such file"},
		{filepath.Join(dir, "sync.db"), wrong, "FULL or NORMAL"},
		{filepath.Join(dir, "bad.db"), bad, "migration 2"},
	} {
		_, err := sqlitedb.Open(context.Background(), tt.path, tt.o)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("open %s: %v, want %q", tt.path, err, tt.want)
		}
	}
	// The migration that failed left nothing behind.
	open(t, filepath.Join(dir, "bad.db"), schema)
}

func TestMigrationsGoOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	db := open(t, path, schema)
	if err := db.Write(context.Background(), insert(7)); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	two := schema
	two.Migrations = append(two.Migrations, "ALTER TABLE t ADD COLUMN w TEXT NOT NULL DEFAULT 'x'")
	for range 2 {
		if got := count(t, open(t, path, two)); got != 1 {
			t.Errorf("%d rows, want 1", got)
		}
	}
}

func TestOneFailureRollsBackOnlyItself(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "x.db"), schema)
	failed := errors.New("as told")
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			err := db.Write(context.Background(), func(tx *sql.Tx) error {
				if err := insert(i)(tx); err != nil || i%2 == 0 {
					return errors.Join(failed, err)
				}
				return nil
			})
			if errors.Is(err, failed) != (i%2 == 0) {
				t.Errorf("write %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	if got := count(t, db); got != 100 {
		t.Errorf("%d rows, want 100", got)
	}
}

// A statement that is interrupted undoes the whole transaction: the other writes are done again.
func TestInterruptedStatementSpoilsNoOtherWrite(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "x.db"), schema)
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			err := db.Write(context.Background(), func(tx *sql.Tx) error {
				if i%10 != 0 {
					return insert(i)(tx)
				}
				_, err := tx.Exec("ROLLBACK")
				return errors.Join(errors.New("undone"), err)
			})
			if (err != nil) != (i%10 == 0) {
				t.Errorf("write %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	if got := count(t, db); got != 54 {
		t.Errorf("%d rows, want 54", got)
	}
}

func TestPanicIsTheCallers(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "x.db"), schema)
	func() {
		defer func() {
			if got := recover(); got != "mine" {
				t.Errorf("recovered %v", got)
			}
		}()
		_ = db.Write(context.Background(), func(*sql.Tx) error { panic("mine") })
	}()
	if err := db.Write(context.Background(), insert(1)); err != nil {
		t.Error(err)
	}
}

// A test that gives up within fn ends its own goroutine, and no other write.
func TestExitIsTheCallers(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "x.db"), schema)
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			returned := false
			defer func() {
				if returned != (i%10 != 0) {
					t.Errorf("write %d: returned %t", i, returned)
				}
			}()
			if err := db.Write(context.Background(), func(tx *sql.Tx) error {
				err := insert(i)(tx)
				if i%10 == 0 {
					runtime.Goexit()
				}
				return err
			}); err != nil {
				t.Error(err)
			}
			returned = true
		})
	}
	wg.Wait()
	if got := count(t, db); got != 54 {
		t.Errorf("%d rows, want 54", got)
	}
}

func TestCancelledWhileAnotherHasTheLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	a, b := open(t, path, schema), open(t, path, schema)
	inside, release := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- a.Write(context.Background(), func(tx *sql.Tx) error {
			close(inside)
			<-release
			return insert(1)(tx)
		})
	}()
	<-inside
	ctx, cancel := context.WithCancel(context.Background())
	waiting := make(chan error, 1)
	go func() { waiting <- b.Write(ctx, insert(2)) }()
	cancel()
	if err := <-waiting; !errors.Is(err, context.Canceled) {
		t.Errorf("the write that waited: %v", err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := count(t, b); got != 1 {
		t.Errorf("%d rows, want 1", got)
	}
}

func TestReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	w := open(t, path, schema)
	o := schema
	o.ReadOnly = true
	r := open(t, path, o)
	if err := w.Write(context.Background(), insert(1)); err != nil {
		t.Fatal(err)
	}
	if got := count(t, r); got != 1 {
		t.Errorf("%d rows, want 1", got)
	}
	if err := r.Write(context.Background(), insert(2)); !errors.Is(err, sqlitedb.ErrReadOnly) {
		t.Errorf("write: %v", err)
	}
	if _, err := w.Read().Exec("DELETE FROM t"); err == nil {
		t.Error("a reader wrote")
	}
}

func TestCloseWhileInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	db := open(t, path, schema)
	acked := make(chan int, 10_000)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for j := 0; ; j++ {
				err := db.Write(context.Background(), insert(i*1000+j))
				if errors.Is(err, sqlitedb.ErrClosed) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				acked <- 1
			}
		})
	}
	<-acked
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if got, want := count(t, open(t, path, schema)), len(acked)+1; got != want {
		t.Errorf("%d rows, %d acknowledged", got, want)
	}
	if err := db.Close(); err != nil {
		t.Errorf("close again: %v", err)
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, mode := range []string{"FULL", "NORMAL"} {
		for _, writers := range []int{1, 16} {
			b.Run(fmt.Sprintf("%s/writers=%d", mode, writers), func(b *testing.B) {
				o := schema
				o.Synchronous = mode
				db := open(b, filepath.Join(b.TempDir(), "x.db"), o)
				work := make(chan int)
				var wg sync.WaitGroup
				for range writers {
					wg.Go(func() {
						for n := range work {
							if err := db.Write(context.Background(), insert(n)); err != nil {
								b.Error(err)
							}
						}
					})
				}
				for n := 0; b.Loop(); n++ {
					work <- n
				}
				close(work)
				wg.Wait()
			})
		}
	}
}
