package a2ahttp

import (
	"errors"
	"net/http"
	"testing"
)

const refreshCard = `{"name":"A","capabilities":{},"url":"http://x/rpc"}`

func TestRefresh(t *testing.T) {
	changed := false
	a := startAgent(t, map[string]http.HandlerFunc{WellKnown: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Etag", `"1"`)
		w.Header().Set("Cache-Control", "max-age=7")
		switch {
		case changed:
			says(http.StatusOK, "application/json", `{"name":"B","capabilities":{}}`)(w, r)
		case r.Header.Get("If-None-Match") == `"1"`:
			w.Header().Set("Cache-Control", "max-age=9")
			w.WriteHeader(http.StatusNotModified)
		default:
			says(http.StatusOK, "application/json", refreshCard)(w, r)
		}
	}})
	found, err := Discover(t.Context(), a.URL, Config{})
	if err != nil {
		t.Fatal(err)
	}
	same, err := Refresh(t.Context(), a.URL, found, Config{})
	if err != nil || same.Card.Name != "A" || same.Reply.Header.Get("Cache-Control") != "max-age=9" {
		t.Errorf("%v, card %q, head %v", err, same.Card.Name, same.Reply.Header)
	}
	changed = true
	other, err := Refresh(t.Context(), a.URL, same, Config{})
	if err != nil || other.Card.Name != "B" {
		t.Errorf("%v, card %q", err, other.Card.Name)
	}
	a.Close()
	if _, err := Refresh(t.Context(), a.URL, same, Config{}); err == nil {
		t.Error("an agent that is gone has a card")
	}
}

func TestNoRedirect(t *testing.T) {
	a := startAgent(t, map[string]http.HandlerFunc{"/rpc": goesTo(http.StatusTemporaryRedirect, "/rpc/")})
	c, err := New(Interface{URL: a.URL + "/rpc", Binding: JSONRPC, Version: V03}, Config{NoRedirect: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	for name, call := range map[string]func() error{
		"call":   func() error { _, err := c.Call(t.Context(), SendMessage, nil); return err },
		"stream": func() error { _, err := c.Stream(t.Context(), SendStreamingMessage, nil); return err },
	} {
		t.Run(name, func(t *testing.T) {
			err := call()
			var r *RedirectError
			if !errors.As(err, &r) || !errors.Is(err, ErrMalformed) {
				t.Fatalf("error %v", err)
			}
			if r.Status != http.StatusTemporaryRedirect || r.From != a.URL+"/rpc" || r.To != a.URL+"/rpc/" || r.Method != "POST" {
				t.Errorf("%+v", r)
			}
		})
	}
	if n := len(a.requests()); n != 2 {
		t.Errorf("%d requests: one was followed", n)
	}
}
