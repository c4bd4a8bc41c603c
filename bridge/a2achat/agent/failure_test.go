package agent

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
)

// says answers with a status and a body, outside of any binding.
func says(status int, contentType, body string, head ...string) handler {
	return func(r request) {
		r.w.Header().Set("Content-Type", contentType)
		for i := 0; i < len(head); i += 2 {
			r.w.Header().Set(head[i], head[i+1])
		}
		r.w.WriteHeader(status)
		_, _ = io.WriteString(r.w, body)
	}
}

// TestFailures keeps the two layers apart, in both bindings, with a stream and without.
func TestFailures(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name    string
		serve   handler
		class   errclass.Class
		outcome errclass.Outcome
		code    int // of the upstream; 0 where it differs by binding
		says    string
		backoff time.Duration // not to be suggested to a call that may not be repeated, but told by ResetAt
		params  bool          // the agent finds fault with the form of the message
	}{
		{"429 without a body", says(429, "", "", "Retry-After", "7"), errclass.RateLimit, errclass.NotRun, 429, "429", 7 * time.Second, false},
		{"429 with a date", says(429, "", "", "Retry-After", "Mon, 30 Nov 2026 12:00:09 GMT"), errclass.RateLimit, errclass.NotRun, 429, "429", 9 * time.Second, false},
		{"429 with an error in the body", says(429, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"slow down"}}`), errclass.RateLimit, errclass.NotRun, 429, "slow down", 0, false},
		{"413 without a body", says(413, "", ""), errclass.InvalidArgs, errclass.NotRun, 413, "413", 0, false},
		{"401", says(401, "", ""), errclass.Auth, errclass.NotRun, 401, "401", 0, false},
		{"401 as problem", says(401, "application/problem+json", `{"title":"who are you?"}`), errclass.Auth, errclass.NotRun, 401, "401", 0, false},
		{"403", says(403, "text/plain", "no"), errclass.Permission, errclass.NotRun, 403, "403", 0, false},
		{"404", says(404, "text/html", "<html>nothing here</html>"), errclass.NotFound, errclass.NotRun, 404, "404", 0, false},
		{"502 in HTML", says(502, "text/html", "<html>nginx</html>"), errclass.Transient, errclass.Unknown, 502, "502", 0, false},
		{"503", says(503, "", "", "Retry-After", "3"), errclass.Transient, errclass.NotRun, 503, "503", 3 * time.Second, false},
		{"HTML as success", says(200, "text/html", "<html>sign in</html>"), errclass.Transient, errclass.Unknown, 0, "A2A answer", 0, false},
		{"nothing as success", says(200, "application/json", ""), errclass.Transient, errclass.Unknown, 0, "A2A answer", 0, false},
		{"JSON of another kind", says(200, "application/json", `{"hello":"you"}`), errclass.Transient, errclass.Unknown, 0, "A2A answer", 0, false},
		{"307", says(307, "", "", "Location", "/a/?key=secret-of-theirs"), errclass.NotFound, errclass.NotRun, 307, "redirects to", 0, false},
		{"301 to https", says(301, "", "", "Location", "https://agent.example/a"), errclass.NotFound, errclass.NotRun, 301, "https://agent.example/a", 0, false},
		{"a code of A2A", func(r request) { r.fail(-32005, 400, "CONTENT_TYPE_NOT_SUPPORTED", "no images please") }, errclass.InvalidArgs, errclass.NotRun, 0, "no images please", 0, false},
		{"a task that is not there", func(r request) { r.fail(-32001, 404, "TASK_NOT_FOUND", "no such task") }, errclass.NotFound, errclass.NotRun, 0, "no such task", 0, false},
		{"wrong params", func(r request) { r.fail(-32602, 400, "", "parts are missing") }, errclass.InvalidArgs, errclass.NotRun, 0, "parts are missing", 0, true},
		{"a version that is gone", func(r request) { r.fail(-32009, 400, "VERSION_NOT_SUPPORTED", "1.0 no more") }, errclass.InvalidArgs, errclass.NotRun, 0, "1.0 no more", 0, false},
		{"a secret in the error", func(r request) {
			r.fail(-32602, 400, "", "Bearer abcdefghijklmnop1234, 5ca1ab1e5ca1ab1e and k-t0psecret are wrong")
		}, errclass.InvalidArgs, errclass.NotRun, 0, "are wrong", 0, true},
	} {
		for _, d := range dialects() {
			for _, streaming := range []bool{false, true} {
				name := test.name + "/" + d.String() + map[bool]string{true: "/stream", false: "/call"}[streaming]
				t.Run(name, func(t *testing.T) {
					s := serve(t, d, streaming, map[a2ahttp.Op]handler{a2ahttp.SendMessage: test.serve, a2ahttp.SendStreamingMessage: test.serve})
					h := send(t, s.agent(t, func(c *Config) {
						c.Now = func() time.Time { return now }
						c.Header = http.Header{"X-Api-Key": {"k-t0psecret"}}
					}), signed())
					var e errclass.Error
					if !errors.As(h.err, &e) {
						t.Fatalf("error %v", h.err)
					}
					if e.Class != test.class || e.Context.Outcome != test.outcome || test.code != 0 && e.Context.UpstreamCode != test.code {
						t.Errorf("class %s, outcome %s, code %d (%s)", e.Class, e.Context.Outcome, e.Context.UpstreamCode, h.outcome.Detail)
					}
					all := e.Message + h.outcome.Detail
					if strings.Contains(e.Message, "<html") || strings.Contains(all, "k-t0psecret") || strings.Contains(all, "abcdefghijklmnop1234") || strings.Contains(all, "5ca1ab1e5ca1ab1e") || strings.Contains(all, "secret-of-theirs") {
						t.Errorf("says too much: %q", all)
					}
					if !strings.HasPrefix(e.Message, "agent demo: ") || !strings.Contains(e.Message, test.says) && !strings.Contains(e.Message, "neither a stream") {
						t.Errorf("says %q, want %q", e.Message, test.says)
					}
					if want := now.Add(test.backoff); test.backoff != 0 && !e.Context.ResetAt.Equal(want) {
						t.Errorf("reset at %s, want %s", e.Context.ResetAt, want)
					}
					spellings := 1
					if e.Context.UpstreamCode == 400 && d.proto() && test.params {
						spellings = 2
					}
					if n := len(s.calls(a2ahttp.SendStreamingMessage)) + len(s.calls(a2ahttp.SendMessage)); n > spellings {
						t.Errorf("the message was sent %d times", n)
					}
				})
			}
		}
	}
}

// signed is a message with the identity of a caller.
func signed() Message {
	m := hello()
	m.Header = http.Header{"X-Signature": {"5ca1ab1e5ca1ab1e"}}
	return m
}

func TestRedirectNamesTheSlash(t *testing.T) {
	d := dialect{a2ahttp.V03, a2ahttp.JSONRPC}
	s := serve(t, d, true, map[a2ahttp.Op]handler{a2ahttp.SendStreamingMessage: says(307, "", "", "Location", "/a/")})
	h := send(t, s.agent(t), hello())
	for _, want := range []string{"307", s.URL + "/a/", "the slash at the end", "endpoint_url"} {
		if h.err == nil || !strings.Contains(h.err.Error(), want) {
			t.Errorf("says %q, want %q", h.err, want)
		}
	}
}

func TestUnreachable(t *testing.T) {
	d := dialect{a2ahttp.V10, a2ahttp.JSONRPC}
	s := serve(t, d, false, map[a2ahttp.Op]handler{
		a2ahttp.SendMessage: func(r request) { r.answer(d.messageEvent("m", "hi")) },
	})
	a := s.agent(t)
	if h := send(t, a, hello()); h.err != nil {
		t.Fatal(h.err)
	}
	at := s.Listener.Addr().String()
	s.Close()
	send(t, a, hello()) // may find that an open connection has broken
	h := send(t, a, hello())
	var e errclass.Error
	if !errors.As(h.err, &e) || e.Class != errclass.Transient || e.Context.Outcome != errclass.NotRun {
		t.Fatalf("error %+v", h.err)
	}
	if strings.Contains(e.Message, at) || !strings.Contains(e.Message, "cannot be reached: connection refused") {
		t.Errorf("says %q", e.Message)
	}
	// It comes back at the same place, with another interface: the card is asked for anew.
	listener, err := net.Listen("tcp", at)
	if err != nil {
		t.Skip("the port was taken by another program: ", err)
	}
	d03 := dialect{a2ahttp.V03, a2ahttp.JSONRPC}
	back := serve(t, d03, false, map[a2ahttp.Op]handler{
		a2ahttp.SendMessage: func(r request) { r.answer(d03.messageEvent("m", "back")) },
	})
	server := &http.Server{Handler: back}
	t.Cleanup(func() { server.Close() })
	go server.Serve(listener)
	if h := send(t, a, hello()); h.err != nil || h.text() != "back" {
		t.Errorf("told %q, error %v", h.text(), h.err)
	}
}
