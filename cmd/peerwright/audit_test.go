package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/sqlitedb"
	"github.com/peerwright/peerwright/internal/store/audit"
)

// auditFile is a log with four calls.
func auditFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "audit.db")
	l, err := audit.Open(t.Context(), path, audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, outcome := range []audit.Outcome{audit.OK, audit.Denied, audit.OK, audit.Timeout} {
		err := l.Append(t.Context(), audit.Entry{
			At: time.Date(2026, 8, 1+i, 0, 0, 0, 0, time.UTC), Source: audit.Toolserver, Server: "git", Tool: "wipe", Outcome: outcome,
			Detail: "a\x1b[2Jline\nfeed of \"x\"",
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAuditCommand(t *testing.T) {
	path := auditFile(t)
	tests := []struct {
		args  string
		code  int
		words string
	}{
		{"list FILE", 0, "denied"},
		{"list FILE", 0, `a\x1b[2Jline\nfeed of "x"`},
		{"list --outcome denied --json FILE", 0, `"outcome":"denied"`},
		{"list --since 2026-08-04 FILE", 0, "timeout"},
		{"list --outcome lost FILE", 2, "there are [ok error timeout denied invalid]"},
		{"list --source moon FILE", 2, "toolserver"},
		{"list --since soon FILE", 2, "how long ago"},
		{"list", 2, "FILE"},
		{"list /no/such/file", 2, "cannot be read"},
		{"verify FILE", 0, "sound: 4 rows"},
		{"verify --json FILE", 0, `"faults":[]`},
		{"verify --head 1:ff FILE", 2, "SEQ:HASH"},
		{"verify --head 2:" + strings.Repeat("0", 64) + " FILE", 1, "replaced"},
		{"prune FILE", 2, "say what to keep"},
		{"prune --keep-last 2 FILE", 0, "pruned 2 rows"},
		{"verify FILE", 0, "sound: 2 rows, 2 pruned before"},
		{"prune --older-than 2026-08-04 --json FILE", 0, `{"pruned":1}`},
		{"discard FILE", 2, "list, prune, verify"},
	}
	for _, tt := range tests {
		var out, errs bytes.Buffer
		args := append([]string{"audit"}, strings.Fields(strings.Replace(tt.args, "FILE", path, 1))...)
		if tt.args == "list" {
			args = []string{"audit", "list"}
		}
		code := run(t.Context(), args, streams{strings.NewReader(""), &out, &errs})
		if all := out.String() + errs.String(); code != tt.code || !strings.Contains(all, tt.words) || strings.Contains(all, "\x1b") {
			t.Errorf("%s: exit %d\n%s", tt.args, code, all)
		}
	}
}

// TestAuditTampered asks for exit code 1 and the row, and that what is listed as JSON
// can be read.
func TestAuditTampered(t *testing.T) {
	path := auditFile(t)
	db, err := sqlitedb.Open(t.Context(), path, sqlitedb.Options{Application: 0x50574155, Migrations: []string{""}})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.Exec(`UPDATE calls SET outcome = 'ok', arguments = '{' WHERE seq = 2`)
		return err
	})
	if err != nil || db.Close() != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"audit", "verify", path}, streams{nil, &out, &errs}); code != 1 || !strings.Contains(out.String(), "row 2") {
		t.Errorf("exit %d: %s%s", code, &out, &errs)
	}
	out.Reset()
	var entries []audit.Entry
	if code := run(t.Context(), []string{"audit", "list", "--json", path}, streams{nil, &out, &errs}); code != 0 || json.Unmarshal(out.Bytes(), &entries) != nil || len(entries) != 4 {
		t.Errorf("exit %d: %s%s", code, &out, &errs)
	}
}
