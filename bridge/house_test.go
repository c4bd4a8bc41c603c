package bridge_test

import (
	"context"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge"
	"github.com/peerwright/peerwright/internal/store"
	"github.com/peerwright/peerwright/internal/store/sqlite"
)

// What nobody goes on with is forgotten once its time is over, and nothing else.
func TestRetention(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bridge.db")
	now := time.Now()
	kept := keep(t, path, now.Add(-time.Hour), "new")
	gone := keep(t, path, now.Add(-48*time.Hour), "old")
	serveFor(t, bridge.Config{
		Store: "sqlite://" + path, Retention: 24 * time.Hour, Upstreams: []bridge.UpstreamConfig{server("s", nowhere)},
	})
	s := openSQLite(t, path, now)
	for deadline := time.Now().Add(10 * time.Second); contextOf(t, s, gone) != ""; {
		if time.Now().After(deadline) {
			t.Fatal("a conversation of two days ago is still there")
		}
	}
	if contextOf(t, s, kept) == "" {
		t.Error("a conversation of an hour ago was forgotten")
	}
}

// serveFor serves the configuration to the end of the test.
func serveFor(t *testing.T, c bridge.Config) {
	t.Helper()
	b, err := open(t, c, env(nil))
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- b.Serve(ctx, ln) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

// keep puts a conversation into the store, as of that time.
func keep(t *testing.T, path string, at time.Time, id string) store.SessionKey {
	t.Helper()
	s := openSQLite(t, path, at)
	key := store.SessionKey{Agent: "a", Conversation: id}
	if err := s.PutContext(t.Context(), key, "context of "+id); err != nil {
		t.Fatal(err)
	}
	return key
}

func openSQLite(t *testing.T, path string, now time.Time) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func contextOf(t *testing.T, s store.Sessions, k store.SessionKey) string {
	t.Helper()
	id, err := s.Context(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	return id
}
