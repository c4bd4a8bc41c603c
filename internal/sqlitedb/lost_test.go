package sqlitedb_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/sqlitedb"
)

// A file that was removed or replaced is not written into, and takes writes again once it is
// back.
func TestLost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	db, err := sqlitedb.Open(t.Context(), path, sqlitedb.Options{Migrations: []string{"CREATE TABLE t (n INTEGER)"}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	write := func() error {
		return db.Write(t.Context(), func(tx *sql.Tx) error {
			_, err := tx.Exec("INSERT INTO t VALUES (1)")
			return err //nolint:wrapcheck // it fails the test
		})
	}
	for _, c := range []struct {
		name, want string
		do         func() error
	}{
		{"there", "", func() error { return nil }},
		{"moved away", "no such file", func() error { return os.Rename(path, path+".away") }},
		{"replaced", "another file", func() error { return os.WriteFile(path, nil, 0o600) }},
		{"back", "", func() error { return os.Rename(path+".away", path) }},
	} {
		if err := c.do(); err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{write(), db.Lost()} {
			if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "taken away")) {
				t.Errorf("%s: %v, want %q", c.name, err, c.want)
			}
		}
	}
	var rows int
	if err := db.Read().QueryRowContext(t.Context(), "SELECT count(*) FROM t").Scan(&rows); err != nil || rows != 2 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// BenchmarkLost is what every commit pays.
func BenchmarkLost(b *testing.B) {
	db, err := sqlitedb.Open(b.Context(), filepath.Join(b.TempDir(), "x.db"), sqlitedb.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	for b.Loop() {
		if err := db.Lost(); err != nil {
			b.Fatal(err)
		}
	}
}
