package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/store"
	"github.com/peerwright/peerwright/internal/store/sqlite"
	"github.com/peerwright/peerwright/internal/store/storetest"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T, now func() time.Time) store.Store {
		return open(t, filepath.Join(t.TempDir(), "s.db"), now)
	})
}

func TestShared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	storetest.RunShared(t, func(t *testing.T, now func() time.Time) store.Store { return open(t, path, now) })
}

func open(tb testing.TB, path string, now func() time.Time) *sqlite.Store {
	tb.Helper()
	s, err := sqlite.Open(context.Background(), path, now)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

// More than one step of pruning takes.
func TestPruneMany(t *testing.T) {
	clock := &storetest.Clock{}
	storetest.PruneMany(t, open(t, filepath.Join(t.TempDir(), "s.db"), clock.Now), clock, 2100)
}

func BenchmarkStore(b *testing.B) {
	storetest.Benchmark(b, []int{100, 100_000}, func(b *testing.B, now func() time.Time) store.Store {
		return open(b, filepath.Join(b.TempDir(), "s.db"), now)
	})
}
