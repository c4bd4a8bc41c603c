package mcphttp_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/onsi/gomega"
	"github.com/onsi/gomega/gleak"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// Our own two ends against each other, in every revision.
func TestBothEnds(t *testing.T) {
	for _, revision := range []string{"2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			conn, _ := dialURL(t, serve(t, newPlayer().serve, mcphttp.ServerOptions{}), transport.Options{})
			compose := request
			if revision == "2026-07-28" {
				compose = modernRequest
			} else {
				mustCall(t, conn, strings.Replace(initialize, "2025-11-25", revision, 1))
			}
			conn.Negotiated(revision)
			if got, err := call(t, conn, compose("ping")); err != nil || cmp.Diff([]string{pong}, got) != "" {
				t.Errorf("ping: got %v, %v", got, err)
			}
			if got, err := call(t, conn, compose("progress")); err != nil || cmp.Diff([]string{progress, pong}, got) != "" {
				t.Errorf("progress: got %v, %v", got, err)
			}
		})
	}
}

func TestServerAsksTheClient(t *testing.T) {
	conn, _ := dialURL(t, serve(t, newPlayer().serve, mcphttp.ServerOptions{}), transport.Options{})
	mustCall(t, conn, initialize)
	conn.Negotiated("2025-11-25")
	d := send(t, conn, request("ask"))
	if in := receive(t, conn); in.Method != "ping" || in.Exchange != d.Exchange {
		t.Fatalf("got %+v", in)
	}
	reply, err := conn.Send(t.Context(), transport.Outgoing{Raw: []byte(`{"jsonrpc":"2.0","id":"q","result":{"asked":true}}`)})
	if err != nil || reply.Status != http.StatusAccepted {
		t.Fatalf("got %+v, %v", reply, err)
	}
	for {
		in := receive(t, conn)
		if in.Exchange == d.Exchange {
			if string(in.Result) != `{"asked":true}` {
				t.Errorf("got %+v", in)
			}
			return
		}
	}
}

func TestJSONOrEvents(t *testing.T) {
	url := serve(t, newPlayer().serve, mcphttp.ServerOptions{})
	session := begin(t, url, "2025-11-25")
	tests := []struct {
		name        string
		raw         *transport.RawResponse
		contentType string
		want        string
	}{
		{"legacy answer", ask(t, "POST", url, request("ping"), session), "application/json", pong},
		{
			"legacy stream, primed", ask(t, "POST", url, request("progress"), session), "text/event-stream",
			"id: 3-1\ndata: \n\nid: 3-2\ndata: " + progress + "\n\nid: 3-3\ndata: " + pong + "\n\n",
		},
		{
			"legacy stream, not primed", ask(t, "POST", url, request("progress"), begin(t, url, "2025-06-18")), "text/event-stream",
			"id: 2-1\ndata: " + progress + "\n\nid: 2-2\ndata: " + pong + "\n\n",
		},
		{"modern answer", ask(t, "POST", url, modernRequest("ping"), modernHeader("ping")...), "application/json", pong},
		{
			"modern stream", ask(t, "POST", url, modernRequest("progress"), modernHeader("progress")...), "text/event-stream",
			"data: " + progress + "\n\ndata: " + pong + "\n\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.raw.Header.Get("Content-Type"); got != tt.contentType || tt.raw.Status != 200 {
				t.Errorf("got status %d, content type %q", tt.raw.Status, got)
			}
			if diff := cmp.Diff(tt.want, string(tt.raw.Body)); diff != "" {
				t.Error(diff)
			}
			if tt.contentType == "text/event-stream" && (tt.raw.Header.Get("X-Accel-Buffering") != "no" || tt.raw.Header.Get("Cache-Control") != "no-cache") {
				t.Errorf("a proxy may hold this stream back: %v", tt.raw.Header)
			}
			if strings.HasPrefix(tt.name, "modern") && tt.raw.Header.Get("Mcp-Session-Id") != "" {
				t.Error("a session id was given out")
			}
		})
	}
}

func TestNotificationsAndResponsesGet202(t *testing.T) {
	p := newPlayer()
	url := serve(t, p.serve, mcphttp.ServerOptions{})
	session := begin(t, url, "2025-11-25")
	for _, tt := range []struct {
		body, want string
		headers    []string
	}{
		{progress, "notifications/progress", []string{session}},
		{pong, "response", []string{session}},
		{progress, "notifications/progress", modernHeader("notifications/progress")},
		{progress, "notifications/progress", []string{"Mcp-Protocol-Version: 2026-07-28"}},
	} {
		raw := ask(t, "POST", url, tt.body, tt.headers...)
		if raw.Status != 202 || len(raw.Body) > 0 {
			t.Errorf("%s: got %d %s", tt.body, raw.Status, raw.Body)
		}
		if got := <-p.events; got != tt.want {
			t.Errorf("the handler saw %q, want %q", got, tt.want)
		}
	}
}

func TestEveryRequestGetsAnAnswer(t *testing.T) {
	url := serve(t, newPlayer().serve, mcphttp.ServerOptions{})
	session := begin(t, url, "2025-11-25")
	for name, raw := range map[string]*transport.RawResponse{
		"legacy": ask(t, "POST", url, request("quit"), session),
		"modern": ask(t, "POST", url, modernRequest("quit"), modernHeader("quit")...),
	} {
		if msg := wire.Parse(raw.Body); msg.Error == nil || msg.Error.Code != -32603 || msg.ID != wire.IntID(1) {
			t.Errorf("%s: got %s", name, raw.Body)
		}
	}
	if raw := ask(t, "POST", url, ping, session); raw.Status != 404 {
		t.Errorf("the session of a handler that returned: got %d", raw.Status)
	}
}

func TestWrongAnswersPassAsTheyAre(t *testing.T) {
	p := newPlayer()
	url := serve(t, p.serve, mcphttp.ServerOptions{})
	if raw := ask(t, "POST", url, modernRequest("wrong id"), modernHeader("wrong id")...); string(raw.Body) != `{"jsonrpc":"2.0","id":"other","result":{}}` {
		t.Errorf("got %s", raw.Body)
	}
	if raw := ask(t, "POST", url, modernRequest("twice"), modernHeader("twice")...); string(raw.Body) != pong {
		t.Errorf("got %s", raw.Body)
	}
	if got := <-p.events; got != "true" {
		t.Error("the second answer found a stream")
	}
}

func TestBatchOf20250326(t *testing.T) {
	url := serve(t, newPlayer().serve, mcphttp.ServerOptions{})
	batch := `[` + ping + `,{"jsonrpc":"2.0","id":2,"method":"ping"}]`
	conn, _ := dialURL(t, url, transport.Options{})
	mustCall(t, conn, strings.Replace(initialize, "2025-11-25", "2025-03-26", 1))
	got, err := call(t, conn, batch)
	if diff := cmp.Diff([]string{pong, strings.Replace(pong, "1", "2", 1)}, got); len(got) != 2 || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	whole := serve(t, func(ctx context.Context, l transport.Link) error {
		for {
			in, ok := next(ctx, l)
			if !ok {
				return nil
			}
			result := wire.Result(in.ID, []byte(`{"protocolVersion":"2025-03-26"}`))
			if in.Kind == wire.KindBatch {
				result = []byte(`[` + pong + `,{"jsonrpc":"2.0","id":2,"result":{}}]`)
			}
			_ = l.Send(ctx, transport.Answer{Raw: result, Exchange: in.Exchange})
		}
	}, mcphttp.ServerOptions{})
	if raw := ask(t, "POST", whole, batch, begin(t, whole, "2025-03-26")); raw.Header.Get("Content-Type") != "application/json" || raw.Body[0] != '[' {
		t.Errorf("a batch answered as a whole: got %+v", raw)
	}
	if raw := ask(t, "POST", url, batch, begin(t, url, "2025-06-18")); raw.Status != 400 {
		t.Errorf("a batch of 2025-06-18: got %d", raw.Status)
	}
}

func TestRefusedInitializeMakesNoSession(t *testing.T) {
	over := make(chan error, 1)
	url := serve(t, func(ctx context.Context, l transport.Link) error {
		in, _ := l.Receive(ctx)
		_ = l.Send(ctx, transport.Answer{Raw: wire.Failure(in.ID, -32602, "no", nil), Exchange: in.Exchange})
		<-ctx.Done()
		over <- context.Cause(ctx)
		return nil
	}, mcphttp.ServerOptions{})
	raw := ask(t, "POST", url, initialize)
	if raw.Status != 200 || raw.Header.Get("Mcp-Session-Id") != "" || !bytes.Contains(raw.Body, []byte("-32602")) {
		t.Errorf("got %+v", raw)
	}
	if err := <-over; err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("the handler ended with %v", err)
	}
}

func TestModernDisconnectCancels(t *testing.T) {
	p := newPlayer()
	conn, _ := dialURL(t, serve(t, p.serve, mcphttp.ServerOptions{}), transport.Options{})
	d := send(t, conn, modernRequest("wait"))
	conn.Cancel(d.Exchange)
	if got := <-p.events; got != "done" {
		t.Errorf("got %q", got)
	}
}

func TestServerCloseEndsEverything(t *testing.T) {
	g := gomega.NewWithT(t)
	before := gleak.Goroutines()
	p := newPlayer()
	server := mcphttp.NewServer(p.serve, mcphttp.ServerOptions{})
	web := httptest.NewServer(server)
	conn, err := mcphttp.Dial(t.Context(), web.URL, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mustCall(t, conn, initialize)
	listening, err := conn.OpenStream(t.Context(), "")
	if err != nil || listening.Status != 200 {
		t.Fatalf("got %+v, %v", listening, err)
	}
	legacy, modern := send(t, conn, request("wait")), send(t, conn, modernRequest("wait"))
	server.Close()
	answers := map[int]bool{}
	for ends := 0; ends < 3; {
		in := receive(t, conn)
		if in.End {
			ends++
		}
		if in.Error != nil && in.Error.Code == -32603 {
			answers[in.Exchange] = true
		}
	}
	if !answers[legacy.Exchange] || !answers[modern.Exchange] {
		t.Errorf("answered were %v", answers)
	}
	if raw := ask(t, "POST", web.URL, initialize); raw.Status != 503 {
		t.Errorf("after Close: got %d", raw.Status)
	}
	closeConn(t, conn)
	web.Close()
	g.Eventually(gleak.Goroutines).WithTimeout(guard).ShouldNot(gleak.HaveLeaked(before))
}

func TestSessionsAreBounded(t *testing.T) {
	url := serve(t, newPlayer().serve, mcphttp.ServerOptions{Sessions: 1})
	session := begin(t, url, "2025-11-25")
	if raw := ask(t, "POST", url, initialize); raw.Status != 503 {
		t.Errorf("a second session: got %d", raw.Status)
	}
	if raw := ask(t, "DELETE", url, "", session); raw.Status != 204 {
		t.Errorf("DELETE: got %d", raw.Status)
	}
	for _, method := range []string{"POST", "GET", "DELETE"} {
		if raw := ask(t, method, url, ping, session); raw.Status != 404 {
			t.Errorf("%s after DELETE: got %d", method, raw.Status)
		}
	}
	begin(t, url, "2025-11-25")
}

func TestEndOfASessionEndsItsHandler(t *testing.T) {
	over := make(chan error, 1)
	handler := func(ctx context.Context, _ transport.Link) error {
		<-ctx.Done()
		over <- context.Cause(ctx)
		return nil
	}
	tests := []struct {
		name string
		idle time.Duration
		end  func(url, session string)
		want string
	}{
		{"idle", time.Millisecond, func(string, string) {}, "idle"},
		{"deleted", time.Hour, func(url, session string) { ask(t, "DELETE", url, "", session) }, "the client ended"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			url := serve(t, func(ctx context.Context, l transport.Link) error {
				in, _ := l.Receive(ctx)
				result := wire.Result(in.ID, []byte(`{"protocolVersion":"2025-11-25"}`))
				_ = l.Send(ctx, transport.Answer{Raw: result, Exchange: in.Exchange})
				return handler(ctx, l)
			}, mcphttp.ServerOptions{Idle: tt.idle})
			tt.end(url, begin(t, url, "2025-11-25"))
			if err := <-over; err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("ended with %v", err)
			}
		})
	}
}

func TestModernLinkHasOneStream(t *testing.T) {
	url := serve(t, newPlayer().serve, mcphttp.ServerOptions{})
	if raw := ask(t, "POST", url, modernRequest("unasked"), modernHeader("unasked")...); string(raw.Body) != pong {
		t.Errorf("got %s", raw.Body)
	}
}
