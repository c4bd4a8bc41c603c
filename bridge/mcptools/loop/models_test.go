package loop_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/mcptools/loop"
	"github.com/peerwright/peerwright/bridge/openai"
)

// listing is a model server of which only the list is asked.
func listing(t *testing.T, asked *atomic.Int64, answer func(n int64, w http.ResponseWriter, r *http.Request)) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(asked.Add(1), w, r) }))
	t.Cleanup(server.Close)
	return server.URL
}

func names(list []openai.Model) string {
	var ids []string
	for _, m := range list {
		ids = append(ids, m.ID)
	}
	return strings.Join(ids, " ")
}

const twoModels = `{"object":"list","data":[{"id":"a","owned_by":"o","created":7},{"id":""},{"id":"b/c","created":1.5}]}`

// The list is asked for once while it is fresh, and the last one holds while there is no other.
func TestModels(t *testing.T) {
	var asked atomic.Int64
	now := time.Unix(1_700_000_000, 0)
	url := listing(t, &asked, func(n int64, w http.ResponseWriter, r *http.Request) {
		if n == 2 || r.Header.Get("Authorization") != "Bearer sk-canary-0123456789abcdef" || r.URL.Path != "/v1/models" {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, twoModels)
	})
	l := client(url+"/v1/", func(c *loop.Config) { c.Now = func() time.Time { return now } })
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if got := l.Models(t.Context()); names(got) != "a b/c" || got[0] != (openai.Model{ID: "a", OwnedBy: "o", Created: 7}) {
				t.Errorf("the models are %+v", got)
			}
		})
	}
	all.Wait()
	for _, want := range []int64{1, 1, 2, 2, 3} {
		if got := names(l.Models(t.Context())); got != "a b/c" || asked.Load() != want {
			t.Errorf("the models are %q after %d requests, not %d", got, asked.Load(), want)
		}
		now = now.Add(40 * time.Second)
	}
}

func TestModelsThatCannotBeHad(t *testing.T) {
	for name, answer := range map[string]string{
		"HTML": "<html>", "another shape": `{"data":"x"}`, "huge": `{"data":[{"id":"` + strings.Repeat("x", 5<<20) + `"}]}`,
	} {
		var asked atomic.Int64
		l := client(listing(t, &asked, func(_ int64, w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) }))
		if got := names(l.Models(t.Context())) + names(l.Models(t.Context())); got != "" || asked.Load() != 1 {
			t.Errorf("%s: the models are %.20q after %d requests", name, got, asked.Load())
		}
	}
}

// One who waits for a server that hangs may go away, which says nothing of the server.
func TestModelsOfAHangingServer(t *testing.T) {
	var asked atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	l := client(listing(t, &asked, func(n int64, w http.ResponseWriter, r *http.Request) {
		if n > 1 {
			_, _ = io.WriteString(w, twoModels)
			return
		}
		cancel()
		<-r.Context().Done()
	}))
	if got := l.Models(ctx); len(got) != 0 {
		t.Errorf("the models are %v", got)
	}
	if got := names(l.Models(t.Context())); got != "a b/c" {
		t.Errorf("the next is told %q", got)
	}
}
