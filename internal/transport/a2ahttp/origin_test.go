package a2ahttp

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/transport"
)

func TestSameOrigin(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"https://a.example/x", "https://A.example:443/y?z", true},
		{"http://a.example:80", "HTTP://a.example/", true},
		{"http://user:secret@a.example/", "http://a.example/", true},
		{"http://[::1]:80/", "http://[::1]/", true},
		{"https://a.example", "http://a.example", false},
		{"https://a.example", "https://a.example:8443", false},
		{"https://a.example", "https://b.a.example", false},
		{"http://127.0.0.1:1", "http://localhost:1", false},
		{"http://a.example:443", "http://a.example", false},
		{"", "", false},
		{"::", "::", false},
	} {
		if got := SameOrigin(test.a, test.b); got != test.want {
			t.Errorf("SameOrigin(%q, %q) = %v", test.a, test.b, got)
		}
		if got := SameOrigin(test.b, test.a); got != test.want {
			t.Errorf("SameOrigin(%q, %q) = %v", test.b, test.a, got)
		}
	}
}

// A card may name any interface. What the user gave for the server of the card must
// not reach it.
func TestDialKeepsHeadersFromOtherOrigins(t *testing.T) {
	other := startAgent(t, map[string]http.HandlerFunc{"/rpc": says(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":{}}`)})
	card := `{"name":"a","supportedInterfaces":[{"url":"` + other.URL + `/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`
	a := startAgent(t, map[string]http.HandlerFunc{WellKnown: says(200, "application/json", card)})

	secret := transport.Options{Header: http.Header{"X-Api-Key": {"open sesame"}}}
	_, err := Dial(t.Context(), a.URL, Config{Options: secret})
	if !errors.Is(err, ErrForeignOrigin) || errors.Is(err, transport.ErrUnreachable) {
		t.Fatalf("error %v", err)
	}
	for _, want := range []string{a.URL, other.URL, "give the agent's URL"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "sesame") {
		t.Errorf("the error tells the secret: %v", err)
	}

	c, err := Dial(t.Context(), a.URL, Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Call(t.Context(), GetTask, nil); err != nil {
		t.Fatal(err)
	}
	for _, r := range other.requests() {
		if r.Header.Get("X-Api-Key") != "" {
			t.Error("the header went to the other origin")
		}
	}
}

func TestDialSendsHeadersToTheCardsOrigin(t *testing.T) {
	paths := map[string]http.HandlerFunc{"/rpc": says(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":{}}`)}
	a := startAgent(t, paths)
	paths[WellKnown] = says(200, "application/json",
		`{"name":"a","supportedInterfaces":[{"url":"`+a.URL+`/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`)
	c, err := Dial(t.Context(), strings.Replace(a.URL, "://", "://me:and%20you@", 1),
		Config{Options: transport.Options{Header: http.Header{"X-Api-Key": {"open sesame"}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	again, err := c.At(c.Interface, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	for _, client := range []*Client{c, again} {
		if _, err := client.Call(t.Context(), GetTask, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range a.requests() {
		user, password, _ := r.BasicAuth()
		if r.Header.Get("X-Api-Key") != "open sesame" || user != "me" || password != "and you" {
			t.Errorf("%s went without the header or the user: %v", r.URL.Path, r.Header)
		}
	}

	other := startAgent(t, paths)
	away, err := c.At(Interface{URL: other.URL + "/rpc", Binding: JSONRPC, Version: V10}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer away.Close()
	if _, err := away.Call(t.Context(), GetTask, nil); err != nil {
		t.Fatal(err)
	}
	if h := other.requests()[0].Header; h.Get("X-Api-Key") != "" || h.Get("Authorization") != "" {
		t.Errorf("the headers went to the other origin: %v", h)
	}
}

// The user of a URL is a credential: it is sent, and told to no one.
func TestUserOfTheURLStaysSecret(t *testing.T) {
	none := startAgent(t, nil)
	elsewhere := startAgent(t, map[string]http.HandlerFunc{WellKnown: goesTo(307, "http://other.invalid/")})
	twice := startAgent(t, map[string]http.HandlerFunc{WellKnown: goesTo(307, "/again"), "/again": goesTo(307, "/more")})
	for _, at := range []string{none.URL, elsewhere.URL, twice.URL, "ftp://h/", "http://h:port/"} {
		_, err := Dial(t.Context(), strings.Replace(at, "://", "://me:sesame@", 1), Config{})
		if err == nil || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: %v", at, err)
		}
	}
	if user, password, _ := none.requests()[0].BasicAuth(); user != "me" || password != "sesame" {
		t.Errorf("signed in as %q with %q", user, password)
	}
	card := startAgent(t, map[string]http.HandlerFunc{WellKnown: says(200, "application/json", isCard)})
	found, err := Discover(t.Context(), strings.Replace(card.URL, "://", "://me:sesame@", 1), Config{})
	if err != nil || found.URL != card.URL+WellKnown {
		t.Errorf("found at %s: %v", found.URL, err)
	}
}
