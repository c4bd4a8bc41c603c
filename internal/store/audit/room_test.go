package audit_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/store/audit"
)

// TestFlood sends far more rows than there is room for while none can be written. It asks
// that none waits, that memory stays bounded, that calls which ran are kept before those
// which did not, and that the log says how many were lost.
func TestFlood(t *testing.T) {
	const pending, calls = 64, 1_000
	path := filepath.Join(t.TempDir(), "audit.db")
	l := open(t, path, audit.Options{Every: time.Millisecond, Pending: pending, MostArguments: 1 << 20})
	tamper(t, path, `ALTER TABLE calls RENAME TO gone`)
	denied, ran := entry(3), entry(0)
	if err := l.Append(t.Context(), denied); err == nil {
		t.Fatal("it was written into no table")
	}
	denied.Arguments = json.RawMessage(`"` + strings.Repeat("x", 1<<14) + `"`)
	var wg sync.WaitGroup
	var told atomic.Int64
	for range calls / 100 {
		wg.Go(func() {
			for range 100 {
				if l.Append(t.Context(), denied) != nil {
					told.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if told.Load() != calls {
		t.Errorf("%d of %d were told", told.Load(), calls)
	}
	var m runtime.MemStats
	runtime.GC()
	if runtime.ReadMemStats(&m); m.HeapAlloc > 64<<20 {
		t.Errorf("%d MiB are in use", m.HeapAlloc>>20)
	}
	if err := l.Append(t.Context(), ran); err == nil {
		t.Error("a call that ran was told that all is well")
	}
	tamper(t, path, `ALTER TABLE gone RENAME TO calls`)
	all, err := l.Entries(t.Context(), audit.Filter{})
	if err != nil || len(all) != pending/2+1 || all[len(all)-1].Outcome != ran.Outcome || l.Ready() != nil {
		t.Errorf("%d rows were kept: %v", len(all), err)
	}
	if v, err := l.Verify(t.Context()); err != nil || !v.Sound() {
		t.Errorf("%+v %v", v, err)
	}
	if err := l.Append(t.Context(), denied); err != nil {
		t.Errorf("once it can be written again: %v", err)
	}
	if err := l.Close(); err == nil || !strings.Contains(err.Error(), "rows of the audit log were lost") {
		t.Errorf("closing says %v", err)
	}
	if err := l.Append(t.Context(), ran); !errors.Is(err, audit.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

// FuzzClean asks that whatever a call says becomes a row that can be read again and that
// the chain holds.
func FuzzClean(f *testing.F) {
	l, err := audit.Open(f.Context(), filepath.Join(f.TempDir(), "audit.db"), audit.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = l.Close() })
	for _, seed := range []string{`{}`, `{"password":"x"}`, `{"a":[1,{"token":"t"}]}`, "\xff", `{"a":"\ud800"}`, ``, `null`} {
		f.Add([]byte(seed), seed)
	}
	f.Fuzz(func(t *testing.T, args []byte, text string) {
		e := entry(0)
		e.Outcome, e.Arguments, e.Detail, e.Tool, e.Caller, e.Correlation = audit.Denied, args, text, text, text, text
		if err := l.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		rows, err := l.Entries(t.Context(), audit.Filter{Limit: 1})
		if err != nil || len(rows) != 1 || rows[0].Arguments != nil && !json.Valid(rows[0].Arguments) {
			t.Fatalf("%+v %v", rows, err)
		}
		if _, err := l.Prune(t.Context(), audit.Bounds{KeepLast: 1}); err != nil {
			t.Fatal(err)
		}
		if v, err := l.Verify(t.Context()); err != nil || !v.Sound() {
			t.Fatalf("%+v %v", v, err)
		}
	})
}
