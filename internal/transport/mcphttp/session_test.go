package mcphttp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/onsi/gomega"
	"github.com/onsi/gomega/gleak"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// headerLog keeps, for each request, those headers that matter here.
type headerLog struct {
	mu   sync.Mutex
	seen []string
}

func (l *headerLog) add(r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = append(l.seen, strings.Join([]string{r.Method, r.Header.Get("Mcp-Session-Id"), r.Header.Get("Mcp-Protocol-Version")}, " "))
}

func (l *headerLog) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	seen := l.seen
	l.seen = nil
	return seen
}

// sessionPeer gives out the session ids one after the other, and takes only the
// last one given.
func sessionPeer(log *headerLog, ids ...string) http.HandlerFunc {
	current := ""
	return func(w http.ResponseWriter, r *http.Request) {
		log.add(r)
		body, _ := io.ReadAll(r.Body)
		isInitialize := strings.Contains(string(body), `"initialize"`)
		switch {
		case r.Header.Get("Mcp-Session-Id") != current && !isInitialize:
			http.Error(w, "no such session", http.StatusNotFound)
			return
		case isInitialize && len(ids) > 0:
			current, ids = ids[0], ids[1:]
			w.Header().Set("Mcp-Session-Id", current)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, pong)
	}
}

func TestSessionAndVersionHeaders(t *testing.T) {
	tests := []struct {
		revision string
		want     []string
	}{
		{"2025-03-26", []string{"POST  ", "POST s1 ", "GET s1 "}},
		{"2025-06-18", []string{"POST  ", "POST s1 2025-06-18", "GET s1 2025-06-18"}},
		{"2025-11-25", []string{"POST  ", "POST s1 2025-11-25", "GET s1 2025-11-25"}},
	}
	for _, tt := range tests {
		t.Run(tt.revision, func(t *testing.T) {
			var log headerLog
			conn, _ := dial(t, sessionPeer(&log, "s1"))
			mustCall(t, conn, initialize)
			conn.Negotiated(tt.revision)
			mustCall(t, conn, ping)
			if _, err := conn.OpenStream(t.Context(), ""); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, log.take()); diff != "" {
				t.Error(diff)
			}
			if conn.SessionID() != "s1" {
				t.Errorf("session %q", conn.SessionID())
			}
		})
	}
}

func mustCall(t *testing.T, conn transport.Conn, raw string) {
	t.Helper()
	if _, err := call(t, conn, raw); err != nil {
		t.Fatal(err)
	}
}

func TestSessionIDComesFromASuccessfulInitializeOnly(t *testing.T) {
	for _, tt := range []struct {
		message string
		status  int
		want    string
	}{{initialize, 200, "s"}, {initialize, 400, ""}, {ping, 200, ""}} {
		conn, _ := dial(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Mcp-Session-Id", "s")
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(tt.status)
			_, _ = io.WriteString(w, pong)
		})
		_, _ = call(t, conn, tt.message)
		if got := conn.SessionID(); got != tt.want {
			t.Errorf("%s answered with %d: session %q, want %q", tt.message, tt.status, got, tt.want)
		}
	}
}

// sparfenyuk/mcp-proxy#149: a dead session shows as a 404, and the next initialize
// goes out without its id.
func TestDeadSession(t *testing.T) {
	var log headerLog
	conn, _ := dial(t, sessionPeer(&log, "s1", "s2"))
	mustCall(t, conn, initialize)
	conn.Negotiated("2025-11-25")
	conn.SetSessionID("dead")
	_, err := call(t, conn, ping)
	var status *mcphttp.StatusError
	if !errors.As(err, &status) || status.Status != http.StatusNotFound {
		t.Fatalf("got %v", err)
	}
	conn.Forget()
	mustCall(t, conn, initialize)
	conn.Negotiated("2025-11-25")
	mustCall(t, conn, ping)
	want := []string{"POST  ", "POST dead 2025-11-25", "POST  ", "POST s2 2025-11-25"}
	if diff := cmp.Diff(want, log.take()); diff != "" {
		t.Error(diff)
	}
}

// xiaohongshu-mcp#697: an unknown version refused by HTTP is seen with all it says.
func TestInitializeRefusedByStatus(t *testing.T) {
	conn, _ := dial(t, answer(400, "text/plain", "Unsupported protocol version (supported versions: 2025-06-18)"))
	_, err := call(t, conn, initialize)
	var status *mcphttp.StatusError
	if !errors.As(err, &status) || status.Status != 400 || !strings.Contains(string(status.Body), "2025-06-18") {
		t.Errorf("got %v", err)
	}
}

// typescript-sdk#1635: no stream for GET, told in whatever way, is not the end.
func TestPeerWithoutAStreamForGet(t *testing.T) {
	tests := []struct {
		status            int
		contentType, body string
	}{
		{405, "", ""},
		{404, "", ""},
		{406, "", ""},
		{400, "text/plain", "bad"},
		{501, "", ""},
		{200, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}`},
		{200, "text/html", "<html>"},
	}
	for _, tt := range tests {
		conn, _ := dial(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				answer(tt.status, tt.contentType, tt.body)(w, r)
				return
			}
			answer(200, "application/json", pong)(w, r)
		})
		d, err := conn.OpenStream(t.Context(), "")
		if err != nil || d.Status != tt.status {
			t.Fatalf("got %+v, %v; want status %d", d, err, tt.status)
		}
		if _, err := receiveAll(t, conn, d.Exchange); err == nil {
			t.Errorf("%d %s: the stream ended well", tt.status, tt.contentType)
		}
		mustCall(t, conn, ping)
	}
}

func TestStreamOfGet(t *testing.T) {
	conn, _ := dial(t, func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Last-Event-Id"); got != "41" || r.Header.Get("Accept") != "text/event-stream" {
			t.Errorf("the peer got Last-Event-ID %q", got)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		flush(w, "id: 42\ndata: "+progress+"\n\nid: 43\ndata:\n\n")
	})
	d, err := conn.OpenStream(t.Context(), "41")
	if err != nil || d.Status != 200 {
		t.Fatalf("got %+v, %v", d, err)
	}
	if in := receive(t, conn); in.EventID != "42" || in.Method != "notifications/progress" || in.Exchange != d.Exchange {
		t.Errorf("got %+v", in)
	}
	if end := receive(t, conn); !end.End || end.Err != nil || end.EventID != "43" {
		t.Errorf("got %+v, want the end after event 43", end)
	}
}

// openclaw#144860: a session that the peer no longer has, or will not end, is over
// all the same.
func TestCloseEndsTheSession(t *testing.T) {
	tests := []struct {
		status  int
		wantErr bool
	}{{200, false}, {204, false}, {404, false}, {405, false}, {401, true}, {500, true}}
	for _, tt := range tests {
		var log headerLog
		peer := sessionPeer(&log, "s1")
		conn, _ := dial(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodDelete {
				log.add(r)
				w.WriteHeader(tt.status)
				return
			}
			peer(w, r)
		})
		mustCall(t, conn, initialize)
		conn.Negotiated("2025-11-25")
		log.take()
		first, again := conn.Close(t.Context()), conn.Close(t.Context())
		if (first != nil) != tt.wantErr || first != again { //nolint:errorlint // the very same one
			t.Errorf("DELETE answered with %d: Close returned %v, then %v", tt.status, first, again)
		}
		if diff := cmp.Diff([]string{"DELETE s1 2025-11-25"}, log.take()); diff != "" {
			t.Error(diff)
		}
		if _, err := conn.Send(t.Context(), transport.Outgoing{Raw: []byte(ping)}); !errors.Is(err, transport.ErrClosed) {
			t.Errorf("Send after Close: %v", err)
		}
		if _, err := conn.Do(t.Context(), "GET", nil, nil); !errors.Is(err, transport.ErrClosed) {
			t.Errorf("Do after Close: %v", err)
		}
		if _, err := conn.Receive(t.Context()); !errors.Is(err, transport.ErrClosed) {
			t.Errorf("Receive after Close: %v", err)
		}
	}
}

func TestCloseWithoutASessionSendsNothing(t *testing.T) {
	conn, seen := dial(t, answer(200, "application/json", pong))
	mustCall(t, conn, ping)
	before := seen.Len()
	if err := conn.Close(t.Context()); err != nil || seen.Len() != before {
		t.Errorf("got %v, and %d frames more", err, seen.Len()-before)
	}
}

// A conversation that has turned out to be modern has no session, whatever id it was
// given.
func TestModernConversationHasNoSession(t *testing.T) {
	var log headerLog
	conn, _ := dial(t, func(w http.ResponseWriter, r *http.Request) {
		log.add(r)
		w.WriteHeader(http.StatusMethodNotAllowed)
	})
	conn.SetSessionID("s1")
	conn.Negotiated("2026-07-28")
	if _, err := conn.Do(t.Context(), "GET", nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"GET  2026-07-28"}, log.take()); diff != "" {
		t.Error(diff)
	}
}

func TestCloseLeavesNoGoroutine(t *testing.T) {
	g := gomega.NewWithT(t)
	before := gleak.Goroutines()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		flush(w, "id: 1\ndata: "+progress+"\n\n")
		<-r.Context().Done()
	}))
	conn, err := mcphttp.Dial(t.Context(), server.URL, transport.Options{Tap: func(wire.Frame) {}})
	if err != nil {
		t.Fatal(err)
	}
	exchanges := map[int]bool{}
	for range 5 {
		exchanges[send(t, conn, ping).Exchange] = true
	}
	if _, err := conn.OpenStream(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for {
		in, err := conn.Receive(t.Context())
		if err != nil {
			break
		}
		if in.End && errors.Is(in.Err, transport.ErrClosed) {
			delete(exchanges, in.Exchange)
		}
	}
	if len(exchanges) > 0 {
		t.Errorf("exchanges %v have no end", exchanges)
	}
	server.Close()
	g.Eventually(gleak.Goroutines).WithTimeout(guard).ShouldNot(gleak.HaveLeaked(before))
}

func TestCloseIsBounded(t *testing.T) {
	conn, _ := dial(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	conn.SetSessionID("s")
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := conn.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
