package a2achat_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/a2achat"
	"github.com/peerwright/peerwright/internal/store"
	"github.com/peerwright/peerwright/internal/store/memory"
	"github.com/peerwright/peerwright/internal/store/sqlite"
)

func newStore(t *testing.T) a2achat.Store {
	t.Helper()
	s := memory.New(time.Now)
	t.Cleanup(func() { s.Close() })
	return s
}

// stores are those that two bridges can share, each with what opens it once more.
func stores(t *testing.T) map[string]func(t *testing.T) a2achat.Store {
	t.Helper()
	shared, file := newStore(t), t.TempDir()+"/bridge.db"
	return map[string]func(t *testing.T) a2achat.Store{
		"memory": func(*testing.T) a2achat.Store { return shared },
		"SQLite": func(t *testing.T) a2achat.Store {
			s, err := sqlite.Open(context.Background(), file, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			return s
		},
	}
}

// sick is a store that fails while it is told to.
type sick struct {
	a2achat.Store

	reads, writes atomic.Bool // fail
}

var errSick = errors.New("the disk is full")

func (s *sick) Context(ctx context.Context, k store.SessionKey) (string, error) {
	if s.reads.Load() {
		return "", errSick
	}
	return s.Store.Context(ctx, k)
}

func (s *sick) PutContext(ctx context.Context, k store.SessionKey, c string) error {
	if s.writes.Load() {
		return errSick
	}
	return s.Store.PutContext(ctx, k, c)
}

func (s *sick) RecordTurn(ctx context.Context, t store.Turn) error {
	if s.writes.Load() {
		return errSick
	}
	return s.Store.RecordTurn(ctx, t)
}

func (s *sick) Acquire(ctx context.Context, name, owner string, d time.Duration) (bool, error) {
	if s.writes.Load() {
		return false, errSick
	}
	return s.Store.Acquire(ctx, name, owner, d)
}
