package upstream_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/mcptools/upstream"
	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// vault is a legacy server that gives each Authorization sessions of its own, and takes no
// other with them.
type vault struct {
	mu       sync.Mutex
	sessions map[string]string // session to Authorization
	n        int
	deleted  int
}

func (v *vault) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m, r := peek(r)
	who, id := r.Header.Get("Authorization"), r.Header.Get("Mcp-Session-Id")
	v.mu.Lock()
	defer v.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.Method == http.MethodDelete:
		v.deleted++
		delete(v.sessions, id)
	case m.Method == "server/discover":
		w.WriteHeader(http.StatusBadRequest)
	case m.Method == "initialize":
		v.n++
		id = fmt.Sprint("s", v.n)
		v.sessions[id] = who
		w.Header().Set("Mcp-Session-Id", id)
		w.Write(wire.Result(m.ID, json.RawMessage(`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"vault","version":"1"}}`)))
	case id == "" || v.sessions[id] != who:
		w.WriteHeader(http.StatusForbidden)
	case m.Method == "tools/list":
		w.Write(wire.Result(m.ID, json.RawMessage(page("", "of_"+strings.TrimPrefix(who, "Bearer ")))))
	case m.Kind == wire.KindRequest:
		w.Write(wire.Result(m.ID, json.RawMessage(fmt.Sprintf(`{"content":[],"structuredContent":{"who":%q,"session":%q}}`, who, id))))
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

// Each credential has a session, a list and results of its own.
func TestNothingCrossesCallers(t *testing.T) {
	v := &vault{sessions: map[string]string{}}
	target := at(t, v, "/")
	target.Header = http.Header{"Authorization": {"Bearer bridge"}}
	u := open(t, upstream.Config{Target: target, Revision: mcp.Rev2511})
	seen := sync.Map{}
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			c := []upstream.Credential{"", "Bearer alice", "Bearer bob"}[i%3]
			who := string(c)
			if c == "" {
				who = "Bearer bridge"
			}
			got, err := u.Call(t.Context(), c, upstream.Call{Tool: "x", Args: json.RawMessage(`{}`)})
			if err != nil || !strings.Contains(string(got.Raw), fmt.Sprintf("%q", who)) {
				t.Errorf("%s: %s, %v", who, got.Raw, err)
			}
			seen.Store(string(got.Raw), true)
			list, err := u.Tools(t.Context(), c, 0)
			if err != nil || names(list) != "of_"+strings.TrimPrefix(who, "Bearer ") {
				t.Errorf("%s: %s, %v", who, names(list), err)
			}
		})
	}
	all.Wait()
	n := 0
	seen.Range(func(any, any) bool { n++; return true })
	if n != 3 || v.n != 3 || u.State().Sessions != 2 {
		t.Errorf("%d answers, %d sessions, %d kept", n, v.n, u.State().Sessions)
	}
}

// Sessions of callers end when nobody uses them, and have a bound.
func TestSessionsOfCallersEnd(t *testing.T) {
	v := &vault{sessions: map[string]string{}}
	u := open(t, upstream.Config{Target: at(t, v, "/"), Revision: mcp.Rev2511, Idle: 30 * time.Millisecond, MaxSessions: 2})
	for i := range 10 {
		if _, err := u.Call(t.Context(), upstream.Credential(fmt.Sprint("Bearer ", i)), upstream.Call{Tool: "x", Args: json.RawMessage(`{}`)}); err != nil {
			t.Fatal(err)
		}
		if n := u.State().Sessions; n > 2 {
			t.Fatalf("%d sessions are kept", n)
		}
	}
	for left := func() int { v.mu.Lock(); defer v.mu.Unlock(); return v.deleted }; left() < 10; {
		<-time.After(time.Millisecond)
	}
	if n := u.State().Sessions; n != 0 {
		t.Errorf("%d sessions are kept", n)
	}
}

func TestTooManyCallersAtOnce(t *testing.T) {
	arrived, hold := make(chan struct{}), make(chan struct{})
	h := scripted(mcp.Rev2607, func(w http.ResponseWriter, _ *http.Request, m wire.Message) {
		arrived <- struct{}{}
		<-hold
		w.Write(wire.Result(m.ID, json.RawMessage(`{}`)))
	})
	u := open(t, upstream.Config{Target: at(t, h, "/"), MaxSessions: 1})
	done := make(chan error, 1)
	go func() {
		_, err := u.Call(t.Context(), "Bearer one", upstream.Call{Tool: "x", Args: json.RawMessage(`{}`)})
		done <- err
	}()
	<-arrived
	_, err := u.Call(t.Context(), "Bearer two", upstream.Call{Tool: "x", Args: json.RawMessage(`{}`)})
	if e, _ := errors.AsType[errclass.Error](err); e.Class != errclass.RateLimit || e.Context.Outcome != errclass.NotRun || e.Context.Source != errclass.Bridge {
		t.Errorf("%v", err)
	}
	close(hold)
	<-done
}

// So many calls are under way at once, the others wait in their order, and more than may
// wait are refused.
func TestCallsWaitForTheirTurn(t *testing.T) {
	var inside, most atomic.Int64
	hold := make(chan struct{})
	h := scripted(mcp.Rev2607, func(w http.ResponseWriter, _ *http.Request, m wire.Message) {
		most.Store(max(most.Load(), inside.Add(1)))
		<-hold
		inside.Add(-1)
		w.Header().Set("Content-Type", "application/json")
		w.Write(wire.Result(m.ID, json.RawMessage(`{"content":[]}`)))
	})
	u := open(t, upstream.Config{Target: at(t, h, "/"), MaxInFlight: 3, MaxQueue: 5})
	var refused, served atomic.Int64
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			_, err := u.Call(t.Context(), "", upstream.Call{Tool: "x", Args: json.RawMessage(`{}`)})
			if err == nil {
				served.Add(1)
				return
			}
			if e, _ := errors.AsType[errclass.Error](err); e.Class == errclass.RateLimit && e.Context.Outcome == errclass.NotRun {
				refused.Add(1)
			}
		})
	}
	for inside.Load() < 3 || refused.Load() < 12 {
		<-time.After(time.Millisecond)
	}
	close(hold)
	all.Wait()
	if refused.Load() != 12 || served.Load() != 8 || most.Load() != 3 {
		t.Errorf("%d refused, %d served, %d at once", refused.Load(), served.Load(), most.Load())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := u.Call(ctx, "", upstream.Call{Tool: "x", Args: json.RawMessage(`{}`)}); err == nil {
		t.Error("a caller who is gone was served")
	}
	if st := u.State(); st.InFlight != 0 || st.Waiting != 0 {
		t.Errorf("%+v", st)
	}
}

// Close lets calls end, and takes no more.
func TestCloseDrains(t *testing.T) {
	var once sync.Once
	arrived, hold := make(chan struct{}), make(chan struct{})
	h := scripted(mcp.Rev2607, func(w http.ResponseWriter, _ *http.Request, m wire.Message) {
		once.Do(func() { close(arrived) })
		<-hold
		w.Header().Set("Content-Type", "application/json")
		w.Write(wire.Result(m.ID, json.RawMessage(`{"content":[]}`)))
	})
	u := open(t, upstream.Config{Target: at(t, h, "/")})
	done, closed := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := u.Call(t.Context(), "", upstream.Call{Tool: "x", Args: json.RawMessage(`{}`)})
		done <- err
	}()
	<-arrived
	go func() { closed <- u.Close(context.Background()) }()
	for {
		_, err := u.Call(t.Context(), "", upstream.Call{Tool: "x", Args: json.RawMessage(`{}`), Timeout: time.Millisecond})
		if e, _ := errors.AsType[errclass.Error](err); strings.Contains(e.Message, "closing") {
			if e.Context.Outcome != errclass.NotRun {
				t.Errorf("%+v", e)
			}
			break
		}
	}
	close(hold)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}
