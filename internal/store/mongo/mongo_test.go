package mongo_test

import (
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/store"
	"github.com/peerwright/peerwright/internal/store/mongo"
	"github.com/peerwright/peerwright/internal/store/mongotest"
	"github.com/peerwright/peerwright/internal/store/storetest"
)

func open(t testing.TB, url string, now func() time.Time) *mongo.Store {
	t.Helper()
	s, err := mongo.Open(t.Context(), url, now)
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
