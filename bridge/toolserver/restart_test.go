package toolserver_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/toolserver"
)

// transfers is a server with one tool that waits for release, and counts.
func transfers(t *testing.T, file string, now func() time.Time, ran *atomic.Int32, release <-chan struct{}) *toolserver.Server {
	t.Helper()
	s, err := toolserver.New("bank", toolserver.Options{Idempotency: file, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	err = toolserver.Add(s, toolserver.Write, toolserver.Tool{Name: "transfer"}, func(context.Context, map[string]any) (map[string]int32, error) {
		n := ran.Add(1)
		<-release
		return map[string]int32{"receipt": n}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestKeysOutliveTheProcess asks that a key is known after a restart, and to another
// process meanwhile: with its result, as a conflict for other arguments, and as unknown
// where whoever made the call was never heard of again.
func TestKeysOutliveTheProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys.db")
	var ran atomic.Int32
	release := make(chan struct{})
	close(release)
	call := func(s *toolserver.Server, key, args string) toolserver.Result {
		return s.Call(t.Context(), toolserver.Call{Tool: "transfer", Caller: "ann", Key: key, Arguments: json.RawMessage(args)})
	}
	before := transfers(t, file, nil, &ran, release)
	first := call(before, "k", `{"to":"bob"}`)
	if err := before.Close(); err != nil || first.Outcome != toolserver.OK {
		t.Fatal(err, first.Text)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	after := transfers(t, file, nil, &ran, release)
	if again := call(after, "k", `{"to":"bob"}`); !again.Replayed || string(again.Structured) != string(first.Structured) || ran.Load() != 1 {
		t.Errorf("after a restart: %+v; it ran %d times", again, ran.Load())
	}
	if other := call(after, "k", `{"to":"eve"}`); other.Failure == nil || other.Failure.Class != toolserver.Conflict {
		t.Errorf("with other arguments: %+v", other)
	}

	stuck := make(chan struct{})
	dying := transfers(t, file, nil, &ran, stuck)
	var wg sync.WaitGroup
	wg.Go(func() { call(dying, "lost", `{}`) })
	for ran.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	later := transfers(t, file, func() time.Time { return time.Now().Add(time.Hour) }, &ran, release)
	if res := call(later, "lost", `{}`); res.Outcome != toolserver.Failed || res.Failure.Retryable || ran.Load() != 2 {
		t.Errorf("of a call that was never heard of again: %+v; it ran %d times", res, ran.Load())
	}
	close(stuck)
	wg.Wait()
	for _, s := range []*toolserver.Server{after, dying, later} {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := toolserver.New("bank", toolserver.Options{Idempotency: t.TempDir()}); err == nil {
		t.Error("a folder was opened as a file")
	}
}

// TestNoRecordNoCall takes the table of the audit away under a flood of calls. It asks that
// no tool runs once the log says that it cannot be written, that all are answered at once,
// and that calls run again when it can be.
func TestNoRecordNoCall(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.db")
	s, err := toolserver.New("flood", toolserver.Options{Audit: file, Durable: true})
	if err != nil {
		t.Fatal(err)
	}
	var ran atomic.Int32
	err = toolserver.Add(s, toolserver.ReadOnly, toolserver.Tool{Name: "read"}, func(context.Context, struct{}) (string, error) {
		ran.Add(1)
		return "read", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	c := toolserver.Call{Tool: "read"}
	tables := func(query string) {
		t.Helper()
		db, err := sql.Open("sqlite", file+"?_pragma=busy_timeout(10000)") // the log tries to write meanwhile
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.ExecContext(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	tables(`ALTER TABLE calls RENAME TO gone`)
	if res := s.Call(t.Context(), c); res.Outcome != toolserver.Failed || res.Failure.Class != toolserver.Transient {
		t.Fatalf("a call that nobody can see in the log: %+v", res)
	}
	before := ran.Load()
	var wg sync.WaitGroup
	for range 2_000 {
		wg.Go(func() {
			if res := s.Call(t.Context(), c); res.Outcome != toolserver.Denied || res.Failure.Class != toolserver.Transient {
				t.Errorf("%+v", res)
			}
		})
	}
	wg.Wait()
	if ran.Load() != before {
		t.Errorf("it ran %d times more", ran.Load()-before)
	}
	tables(`ALTER TABLE gone RENAME TO calls`)
	if err := s.Audit().Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if res := s.Call(t.Context(), c); res.Outcome != toolserver.OK {
		t.Errorf("once it can be written again: %+v", res)
	}
	rows, err := s.Audit().Entries(t.Context(), toolserver.Filter{Outcome: toolserver.Denied})
	if err != nil || len(rows) != 2_000 {
		t.Errorf("%d rows of denials, %v", len(rows), err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
