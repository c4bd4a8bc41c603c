package agent

import (
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
)

// watch is a clock that is set by hand.
type watch struct {
	mu sync.Mutex
	at time.Time
}

func (w *watch) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

func (w *watch) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = w.at.Add(d)
}

// cards serves a card, and counts.
type cards struct {
	asked, sent atomic.Int64
	broken      atomic.Bool
	name        atomic.Value
	head        http.Header
}

func (c *cards) serve(s *scripted) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != a2ahttp.WellKnown {
			return false
		}
		c.asked.Add(1)
		if c.broken.Load() {
			w.WriteHeader(http.StatusNotFound)
			return true
		}
		tag := `"` + c.name.Load().(string) + `"`
		w.Header().Set("Etag", tag)
		for name, values := range c.head {
			w.Header()[name] = values
		}
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return true
		}
		c.sent.Add(1)
		card := s.cardOf()
		card["name"] = c.name.Load()
		_ = json.NewEncoder(w).Encode(card)
		return true
	}
}

func TestCardIsKeptAndRefreshed(t *testing.T) {
	clock := &watch{at: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	s := serve(t, dialect{a2ahttp.V10, a2ahttp.JSONRPC}, true, nil)
	c := &cards{head: http.Header{"Cache-Control": {"public, max-age=60"}}}
	c.name.Store("one")
	s.card = c.serve(s)
	a := s.agent(t, func(c *Config) { c.Now = clock.now })
	name := func() string {
		t.Helper()
		card, err := a.Card(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		a.card.wait() // for the refresh in the background
		return card.Name
	}

	if _, known := a.Known(); known {
		t.Error("a card is known before one was asked for")
	}
	var together sync.WaitGroup
	for range 20 {
		together.Go(func() {
			if _, err := a.Card(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	together.Wait()
	if n := c.asked.Load(); n != 1 {
		t.Errorf("20 callers made %d fetches", n)
	}
	clock.pass(59 * time.Second)
	if name() != "one" || c.asked.Load() != 1 {
		t.Errorf("a card that is good was asked for again")
	}
	clock.pass(2 * time.Second)
	if name() != "one" || c.asked.Load() != 2 || c.sent.Load() != 1 {
		t.Errorf("asked %d times, sent %d times", c.asked.Load(), c.sent.Load())
	}
	c.name.Store("two")
	clock.pass(61 * time.Second)
	if got := name(); got != "one" {
		t.Errorf("the caller waited for %q", got)
	}
	if got := name(); got != "two" || c.sent.Load() != 2 {
		t.Errorf("card %q, sent %d times", got, c.sent.Load())
	}
	c.broken.Store(true)
	clock.pass(61 * time.Second)
	name()
	if got := name(); got != "two" {
		t.Errorf("a refresh that failed left %q", got)
	}
	if card, known := a.Known(); !known || card.Name != "two" {
		t.Errorf("known %v: %q", known, card.Name)
	}
}

func TestLifetime(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		head http.Header
		want time.Duration
	}{
		"nothing":           {http.Header{}, time.Minute},
		"max-age":           {http.Header{"Cache-Control": {"public, max-age=3600"}}, time.Hour},
		"max-age and age":   {http.Header{"Cache-Control": {"max-age=100"}, "Age": {"40"}}, time.Minute},
		"older than it may": {http.Header{"Cache-Control": {"max-age=10"}, "Age": {"40"}}, 0},
		"no-cache":          {http.Header{"Cache-Control": {"no-cache"}}, 0},
		"no-store":          {http.Header{"Cache-Control": {"max-age=9", "no-store"}}, 9 * time.Second},
		"not a number":      {http.Header{"Cache-Control": {"max-age=soon"}}, time.Minute},
		"expires":           {http.Header{"Expires": {"Mon, 30 Nov 2026 12:00:30 GMT"}}, 30 * time.Second},
		"expired":           {http.Header{"Expires": {"Mon, 30 Nov 2026 11:00:30 GMT"}}, 0},
		"for ever":          {http.Header{"Cache-Control": {"max-age=99999999999"}}, 24 * time.Hour},
	} {
		if got := lifetime(test.head, now, time.Minute); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// TestWhereTheCardIs is discovery at the places and in the shapes of each version (bug
// report 27), and what is done without a card.
func TestWhereTheCardIs(t *testing.T) {
	d := dialect{a2ahttp.V03, a2ahttp.JSONRPC}
	script := map[a2ahttp.Op]handler{a2ahttp.SendMessage: func(r request) { r.answer(d.messageEvent("m", "hi")) }}
	at := func(path string) func(*scripted) {
		return func(s *scripted) {
			s.card = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != path {
					w.WriteHeader(http.StatusNotFound)
					return true
				}
				_ = json.NewEncoder(w).Encode(s.cardOf())
				return true
			}
		}
	}
	for _, test := range []struct {
		name    string
		where   func(*scripted)
		url     string // below the server
		config  func(*Config, *scripted)
		assumed bool
	}{
		{name: "new path", where: at("/.well-known/agent-card.json")},
		{name: "old path", where: at("/.well-known/agent.json")},
		{name: "below the URL", where: at("/agents/x/.well-known/agent-card.json"), url: "/agents/x/"},
		{name: "at the origin", where: at("/.well-known/agent-card.json"), url: "/a"},
		{name: "the card itself", where: at("/x/.well-known/agent-card.json"), url: "/x/.well-known/agent-card.json"},
		{name: "the endpoint, and no card", where: at("none"), url: "/a", assumed: true},
		{
			name: "another endpoint, and no card", where: at("none"), url: "/b.json", assumed: true,
			config: func(c *Config, s *scripted) { c.EndpointURL = s.URL + "/a" },
		},
		{
			name: "another endpoint than the card's", where: at("/.well-known/agent-card.json"),
			config: func(c *Config, s *scripted) { c.EndpointURL = s.URL + "/other" },
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t, d, false, script)
			test.where(s)
			a := s.agent(t, func(c *Config) {
				c.CardURL += test.url
				if test.config != nil {
					test.config(c, s)
				}
			})
			card, err := a.Card(t.Context())
			if err != nil || (card.Assumed != "") != test.assumed {
				t.Fatalf("card %+v, error %v", card.Card, err)
			}
			if h := send(t, a, hello()); h.err != nil || h.text() != "hi" {
				t.Errorf("told %q, error %v", h.text(), h.err)
			}
		})
	}
	t.Run("a card and no card there", func(t *testing.T) {
		s := serve(t, d, false, script)
		at("none")(s)
		_, err := s.agent(t, func(c *Config) { c.CardURL += "/.well-known/agent-card.json" }).Card(t.Context())
		var e errclass.Error
		if !errors.As(err, &e) || e.Class != errclass.NotFound {
			t.Errorf("error %v", err)
		}
	})
}

// TestWhoseHeaders guards the credentials: they go to the origin that the user named.
func TestWhoseHeaders(t *testing.T) {
	d := dialect{a2ahttp.V10, a2ahttp.JSONRPC}
	script := map[a2ahttp.Op]handler{a2ahttp.SendMessage: func(r request) { r.answer(d.messageEvent("m", "hi")) }}
	elsewhere := serve(t, d, false, script)
	here := serve(t, d, false, script)
	here.card = func(w http.ResponseWriter, r *http.Request) bool {
		_ = json.NewEncoder(w).Encode(elsewhere.cardOf())
		return true
	}
	keys := http.Header{"X-Api-Key": {"k-t0psecret"}}
	withKeys := func(c *Config) { c.Header = keys }
	if h := send(t, here.agent(t), hello()); h.err != nil {
		t.Errorf("without headers: %v", h.err)
	}
	caller := hello()
	caller.Header = http.Header{"X-User": {"u"}}
	for name, err := range map[string]error{
		"static": send(t, here.agent(t, withKeys), hello()).err,
		"caller": send(t, here.agent(t), caller).err,
	} {
		var e errclass.Error
		if !errors.As(err, &e) || e.Retryable {
			t.Errorf("%s headers: %v", name, err)
		}
	}
	named := func(c *Config) { c.EndpointURL = elsewhere.URL + "/a" }
	if h := send(t, here.agent(t, withKeys, named), caller); h.err != nil {
		t.Errorf("to an endpoint that was named: %v", h.err)
	}
	calls := elsewhere.calls(a2ahttp.SendMessage)
	if len(calls) != 2 || calls[0].header.Get("X-Api-Key") != "" || calls[1].header.Get("X-Api-Key") != "k-t0psecret" || calls[1].header.Get("X-User") != "u" {
		t.Errorf("%d calls", len(calls))
	}
}

// TestCardWithKeys is a card that only those may read who may call the agent.
func TestCardWithKeys(t *testing.T) {
	d := dialect{a2ahttp.V10, a2ahttp.JSONRPC}
	s := serve(t, d, false, map[a2ahttp.Op]handler{a2ahttp.SendMessage: func(r request) { r.answer(d.messageEvent("m", "hi")) }})
	s.card = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") != "Bearer k-t0psecret" {
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		return false
	}
	a := s.agent(t, func(c *Config) { c.Header = http.Header{"Authorization": {"Bearer k-t0psecret"}} })
	if h := send(t, a, hello()); h.err != nil || h.text() != "hi" {
		t.Errorf("told %q, error %v", h.text(), h.err)
	}
	_, err := s.agent(t).Card(t.Context())
	var e errclass.Error
	if !errors.As(err, &e) || e.Class != errclass.Auth {
		t.Errorf("error %v", err)
	}
}

func TestTakes(t *testing.T) {
	card := Card{InputModes: []string{"text/plain", "image/*", "application/PDF"}}
	for kind, want := range map[string]bool{
		"text/plain": true, "text/markdown": true, "image/png": true, "application/pdf": true, "audio/wav": false, "": false,
	} {
		if card.Takes(kind) != want {
			t.Errorf("%q: %v", kind, !want)
		}
	}
}
