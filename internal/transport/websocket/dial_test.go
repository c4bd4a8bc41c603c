package websocket

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

func TestHandshakeIsRefused(t *testing.T) {
	for _, tc := range []struct {
		name   string
		status int
		answer http.HandlerFunc
		want   string
	}{
		{"unauthorized", 401, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Www-Authenticate", "Bearer")
			http.Error(w, "who are you?", 401)
		}, "HTTP 401 Unauthorized: who are you?"},
		{"long body", 404, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(404)
			_, _ = io.WriteString(w, strings.Repeat("x", 5000))
		}, "HTTP 404 Not Found: xxx"},
		{"redirect", 307, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", 307)
		}, "HTTP 307"},
		{"false key", 101, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Upgrade", "websocket")
			w.Header().Set("Connection", "Upgrade")
			w.Header().Set("Sec-WebSocket-Accept", "none")
			w.WriteHeader(101)
		}, "Sec-WebSocket-Accept header is wrong"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var tap frames
			_, err := Dial(limited(t), serve(t, tc.answer), transport.Options{Tap: tap.see})
			var refused *HandshakeError
			if !errors.Is(err, transport.ErrUnreachable) || !errors.As(err, &refused) || refused.Status != tc.status ||
				!strings.Contains(err.Error(), tc.want) {
				t.Fatalf("Dial: %v", err)
			}
			if got := tap.of(wire.In, wire.FrameResponse); len(got) != 1 || got[0].Status != tc.status {
				t.Errorf("the tap saw %v", got)
			}
			if len(err.Error()) > 500 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	garbage, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer garbage.Close()
	go func() {
		for c, err := garbage.Accept(); err == nil; c, err = garbage.Accept() {
			_, _ = io.WriteString(c, "220 mail.example ESMTP\r\n")
			_ = c.Close()
		}
	}()
	_ = listener.Close()
	for name, url := range map[string]string{
		"nobody listens": "ws://user:s3cret@" + listener.Addr().String() + "/?token=s3cret",
		"no HTTP":        "ws://" + garbage.Addr().String(),
		"http":           "http://user:s3cret@127.0.0.1/",
		"no host":        "ws:///mcp",
		"no URL":         "ws://user:s3cret@127.0.0.1:port/\x00",
		"nothing":        "",
	} {
		_, err := Dial(limited(t), url, transport.Options{})
		var refused *HandshakeError
		if !errors.Is(err, transport.ErrUnreachable) || errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: error shows a secret: %v", name, err)
		}
	}
}

func TestDialHonoursItsContext(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		c, err := listener.Accept()
		if err == nil {
			_, _ = c.Read(make([]byte, 1)) // the handshake has begun, and is never answered
			cancel()
			_, _ = io.Copy(io.Discard, c)
			_ = c.Close()
		}
	}()
	if _, err := Dial(ctx, "ws://"+listener.Addr().String(), transport.Options{}); !errors.Is(err, context.Canceled) ||
		!errors.Is(err, transport.ErrUnreachable) {
		t.Errorf("Dial: %v", err)
	}
}

func TestHeadersOfTheHandshake(t *testing.T) {
	heads := make(chan http.Header, 1)
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		heads <- r.Header
		raw(func(*websocket.Conn) {}).ServeHTTP(w, r)
	}))
	for _, tc := range []struct {
		url    string
		header http.Header
		want   map[string]string
	}{
		{url, nil, map[string]string{"Sec-WebSocket-Protocol": "mcp", "Sec-WebSocket-Version": "13", "Authorization": ""}},
		{
			strings.Replace(url, "ws://", "ws://user:pass@", 1),
			http.Header{"X-Key": {"1"}},
			map[string]string{"Authorization": "Basic dXNlcjpwYXNz", "X-Key": "1"},
		},
		{
			strings.Replace(url, "ws://", "ws://user:pass@", 1),
			http.Header{"authorization": {"Bearer 1"}, "sec-websocket-protocol": {"other"}},
			map[string]string{"Authorization": "Bearer 1", "Sec-WebSocket-Protocol": "other"},
		},
	} {
		dial(t, tc.url, transport.Options{Header: tc.header})
		got := <-heads
		for name, want := range tc.want {
			if got.Get(name) != want {
				t.Errorf("%s: %q, want %q", name, got.Get(name), want)
			}
		}
	}
}
