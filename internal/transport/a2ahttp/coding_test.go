package a2ahttp

import (
	"errors"
	"net/http"
	"strings"
	"testing"
)

// An agent that compresses whatever it is asked for is told apart from one that answers
// with rubbish.
func TestACodingThatNobodyAskedFor(t *testing.T) {
	a := startAgent(t, map[string]http.HandlerFunc{WellKnown: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		says(http.StatusOK, "application/json", "\x1f\x8b")(w, r)
	}})
	_, err := Discover(t.Context(), a.URL, Config{})
	if !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), `Content-Encoding "br"`) {
		t.Errorf("found %v", err)
	}
	if got := a.requests()[0].Header.Get("Accept-Encoding"); got != "identity" {
		t.Errorf("asked for %q", got)
	}
}
