package mcphttp_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/onsi/gomega"
	"github.com/onsi/gomega/gleak"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
)

func serveSSE(t *testing.T, h transport.Handler, opts mcphttp.ServerOptions) string {
	t.Helper()
	server := mcphttp.NewSSEServer(h, opts)
	web := httptest.NewServer(http.StripPrefix("/below", server))
	t.Cleanup(func() { server.Close(); web.Close() })
	return web.URL + "/below/sse"
}

func TestSSEBothEnds(t *testing.T) {
	p := newPlayer()
	url := serveSSE(t, p.serve, mcphttp.ServerOptions{})
	conn, err := mcphttp.DialSSE(t.Context(), url, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer closeConn(t, conn)
	var got []string
	for method, messages := range map[string]int{"ping": 1, "progress": 2, "unasked": 2} {
		if d := send(t, conn, request(method)); d.Status != 202 || d.Exchange != 0 {
			t.Errorf("got %+v", d)
		}
		got = nil
		for range messages {
			got = append(got, string(receive(t, conn).Raw))
		}
		want := []string{progress, pong}[2-messages:]
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", method, diff)
		}
	}
	send(t, conn, `{"jsonrpc":"2.0","id":7,"method":"wait"}`)
	receive(t, conn) // progress: the handler waits
	closeConn(t, conn)
	if got := <-p.events; got != "done" {
		t.Errorf("got %q", got)
	}
}

func TestSSEEveryRequestGetsAnAnswer(t *testing.T) {
	conn, err := mcphttp.DialSSE(t.Context(), serveSSE(t, newPlayer().serve, mcphttp.ServerOptions{}), transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer closeConn(t, conn)
	send(t, conn, request("quit"))
	if in := receive(t, conn); in.Error == nil || in.Error.Code != -32603 {
		t.Errorf("got %+v", in)
	}
	if _, err := conn.Receive(t.Context()); err == nil {
		t.Error("the stream goes on")
	}
}

func TestSSERefusals(t *testing.T) {
	url := serveSSE(t, newPlayer().serve, mcphttp.ServerOptions{Limit: 1000, Sessions: 1})
	conn, err := mcphttp.DialSSE(t.Context(), url, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer closeConn(t, conn)
	known := url + "?sessionId=" // and no id
	tests := []struct {
		name, method, url, body string
		headers                 []string
		status                  int
	}{
		{"other origin", "GET", url, "", []string{"Origin: http://evil.example"}, 403},
		{"other host", "POST", url, ping, []string{"Host: evil.example"}, 403},
		{"PUT", "PUT", url, ping, nil, 405},
		{"no stream wanted", "GET", url, "", []string{"Accept: application/json"}, 406},
		{"too many", "GET", url, "", []string{"Accept: text/event-stream"}, 503},
		{"no id", "POST", known, ping, nil, 400},
		{"unknown id", "POST", known + "x", ping, nil, 404},
		{"no JSON type", "POST", known + "x", ping, []string{"Content-Type: text/plain"}, 415},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if raw := ask(t, tt.method, tt.url, tt.body, tt.headers...); raw.Status != tt.status {
				t.Errorf("got %d %s, want %d", raw.Status, raw.Body, tt.status)
			}
		})
	}
	for body, status := range map[string]int{"[" + ping + "]": 400, `{"a"`: 400, `{}`: 400, `"` + strings.Repeat("x", 1000) + `"`: 413} {
		d := send(t, conn, body)
		if d.Status != status {
			t.Errorf("%.20s: got %d, want %d", body, d.Status, status)
		}
		_, _ = receiveAll(t, conn, d.Exchange)
	}
}

func TestSSEServerCloseEndsEverything(t *testing.T) {
	g := gomega.NewWithT(t)
	before := gleak.Goroutines()
	server := mcphttp.NewSSEServer(newPlayer().serve, mcphttp.ServerOptions{})
	web := httptest.NewServer(server)
	conn, err := mcphttp.DialSSE(t.Context(), web.URL, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	send(t, conn, request("wait"))
	receive(t, conn)
	server.Close()
	if in := receive(t, conn); in.Error == nil || in.Error.Code != -32603 {
		t.Errorf("got %+v", in)
	}
	if raw := ask(t, "GET", web.URL, ""); raw.Status != 503 {
		t.Errorf("after Close: got %d", raw.Status)
	}
	closeConn(t, conn)
	web.Close()
	g.Eventually(gleak.Goroutines).WithTimeout(guard).ShouldNot(gleak.HaveLeaked(before))
}
