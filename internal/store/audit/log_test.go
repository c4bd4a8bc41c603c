package audit_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peerwright/peerwright/internal/sqlitedb"
	"github.com/peerwright/peerwright/internal/store/audit"
)

var start = time.Date(2026, 8, 1, 10, 0, 0, 0, time.UTC)

func open(t *testing.T, path string, o audit.Options) *audit.Log {
	t.Helper()
	l, err := audit.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func entry(i int) audit.Entry {
	return audit.Entry{
		At: start.Add(time.Duration(i) * time.Minute), Duration: 1500 * time.Microsecond, Source: audit.Toolserver,
		Server: "git", Caller: fmt.Sprintf("caller-%d", i%2), Tool: fmt.Sprintf("tool_%d", i%3),
		Outcome: audit.Outcomes()[i%5], Detail: fmt.Sprintf("detail %d", i), Correlation: fmt.Sprint(i),
		Arguments: json.RawMessage(fmt.Sprintf(`{"n":%d}`, i)),
	}
}

// filled returns the path of a log with n rows.
func filled(t *testing.T, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "audit.db")
	l := open(t, path, audit.Options{})
	for i := range n {
		if err := l.Append(t.Context(), entry(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestEntries asks that every field comes back, and that each filter chooses.
func TestEntries(t *testing.T) {
	l := open(t, filled(t, 30), audit.Options{ReadOnly: true})
	all, err := l.Entries(t.Context(), audit.Filter{})
	if err != nil || len(all) != 30 {
		t.Fatalf("%d entries, %v", len(all), err)
	}
	want := entry(7)
	want.Seq, want.Hash = 8, all[7].Hash
	if diff := cmp.Diff(want, all[7]); diff != "" || len(want.Hash) != 64 {
		t.Errorf("the eighth: %s", diff)
	}
	tests := []struct {
		name string
		f    audit.Filter
		want func(e audit.Entry) bool
	}{
		{"tool", audit.Filter{Tool: "tool_1"}, func(e audit.Entry) bool { return e.Tool == "tool_1" }},
		{"caller", audit.Filter{Caller: "caller-0"}, func(e audit.Entry) bool { return e.Caller == "caller-0" }},
		{"outcome", audit.Filter{Outcome: audit.Denied}, func(e audit.Entry) bool { return e.Outcome == audit.Denied }},
		{"source", audit.Filter{Source: audit.Relay}, func(audit.Entry) bool { return false }},
		{"server", audit.Filter{Server: "git"}, func(audit.Entry) bool { return true }},
		{"since", audit.Filter{Since: start.Add(20 * time.Minute)}, func(e audit.Entry) bool { return e.Seq > 20 }},
		{"until", audit.Filter{Until: start.Add(20 * time.Minute)}, func(e audit.Entry) bool { return e.Seq <= 21 }},
		{"limit", audit.Filter{Limit: 3}, func(e audit.Entry) bool { return e.Seq > 27 }},
		{"tool and limit", audit.Filter{Tool: "tool_0", Limit: 1}, func(e audit.Entry) bool { return e.Seq == 28 }},
	}
	for _, tt := range tests {
		got, err := l.Entries(t.Context(), tt.f)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.DeleteFunc(slices.Clone(all), func(e audit.Entry) bool { return !tt.want(e) })
		if diff := cmp.Diff(want, got, cmp.Transformer("empty", func(l []audit.Entry) []audit.Entry { return l[:len(l):len(l)] })); diff != "" && len(want)+len(got) > 0 {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
	if err := l.Append(t.Context(), entry(1)); !errors.Is(err, audit.ErrReadOnly) {
		t.Errorf("appending to what is read only: %v", err)
	}
}

// tamper changes the file behind the log's back.
func tamper(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sqlitedb.Open(t.Context(), path, sqlitedb.Options{Application: 0x50574155, Migrations: []string{""}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Write(t.Context(), func(tx *sql.Tx) error { _, err := tx.Exec(statement); return err }); err != nil {
		t.Fatal(err)
	}
}

// TestTampering changes a log of twelve rows in one way each, and asks for the row and
// the kind by name.
func TestTampering(t *testing.T) {
	const moved = `UPDATE calls SET seq = 100 WHERE seq = 5; UPDATE calls SET seq = 5 WHERE seq = 6; UPDATE calls SET seq = 6 WHERE seq = 100`
	tests := []struct {
		name, statement string
		kinds           []string
		seq             int64
		words           string
	}{
		{"nothing", `SELECT 1`, nil, 0, ""},
		{"a detail", `UPDATE calls SET detail = 'nothing' WHERE seq = 5`, []string{audit.Changed}, 5, "row 5 is not what was written"},
		{"an outcome", `UPDATE calls SET outcome = 'ok' WHERE seq = 4`, []string{audit.Changed}, 4, "row 4"},
		{"arguments", `UPDATE calls SET arguments = '{}' WHERE seq = 12`, []string{audit.Changed}, 12, "row 12"},
		{"a time", `UPDATE calls SET at_us = at_us + 1 WHERE seq = 1`, []string{audit.Changed}, 1, "row 1"},
		{"a field into its neighbour", `UPDATE calls SET caller = 'caller-', tool = '0tool_0' WHERE seq = 1`, []string{audit.Changed}, 1, "row 1"},
		{"a hash", `UPDATE calls SET hash = zeroblob(32) WHERE seq = 5`, []string{audit.Changed}, 5, "row 5 is not"},
		{"a row put in the place of another", `UPDATE calls SET prev = zeroblob(32), hash = zeroblob(31) WHERE seq = 5`, []string{audit.Changed}, 5, "row 5"},
		{"half a hash", `UPDATE calls SET hash = zeroblob(16) WHERE seq = 12`, []string{audit.Changed}, 12, "row 12"},
		{"a row taken out", `DELETE FROM calls WHERE seq = 5`, []string{audit.Missing}, 5, "row 5 is missing"},
		{"rows taken out", `DELETE FROM calls WHERE seq BETWEEN 3 AND 9`, []string{audit.Missing}, 3, "rows 3 to 9 are missing"},
		{"the first rows", `DELETE FROM calls WHERE seq <= 2`, []string{audit.Missing}, 1, "rows 1 to 2 are missing"},
		{"the last rows", `DELETE FROM calls WHERE seq >= 11`, []string{audit.Truncated}, 11, "rows 11 to 12 are missing at the end"},
		{"every row", `DELETE FROM calls`, []string{audit.Truncated}, 1, "rows 1 to 12 are missing at the end"},
		{"rows changed over", moved, []string{audit.Moved, audit.Moved}, 5, "row 5 was row 6"},
		{"a row copied to the end", `INSERT INTO calls SELECT 13, at_us, duration_us, source, server, caller, tool, outcome, detail, correlation, arguments, prev, hash FROM calls WHERE seq = 12`, []string{audit.Moved, audit.Added}, 13, "row 13 was row 12"},
		{"the head moved back", `UPDATE chain SET head_seq = 11, head_hash = (SELECT hash FROM calls WHERE seq = 11)`, []string{audit.Added}, 12, "the head is row 11"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filled(t, 12)
			tamper(t, path, tt.statement)
			v, err := open(t, path, audit.Options{ReadOnly: true}).Verify(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var kinds []string
			for _, f := range v.Faults {
				kinds = append(kinds, f.Kind)
			}
			if !slices.Equal(kinds, tt.kinds) {
				t.Fatalf("found %+v", v.Faults)
			}
			if len(kinds) > 0 && (v.Faults[0].Seq != tt.seq || !strings.Contains(v.Faults[0].Message, tt.words)) {
				t.Errorf("found %+v", v.Faults)
			}
		})
	}
}

// TestRewritten cuts the log and its head together, which the chain alone cannot see,
// and asks that a noted head does.
func TestRewritten(t *testing.T) {
	path := filled(t, 12)
	l := open(t, path, audit.Options{})
	noted, err := l.Head(t.Context())
	if err != nil || noted.Seq != 12 {
		t.Fatal(noted, err)
	}
	_ = l.Close()
	tamper(t, path, `DELETE FROM calls WHERE seq = 12; UPDATE chain SET head_seq = 11, head_hash = (SELECT hash FROM calls WHERE seq = 11)`)
	l = open(t, path, audit.Options{})
	if v, err := l.Verify(t.Context()); err != nil || !v.Sound() {
		t.Fatalf("this is what a chain cannot find, as its documentation says: %+v %v", v, err)
	}
	if v, err := l.Verify(t.Context(), noted); err != nil || len(v.Faults) != 1 || v.Faults[0].Kind != audit.Truncated {
		t.Errorf("with the head: %+v %v", v, err)
	}
	if err := l.Append(t.Context(), entry(40)); err != nil {
		t.Fatal(err)
	}
	if v, err := l.Verify(t.Context(), noted); err != nil || len(v.Faults) != 1 || v.Faults[0].Kind != audit.Replaced {
		t.Errorf("written anew: %+v %v", v, err)
	}
}

// TestPrune asks for each bound, and that the chain holds afterwards and goes on.
func TestPrune(t *testing.T) {
	tests := []struct {
		name  string
		b     audit.Bounds
		first int64
	}{
		{"nothing", audit.Bounds{}, 1},
		{"by count", audit.Bounds{KeepLast: 5}, 8},
		{"by more than there are", audit.Bounds{KeepLast: 50}, 1},
		{"by age", audit.Bounds{OlderThan: start.Add(3 * time.Minute)}, 4},
		{"by both", audit.Bounds{KeepLast: 2, OlderThan: start.Add(3 * time.Minute)}, 11},
		{"all", audit.Bounds{OlderThan: start.Add(time.Hour)}, 13},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filled(t, 12)
			l := open(t, path, audit.Options{Durable: true})
			before, err := l.Head(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			gone, err := l.Prune(t.Context(), tt.b)
			if err != nil || gone != tt.first-1 {
				t.Fatalf("pruned %d: %v", gone, err)
			}
			if err := l.Append(t.Context(), entry(20)); err != nil {
				t.Fatal(err)
			}
			v, err := l.Verify(t.Context(), before)
			if err != nil || !v.Sound() || v.Rows != 13-gone || v.Pruned != gone {
				t.Errorf("after pruning: %+v %v", v, err)
			}
			tamper(t, path, `DELETE FROM calls WHERE seq = (SELECT min(seq) FROM calls)`)
			if v, err := l.Verify(t.Context()); err != nil || v.Sound() {
				t.Errorf("a row was taken out after pruning: %+v %v", v, err)
			}
		})
	}
}

// TestPruneTampered asks that pruning does not wipe away the traces.
func TestPruneTampered(t *testing.T) {
	path := filled(t, 12)
	tamper(t, path, `UPDATE calls SET detail = '' WHERE seq = 2`)
	l := open(t, path, audit.Options{})
	if _, err := l.Prune(t.Context(), audit.Bounds{KeepLast: 1}); !errors.Is(err, audit.ErrTampered) {
		t.Errorf("pruned: %v", err)
	}
	if all, err := l.Entries(t.Context(), audit.Filter{}); err != nil || len(all) != 12 {
		t.Errorf("%d are left: %v", len(all), err)
	}
}

// TestSecrets searches every byte of the files for secrets that calls carried.
func TestSecrets(t *testing.T) {
	dir := t.TempDir()
	l := open(t, filepath.Join(dir, "audit.db"), audit.Options{})
	l.Known("canary-known-5150")
	e := entry(0)
	e.Arguments = json.RawMessage(`{"password":"canary-pass","nested":[{"api_key":"canary-key","deep":{"token":"canary-token"}}],"text":"{\"secret\":\"canary-inner\"}","plain":"canary-known-5150","max_tokens":17}`)
	e.Detail = "401 for https://user:canary-url@host/?token=canary-query and Bearer canary-bearer-0123456789"
	spoilt := entry(1)
	spoilt.Arguments = json.RawMessage(`{"password":"canary-broken`)
	for _, e := range []audit.Entry{e, spoilt} {
		if err := l.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	all, err := l.Entries(t.Context(), audit.Filter{})
	if err != nil || len(all) != 2 || !strings.Contains(string(all[0].Arguments), `"max_tokens":17`) {
		t.Fatalf("%v %v", all, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil || bytes.Contains(raw, []byte("canary")) {
			t.Errorf("%s holds a secret: %v", f, err)
		}
		if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", f, info.Mode(), err)
		}
	}
}

// TestBounds asks what becomes of arguments that are too long or no JSON.
func TestBounds(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "audit.db"), audit.Options{MostArguments: 20})
	for _, args := range []string{`{"a":"` + strings.Repeat("x", 30) + `"}`, `not json`, ``} {
		e := entry(0)
		e.Arguments, e.Detail = json.RawMessage(args), strings.Repeat("é", 5000)
		if err := l.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	all, err := l.Entries(t.Context(), audit.Filter{})
	if err != nil || len(all) != 3 {
		t.Fatal(all, err)
	}
	for i, want := range []string{`{"left_out":"38 bytes of arguments"}`, `"not json"`, ``} {
		if string(all[i].Arguments) != want || len(all[i].Detail) > 4200 {
			t.Errorf("%d: %s", i, all[i].Arguments)
		}
	}
	if v, err := l.Verify(t.Context()); err != nil || !v.Sound() {
		t.Errorf("%+v %v", v, err)
	}
}

// TestProcesses lets processes write one file at once.
func TestProcesses(t *testing.T) {
	const writers, each = 3, 60
	path := filepath.Join(t.TempDir(), "audit.db")
	if os.Getenv("AUDIT_FILE") != "" {
		l := open(t, os.Getenv("AUDIT_FILE"), audit.Options{Every: time.Millisecond})
		for i := range each {
			if err := l.Append(t.Context(), entry(i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return
	}
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProcesses$")
			cmd.Env = append(os.Environ(), "AUDIT_FILE="+path)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	v, err := open(t, path, audit.Options{ReadOnly: true}).Verify(t.Context())
	if err != nil || !v.Sound() || v.Rows != writers*each {
		t.Errorf("%+v %v", v, err)
	}
}

// TestWaiting asks what has reached the file when Append returns.
func TestWaiting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	l := open(t, path, audit.Options{Every: time.Hour})
	rows := func() int {
		all, err := open(t, path, audit.Options{ReadOnly: true}).Entries(t.Context(), audit.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	ok, denied := entry(0), entry(3)
	if err := l.Append(t.Context(), ok); err != nil || rows() != 0 {
		t.Errorf("an ok one waits for others: %d %v", rows(), err)
	}
	if err := l.Append(t.Context(), denied); err != nil || rows() != 2 {
		t.Errorf("a denial is written at once, and what came before it: %d %v", rows(), err)
	}
	durable := open(t, path, audit.Options{Every: time.Hour, Durable: true})
	if err := durable.Append(t.Context(), ok); err != nil || rows() != 3 {
		t.Errorf("a durable log writes at once: %d %v", rows(), err)
	}
	if err := l.Append(t.Context(), ok); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil || rows() != 4 {
		t.Errorf("closing writes what waits: %d %v", rows(), err)
	}
	if err := l.Append(t.Context(), ok); !errors.Is(err, audit.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

// TestBroken takes the table away, and asks that the fault is told, and that the rows
// are written once it is there again.
func TestBroken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	l := open(t, path, audit.Options{Every: time.Millisecond})
	tamper(t, path, `ALTER TABLE calls RENAME TO gone`)
	denied := entry(3)
	if err := l.Append(t.Context(), denied); err == nil || l.Ready() == nil {
		t.Fatalf("it was not told: %v", err)
	}
	tamper(t, path, `ALTER TABLE gone RENAME TO calls`)
	if err := l.Flush(t.Context()); err != nil || l.Ready() != nil {
		t.Fatal(err, l.Ready())
	}
	all, err := l.Entries(context.Background(), audit.Filter{})
	if err != nil || len(all) != 1 || all[0].Outcome != audit.Denied {
		t.Errorf("%v %v", all, err)
	}
}
