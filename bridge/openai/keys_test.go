package openai_test

import (
	"context"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/bridge/openai"
)

func TestWhoAsksAndWithWhat(t *testing.T) {
	const bearer, apiKey = "Authorization", "X-API-Key"
	for _, tc := range []struct {
		name        string
		keys        []string
		passthrough bool
		header      []string
		status      int
		upstream    string
		caller      bool
	}{
		{"open", nil, false, nil, 200, "", false},
		{"open, a key for nobody", nil, false, []string{bearer, "Bearer x"}, 200, "", false},
		{"open, passed on", nil, true, []string{bearer, "Bearer x"}, 200, "Bearer x", true},
		{"open, another scheme passed on", nil, true, []string{bearer, "Basic eDp5"}, 200, "Basic eDp5", true},
		{"no key", []string{"k1"}, false, nil, 401, "", false},
		{"bearer", []string{"k1", "k2"}, false, []string{bearer, "Bearer k2"}, 200, "", true},
		{"bearer in small letters", []string{"k1"}, false, []string{bearer, "bearer k1"}, 200, "", true},
		{"bare", []string{"k1"}, false, []string{bearer, "k1"}, 401, "", false},
		{"empty bearer", []string{"k1"}, false, []string{bearer, "Bearer "}, 401, "", false},
		{"wrong", []string{"k1"}, false, []string{bearer, "Bearer k"}, 401, "", false},
		{"basic", []string{"k1"}, false, []string{bearer, "Basic k1"}, 401, "", false},
		{"header", []string{"k1"}, false, []string{apiKey, "k1"}, 200, "", true},
		{"wrong header", []string{"k1"}, false, []string{apiKey, "k2"}, 401, "", false},
		{"header, not passed on", []string{"k1"}, false, []string{apiKey, "k1", bearer, "Bearer up"}, 200, "", true},
		{"header, passed on", []string{"k1"}, true, []string{apiKey, "k1", bearer, "Bearer up"}, 200, "Bearer up", true},
		{"bearer is never passed on", []string{"k1"}, true, []string{bearer, "Bearer k1"}, 200, "", true},
		{"nor is it beside the header", []string{"k1", "k2"}, true, []string{apiKey, "k1", bearer, "Bearer k2"}, 200, "", true},
		{"a credential is no key", []string{"k1"}, true, []string{bearer, "Bearer up"}, 401, "", false},
		{"a wrong header beside a good bearer", []string{"k1"}, true, []string{apiKey, "x", bearer, "Bearer k1"}, 200, "", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			seen := make(chan *openai.Request, 1)
			o := chats(func(_ context.Context, r *openai.Request, reply *openai.Reply) error {
				seen <- r
				return nil
			})
			o.Keys, o.AllowPassthrough = tc.keys, tc.passthrough
			base := start(t, o)
			got := post(t, base, hello, tc.header...)
			if got.status != tc.status {
				t.Fatalf("%d %s, want %d", got.status, got.body, tc.status)
			}
			if tc.status == 401 {
				e := readEnvelope(t, got.body).Error
				if e.Code != "invalid_api_key" || got.header.Get("WWW-Authenticate") == "" || strings.Contains(got.body, "k1") {
					t.Errorf("%v %s", got.header, got.body)
				}
				return
			}
			r := <-seen
			if r.Upstream != tc.upstream || (r.Caller != "") != tc.caller {
				t.Errorf("upstream %q, caller %q; want %q, %v", r.Upstream, r.Caller, tc.upstream, tc.caller)
			}
			for _, secret := range append(tc.keys, "up", "x") {
				if r.Caller == secret {
					t.Errorf("the caller is a secret: %q", r.Caller)
				}
			}
		})
	}
}

func TestCallersAreToldApart(t *testing.T) {
	callers := make(chan string, 1)
	o := chats(func(_ context.Context, r *openai.Request, reply *openai.Reply) error {
		callers <- r.Caller
		return nil
	})
	o.Keys, o.AllowPassthrough = []string{"k1", "k2"}, true
	base := start(t, o)
	who := func(header ...string) string {
		post(t, base, hello, header...)
		return <-callers
	}
	one := who("Authorization", "Bearer k1")
	if again := who("X-API-Key", "k1"); again != one {
		t.Errorf("one key, two callers: %s, %s", one, again)
	}
	seen := map[string]bool{one: true}
	for _, header := range [][]string{
		{"X-API-Key", "k2"},
		{"X-API-Key", "k1", "Authorization", "Bearer a"},
		{"X-API-Key", "k1", "Authorization", "Bearer b"},
		{"X-API-Key", "k2", "Authorization", "Bearer a"},
	} {
		c := who(header...)
		if seen[c] {
			t.Errorf("%q is somebody else's caller", header)
		}
		seen[c] = true
	}
}

func TestOnlyHealthzIsOpen(t *testing.T) {
	o := chats(echo)
	o.Keys = []string{"k1"}
	base := start(t, o)
	for _, path := range []string{"/v1/models", "/v1/models/m", "/v1/chat/completions", "/nowhere", "/"} {
		if got := send(t, "GET", base+path, ""); got.status != 401 {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	got := send(t, "GET", base+"/healthz", "", "Host", "10.1.2.3:80")
	if got.status != 200 || got.body != `{"status":"ok"}` {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestOptionsThatServeNobody(t *testing.T) {
	for name, o := range map[string]openai.Options{
		"nothing":          {},
		"a blank key":      {Backends: chats(echo).Backends, Keys: []string{"k", " "}},
		"a route of none":  {Backends: chats(echo).Backends, Routes: []openai.Route{{Pattern: "/x"}}},
		"a route for none": {Routes: []openai.Route{{Pattern: "GET /x"}}},
	} {
		if _, err := openai.New(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestModels(t *testing.T) {
	o := chats(echo)
	o.Backends = append(o.Backends, &backend{models: []openai.Model{{ID: "m", OwnedBy: "second"}, {ID: "org/a b", OwnedBy: "x", Created: 7}}})
	base := start(t, o)
	list := send(t, "GET", base+"/v1/models", "")
	if want := `{"id":"org/a b","object":"model","created":7,"owned_by":"x"}`; !strings.Contains(list.body, want) || strings.Count(list.body, `"id":"m"`) != 1 || strings.Contains(list.body, "second") {
		t.Errorf("%s", list.body)
	}
	for _, path := range []string{"org/a%20b", "org%2Fa%20b"} {
		if got := send(t, "GET", base+"/v1/models/"+path, ""); got.status != 200 || !strings.Contains(got.body, `"owned_by":"x"`) {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	if got := send(t, "HEAD", base+"/v1/models", ""); got.status != 200 || got.body != "" {
		t.Errorf("HEAD: %d %q", got.status, got.body)
	}
}
