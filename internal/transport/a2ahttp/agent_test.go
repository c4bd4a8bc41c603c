package a2ahttp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// seen is a request as an agent got it.
type seen struct {
	*http.Request
	body string
}

// agent is a scripted agent that keeps what it was asked.
type agent struct {
	*httptest.Server
	mu   sync.Mutex
	seen []seen
}

// startAgent serves by path; a path that is not there is 404 without a body.
func startAgent(t *testing.T, paths map[string]http.HandlerFunc) *agent {
	t.Helper()
	a := &agent{}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a.mu.Lock()
		a.seen = append(a.seen, seen{r, string(body)})
		a.mu.Unlock()
		if h, ok := paths[r.URL.Path]; ok {
			h(w, r)
			return
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(a.Close)
	return a
}

func (a *agent) requests() []seen {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]seen(nil), a.seen...)
}

// says answers with a status, a content type and a body.
func says(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func goesTo(status int, location string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", location)
		w.WriteHeader(status)
	}
}

// client returns a client of the agent's /rpc or /rest, and what its tap sees.
func (a *agent) client(t *testing.T, binding, version string) (*Client, *wire.Transcript) {
	t.Helper()
	path := "/rpc"
	if binding == HTTPJSON {
		path = "/rest"
	}
	transcript := wire.NewTranscript(clock)
	c, err := New(Interface{URL: a.URL + path, Binding: binding, Version: version},
		Config{Options: transport.Options{Tap: transcript.See}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, transcript
}
