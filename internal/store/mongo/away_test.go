package mongo_test

import (
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/store"
	"github.com/peerwright/peerwright/internal/store/mongo"
	"github.com/peerwright/peerwright/internal/store/mongotest"
)

// cable leads to a server, until it is pulled.
type cable struct {
	net.Listener
	behind string

	mu     sync.Mutex
	pulled bool // connections are taken, and nothing comes through
	open   []net.Conn
}

func lay(t *testing.T, behind string) *cable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{Listener: l, behind: behind}
	t.Cleanup(func() { _ = l.Close(); c.pull() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			c.connect(near)
		}
	}()
	return c
}

func (c *cable) connect(near net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = append(c.open, near)
	if c.pulled {
		return
	}
	far, err := net.Dial("tcp", c.behind)
	if err != nil {
		_ = near.Close()
		return
	}
	c.open = append(c.open, far)
	go func() { _, _ = io.Copy(far, near); _ = far.Close() }()
	go func() { _, _ = io.Copy(near, far); _ = near.Close() }()
}

// pull ends what is open and lets nothing more through; plug does again.
func (c *cable) pull() { c.set(true) }
func (c *cable) plug() { c.set(false) }

func (c *cable) set(pulled bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pulled = pulled
	for _, conn := range c.open {
		_ = conn.Close()
	}
	c.open = nil
}

// A server that hangs is an error once the time of a call is over, and the store goes on
// when it is back.
func TestAwayAndBack(t *testing.T) {
	u, err := url.Parse(mongotest.Database(t, mongotest.Start(t)))
	if err != nil {
		t.Fatal(err)
	}
	c := lay(t, u.Host)
	u.Host, u.RawQuery = c.Addr().String(), "timeoutMS=1000&heartbeatFrequencyMS=500"
	s := open(t, u.String(), time.Now)
	k := store.SessionKey{Agent: "a", Conversation: "c"}
	if err := s.PutContext(t.Context(), k, "kept"); err != nil {
		t.Fatal(err)
	}
	c.pull()
	for _, what := range []string{"connections end", "nothing answers"} {
		if _, err := s.Context(t.Context(), k); err == nil || !strings.Contains(err.Error(), "read a context") {
			t.Errorf("%s: %v", what, err)
		}
	}
	c.plug()
	deadline := time.Now().Add(30 * time.Second)
	for {
		got, err := s.Context(t.Context(), k)
		if err == nil && got == "kept" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("it is back, and the store is not: %q %v", got, err)
		}
	}
}

// Nobody listens, or who does never answers.
func TestNobodyThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	for _, listening := range []bool{true, false} {
		if !listening {
			_ = l.Close()
		}
		address := "mongodb://someone:hunter2secret@" + l.Addr().String() + "/db?timeoutMS=300"
		_, err := mongo.Open(t.Context(), address, time.Now)
		if !errors.Is(err, store.ErrUnreachable) || !strings.Contains(err.Error(), l.Addr().String()) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("listening %t: %v", listening, err)
		}
	}
}

// What no document can hold is refused before it is sent, and the key stays as it was.
func TestTooLarge(t *testing.T) {
	s := open(t, mongotest.Database(t, mongotest.Start(t)), time.Now)
	ctx, k, large := t.Context(), store.Key{Scope: "s", Name: "n"}, strings.Repeat("x", 16<<20)
	if _, err := s.Begin(ctx, k, "d", "o", time.Minute, time.Hour); err != nil {
		t.Fatal(err)
	}
	_, digest := s.Begin(ctx, store.Key{}, large, "o", time.Minute, time.Hour)
	for name, err := range map[string]error{
		"result":  s.Finish(ctx, k, "o", []byte(large), time.Hour),
		"context": s.PutContext(ctx, store.SessionKey{}, large),
		"turn":    s.RecordTurn(ctx, store.Turn{Message: large}),
		"digest":  digest,
	} {
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "SQLite store") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.Finish(ctx, k, "o", []byte("less"), time.Hour); err != nil {
		t.Errorf("after the refusal: %v", err)
	}
}
