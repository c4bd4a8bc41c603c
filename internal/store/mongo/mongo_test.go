package mongo_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/store"
	"github.com/peerwright/peerwright/internal/store/mongo"
	"github.com/peerwright/peerwright/internal/store/mongotest"
	"github.com/peerwright/peerwright/internal/store/storetest"
)

func open(t testing.TB, url string, now func() time.Time) *mongo.Store {
	t.Helper()
	s, err := mongo.Open(context.Background(), url, now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestContract(t *testing.T) {
	server := mongotest.Start(t)
	storetest.Run(t, func(t *testing.T, now func() time.Time) store.Store {
		return open(t, mongotest.Database(t, server), now)
	})
}

func TestShared(t *testing.T) {
	url := mongotest.Database(t, mongotest.Start(t))
	storetest.RunShared(t, func(t *testing.T, now func() time.Time) store.Store { return open(t, url, now) })
}

// More than one step of pruning takes.
func TestPruneMany(t *testing.T) {
	clock := &storetest.Clock{}
	storetest.PruneMany(t, open(t, mongotest.Database(t, mongotest.Start(t)), clock.Now), clock, 130)
}

// The stand-in of the tests looks at every document, so only a real server is asked with many.
func BenchmarkStore(b *testing.B) {
	rows := []int{100}
	if os.Getenv(mongotest.Environment) != "" {
		rows = append(rows, 100_000)
	}
	url := mongotest.Database(b, mongotest.Start(b))
	storetest.Benchmark(b, rows, func(b *testing.B, now func() time.Time) store.Store { return open(b, url, now) })
}
