package mcphttp_test

import (
	"net/http"
	"strings"
	"testing"
)

// coded answers like another peer, in a coding.
func coded(peer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		peer(w, r)
	}
}

// A server that compresses whatever it is asked for is told apart from one that answers
// with rubbish.
func TestACodingThatNobodyAskedFor(t *testing.T) {
	for name, c := range map[string]struct {
		peer http.HandlerFunc
		want string
	}{
		"json":    {answer(200, "application/json", "\x1f\x8b"), `Content-Encoding "gzip"`},
		"events":  {answer(200, "text/event-stream", "\x1f\x8b"), `Content-Encoding "gzip"`},
		"refusal": {answer(401, "text/plain", "\x1f\x8b"), "status 401"},
	} {
		asked := make(chan string, 1)
		conn, _ := dial(t, func(w http.ResponseWriter, r *http.Request) {
			asked <- r.Header.Get("Accept-Encoding")
			coded(c.peer)(w, r)
		})
		got, err := call(t, conn, ping)
		if len(got) > 0 || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if accept := <-asked; accept != "identity" {
			t.Errorf("%s: asked for %q", name, accept)
		}
	}
	if _, err := dialSSE(t, coded(answer(200, "text/event-stream", "\x1f\x8b"))); err == nil || !strings.Contains(err.Error(), "Content-Encoding") {
		t.Errorf("HTTP+SSE: %v", err)
	}
}
