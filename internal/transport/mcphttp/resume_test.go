package mcphttp_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
)

// polled is a peer whose stream for a request breaks off after each part; a GET with
// the last event's id brings the next one. A part that is a number is a status.
type polled struct {
	parts []string
	posts atomic.Int32
	gets  atomic.Int32
	ids   headerLog // in `seen`: the ids that the GETs came with
}

func (p *polled) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	n := 0
	if r.Method == http.MethodGet {
		n = int(p.gets.Add(1))
		p.ids.mu.Lock()
		p.ids.seen = append(p.ids.seen, r.Header.Get("Last-Event-Id"))
		p.ids.mu.Unlock()
	} else {
		p.posts.Add(1)
	}
	part := p.parts[min(n, len(p.parts)-1)]
	var status int
	if _, err := fmt.Sscanf(part, "%d", &status); err == nil {
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	flush(w, strings.TrimSuffix(part, "!"))
	if strings.HasSuffix(part, "!") {
		panic(http.ErrAbortHandler) // the connection breaks
	}
}

func event(id, data string) string { return "id: " + id + "\nretry: 1\ndata: " + data + "\n\n" }

func TestBrokenStreamIsResumed(t *testing.T) {
	tests := []struct {
		name    string
		parts   []string
		want    []string
		ids     []string // of the GETs
		wantErr string
	}{
		{"after the priming event", []string{event("a", ""), "data: " + pong + "\n\n"}, []string{pong}, []string{"a"}, ""},
		{"after a message, when it breaks", []string{event("a", progress) + "!", event("b", pong)}, []string{progress, pong}, []string{"a"}, ""},
		{
			"again and again",
			[]string{event("a", ""), event("b", progress), event("c", ""), event("d", ""), event("e", ""), event("f", ""), event("g", ""), event("h", pong)},
			[]string{progress, pong},
			[]string{"a", "b", "c", "d", "e", "f", "g"},
			"",
		},
		{"over a failing server", []string{event("a", ""), "503", "502", event("b", pong)}, []string{pong}, []string{"a", "a", "a"}, ""},
		{"without an event id", []string{"data: " + progress + "\n\n"}, []string{progress}, nil, "unexpected EOF"},
		{"when the id was taken back", []string{event("a", "") + "id\ndata:\n\n"}, nil, nil, "unexpected EOF"},
		{"until the id is taken back", []string{event("a", ""), "id\ndata:\n\n"}, nil, []string{"a"}, "not resumed"},
		{"refused", []string{event("a", ""), "404"}, nil, []string{"a"}, "status 404"},
		{"not offered", []string{event("a", ""), "405"}, nil, []string{"a"}, "status 405"},
		{"without end", []string{event("a", "")}, nil, []string{"a", "a", "a", "a", "a"}, "gave up"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			peer := &polled{parts: tt.parts}
			conn, _ := dialURL(t, newPeer(t, peer), transport.Options{})
			got, err := call(t, conn, ping)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.ids, peer.ids.take()); diff != "" {
				t.Error(diff)
			}
			if (err == nil) != (tt.wantErr == "") || err != nil && !strings.Contains(err.Error(), tt.wantErr) {
				t.Errorf("ended with %v, want %q", err, tt.wantErr)
			}
			if n := peer.posts.Load(); n != 1 {
				t.Errorf("the request was sent %d times", n)
			}
		})
	}
}

func TestModernStreamIsNotResumed(t *testing.T) {
	peer := &polled{parts: []string{event("a", ""), event("b", pong)}}
	conn, _ := dialURL(t, newPeer(t, peer), transport.Options{})
	conn.Negotiated("2026-07-28")
	if _, err := call(t, conn, ping); err == nil || peer.gets.Load() > 0 || peer.posts.Load() != 1 {
		t.Errorf("ended with %v after %d GETs and %d POSTs", err, peer.gets.Load(), peer.posts.Load())
	}
}

func TestNotificationStreamIsNotResumed(t *testing.T) {
	peer := &polled{parts: []string{event("a", "")}}
	conn, _ := dialURL(t, newPeer(t, peer), transport.Options{})
	if _, err := call(t, conn, progress); err != nil || peer.gets.Load() > 0 {
		t.Errorf("ended with %v after %d GETs", err, peer.gets.Load())
	}
}

func TestResumeBounds(t *testing.T) {
	tests := []struct {
		name    string
		resume  mcphttp.Resume
		first   string
		gets    int32
		wantErr string
	}{
		{"no attempts", mcphttp.Resume{Attempts: -1}, event("a", ""), 0, "unexpected EOF"},
		{"two attempts", mcphttp.Resume{Attempts: 2}, event("a", ""), 2, "after 2 attempts"},
		{"time is up", mcphttp.Resume{Total: time.Millisecond}, "id: a\nretry: 3600000\ndata:\n\n", 0, "time for resuming"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			peer := &polled{parts: []string{tt.first}}
			conn, _ := dialURL(t, newPeer(t, peer), transport.Options{})
			conn.SetResume(tt.resume)
			_, err := call(t, conn, ping)
			if err == nil || !strings.Contains(err.Error(), tt.wantErr) || peer.gets.Load() != tt.gets {
				t.Errorf("ended with %v after %d GETs", err, peer.gets.Load())
			}
		})
	}
}

func TestCancelEndsTheWaitForResuming(t *testing.T) {
	conn, _ := dialURL(t, newPeer(t, &polled{parts: []string{"id: a\nretry: 3600000\ndata: " + progress + "\n\n"}}), transport.Options{})
	d := send(t, conn, ping)
	if in := receive(t, conn); in.Method != "notifications/progress" {
		t.Fatalf("got %+v", in)
	}
	conn.Cancel(d.Exchange)
	if _, err := receiveAll(t, conn, d.Exchange); err != mcphttp.ErrCancelled { //nolint:errorlint // the very same one
		t.Errorf("ended with %v", err)
	}
}

func TestBatchAwaitsEachAnswer(t *testing.T) {
	batch := `[` + ping + `,{"jsonrpc":"2.0","id":2,"method":"ping"},` + progress + `]`
	second := `{"jsonrpc":"2.0","id":2,"result":{}}`
	for name, parts := range map[string][]string{
		"one by one": {event("a", pong), event("b", second)},
		"as a batch": {event("a", ""), event("b", "["+second+","+pong+"]")},
	} {
		t.Run(name, func(t *testing.T) {
			conn, _ := dialURL(t, newPeer(t, &polled{parts: parts}), transport.Options{})
			if got, err := call(t, conn, batch); err != nil || len(got) == 0 {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}
