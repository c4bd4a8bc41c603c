package mcphttp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// player is a handler that does what the method of a request says. What it saw
// happen it tells on the channel.
type player struct{ events chan string }

func newPlayer() *player { return &player{events: make(chan string, 100)} }

func (p *player) serve(ctx context.Context, l transport.Link) error {
	for {
		in, err := l.Receive(ctx)
		if err != nil {
			return nil //nolint:nilerr // the link is over
		}
		if in.Kind == wire.KindBatch {
			for _, one := range in.Batch {
				in.Message = one
				if p.play(ctx, l, in) {
					return nil
				}
			}
			continue
		}
		if p.play(ctx, l, in) {
			return nil
		}
	}
}

// play returns true when the handler is to end.
func (p *player) play(ctx context.Context, l transport.Link, in transport.Incoming) bool {
	say := func(raw string) error {
		return l.Send(ctx, transport.Answer{Raw: []byte(raw), Exchange: in.Exchange})
	}
	result := func(text string) {
		_ = l.Send(ctx, transport.Answer{Raw: wire.Result(in.ID, json.RawMessage(text)), Exchange: in.Exchange})
	}
	switch in.Method {
	case "initialize":
		version, _ := wire.Text(wire.Get(in.Params, "protocolVersion"))
		result(`{"protocolVersion":` + string(wire.Quote(version)) + `}`)
	case "refuse":
		_ = l.Send(ctx, transport.Answer{Raw: wire.Failure(in.ID, -32601, "no", nil), Exchange: in.Exchange, Status: 404})
	case "progress":
		_ = say(progress)
		result(`{}`)
	case "ask":
		_ = say(`{"jsonrpc":"2.0","id":"q","method":"ping"}`)
		reply, _ := l.Receive(ctx)
		result(string(reply.Result))
	case "unasked":
		_ = l.Send(ctx, transport.Answer{Raw: []byte(progress)})
		result(`{}`)
	case "later":
		_ = say(progress)
		p.events <- "later"
		result(`{"late":true}`)
	case "wait":
		_ = say(progress)
		<-ctx.Done()
		p.events <- "done"
		return true
	case "quit":
		return true
	case "wrong id":
		_ = say(`{"jsonrpc":"2.0","id":"other","result":{}}`)
	case "twice":
		result(`{}`)
		p.events <- fmt.Sprint(errors.Is(say(`{"jsonrpc":"2.0","id":1,"result":{}}`), transport.ErrClosed))
	case "":
		p.events <- "response"
	default:
		if in.Kind == wire.KindNotification {
			p.events <- in.Method
			return false
		}
		result(`{}`)
	}
	return false
}

// serve starts a server on loopback and returns its endpoint.
func serve(t *testing.T, h transport.Handler, opts mcphttp.ServerOptions) string {
	t.Helper()
	server := mcphttp.NewServer(h, opts)
	web := httptest.NewServer(server)
	t.Cleanup(func() { server.Close(); web.Close() })
	return web.URL
}

// ask makes one HTTP request. Header lines are "Name: value"; one without a value
// takes the default away.
func ask(t *testing.T, method, url, body string, lines ...string) *transport.RawResponse {
	t.Helper()
	client := transport.NewHTTP(transport.Options{}, nil)
	defer client.Close()
	h := http.Header{"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		if h[name] = nil; value != "" {
			h[name] = []string{value}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	raw, err := client.Exchange(ctx, transport.HTTPRequest{Method: method, URL: url, Header: h, Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// begin opens a session of the revision, and returns the header that names it.
func begin(t *testing.T, url, revision string) string {
	t.Helper()
	raw := ask(t, "POST", url, strings.Replace(initialize, "2025-11-25", revision, 1))
	id := raw.Header.Get("Mcp-Session-Id")
	if raw.Status != 200 || id == "" {
		t.Fatalf("initialize: got %+v", raw)
	}
	return "Mcp-Session-Id: " + id
}

func request(method string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `"}`
}

func modernRequest(method string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + meta + `}}`
}

func modernHeader(method string) []string {
	return []string{"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: " + method}
}

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

// The rules by which a server refuses, each against a good request.
func TestRefusals(t *testing.T) {
	all := mcphttp.ServerOptions{Limit: 1000, ToolParams: func(string) []mcphttp.ParamHeader {
		return []mcphttp.ParamHeader{{Name: "N", Path: []string{"n"}}, {Name: "S", Path: []string{"s"}}}
	}}
	legacy := mcphttp.ServerOptions{Revisions: []string{"2025-06-18"}}
	modern := mcphttp.ServerOptions{Revisions: []string{"2026-07-28"}}
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"té","arguments":{"n":42,"s":"7"},` + meta + `}}`
	good := []string{"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: =?base64?dMOp?=", "Mcp-Param-N: 42.0", "Mcp-Param-S: 7"}
	with := func(lines ...string) []string { return append(append([]string(nil), good...), lines...) }
	tests := []struct {
		name         string
		opts         mcphttp.ServerOptions
		method, body string
		headers      []string
		status, code int // code 0: no error
	}{
		{"good", all, "POST", initialize, nil, 200, 0},
		{"other host", all, "POST", initialize, []string{"Host: evil.example"}, 403, -32600},
		{"other origin", all, "POST", initialize, []string{"Origin: https://evil.example"}, 403, -32600},
		{"null origin", all, "POST", initialize, []string{"Origin: null"}, 403, -32600},
		{"origin that only begins well", all, "POST", initialize, []string{"Origin: http://localhost.evil.example"}, 403, -32600},
		{"local origin", all, "POST", initialize, []string{"Origin: http://localhost:3000"}, 200, 0},
		{"allowed origin", mcphttp.ServerOptions{Origins: []string{"https://good.example"}}, "POST", initialize, []string{"Origin: https://good.example"}, 200, 0},
		{"allowed host", mcphttp.ServerOptions{Hosts: []string{"good.example"}}, "POST", initialize, []string{"Host: good.example:80"}, 200, 0},
		{"no content type", all, "POST", initialize, []string{"Content-Type"}, 415, -32600},
		{"text", all, "POST", initialize, []string{"Content-Type: text/plain"}, 415, -32600},
		{"accept without a stream", all, "POST", initialize, []string{"Accept: application/json"}, 406, -32600},
		{"accept with a refused stream", all, "POST", initialize, []string{"Accept: application/json, text/event-stream;q=0"}, 406, -32600},
		// python-sdk#1641: wildcards count, and so does saying nothing.
		{"accept all", all, "POST", initialize, []string{"Accept: */*"}, 200, 0},
		{"accept half all", all, "POST", initialize, []string{"Accept: application/*, text/event-stream;q=0.5"}, 200, 0},
		{"accept nothing said", all, "POST", initialize, []string{"Accept"}, 200, 0},
		{"too large", all, "POST", `"` + strings.Repeat("x", 1000) + `"`, nil, 413, -32600},
		{"no JSON", all, "POST", `{"jsonrpc":`, nil, 400, -32700},
		{"empty", all, "POST", ``, nil, 400, -32700},
		{"no message", all, "POST", `{"a":1}`, nil, 400, -32600},
		{"a string", all, "POST", `"hello"`, nil, 400, -32600},
		{"empty batch", all, "POST", `[]`, nil, 400, -32600},
		{"id null", all, "POST", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, nil, 400, -32600},
		{"batch without a session", all, "POST", `[` + ping + `]`, nil, 400, -32600},
		{"no session", all, "POST", ping, nil, 400, -32600},
		{"unknown session", all, "POST", ping, []string{"Mcp-Session-Id: x"}, 404, -32600},
		{"unknown version", all, "POST", initialize, []string{"Mcp-Protocol-Version: 1999-01-01"}, 400, -32022},
		{"unknown version, legacy", legacy, "POST", initialize, []string{"Mcp-Protocol-Version: 2025-11-25"}, 400, -32600},
		{"modern to a legacy server", legacy, "POST", modernRequest("ping"), modernHeader("ping"), 400, -32600},
		{"PUT", all, "PUT", initialize, nil, 405, -32600},
		{"GET without a session", all, "GET", "", nil, 400, -32600},
		{"GET without a stream", all, "GET", "", []string{"Accept: application/json"}, 406, -32600},
		{"GET of an unknown version", legacy, "GET", "", []string{"Mcp-Protocol-Version: x"}, 400, -32600},
		{"GET of an unknown session", all, "GET", "", []string{"Mcp-Session-Id: x"}, 404, -32600},
		{"DELETE without a session", all, "DELETE", "", nil, 400, -32600},
		{"GET, modern", all, "GET", "", []string{"Mcp-Protocol-Version: 2026-07-28"}, 405, -32600},
		{"GET, modern server", modern, "GET", "", nil, 405, -32600},
		{"DELETE, modern server", modern, "DELETE", "", nil, 405, -32600},
		{"initialize, modern server", modern, "POST", initialize, nil, 400, -32022},
		{"no version, modern server", modern, "POST", ping, nil, 400, -32020},

		{"good modern call", all, "POST", call, good, 200, 0},
		{"session id is ignored", all, "POST", call, with("Mcp-Session-Id: x"), 200, 0},
		{"version header missing", all, "POST", call, with("Mcp-Protocol-Version"), 400, -32020},
		{"version header differs", all, "POST", call, with("Mcp-Protocol-Version: 2026-07-29"), 400, -32020},
		{"version unknown", all, "POST", strings.Replace(call, "2026-07-28", "2027-01-01", 1), with("Mcp-Protocol-Version: 2027-01-01"), 400, -32022},
		{"version legacy", all, "POST", strings.Replace(call, "2026-07-28", "2025-11-25", 1), with("Mcp-Protocol-Version: 2025-11-25"), 400, -32022},
		{"version not in the body", all, "POST", ping, modernHeader("ping"), 400, -32602},
		{"method header missing", all, "POST", call, with("Mcp-Method"), 400, -32020},
		{"method header differs", all, "POST", call, with("Mcp-Method: Tools/call"), 400, -32020},
		{"name header missing", all, "POST", call, with("Mcp-Name"), 400, -32020},
		{"name header differs", all, "POST", call, with("Mcp-Name: te"), 400, -32020},
		{"name header not decodable", all, "POST", call, with("Mcp-Name: =?base64?*?="), 400, -32020},
		{"parameter missing", all, "POST", call, with("Mcp-Param-N"), 400, -32020},
		{"parameter differs", all, "POST", call, with("Mcp-Param-N: 43"), 400, -32020},
		{"parameter that is text and looks like a number", all, "POST", call, with("Mcp-Param-S: 7.0"), 400, -32020},
		{"parameter not given", all, "POST", strings.Replace(call, `"n":42`, `"n":null`, 1), with("Mcp-Param-N"), 200, 0},
		{"modern response", all, "POST", pong, modernHeader(""), 400, -32600},
		{"modern batch", all, "POST", `[` + ping + `]`, modernHeader(""), 400, -32600},
		{"task without its name", all, "POST", `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t",` + meta + `}}`, modernHeader("tasks/get"), 200, 0},
		{"task with another name", all, "POST", `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t",` + meta + `}}`, append(modernHeader("tasks/get"), "Mcp-Name: u"), 400, -32020},
		{"status of the handler", all, "POST", modernRequest("refuse"), modernHeader("refuse"), 404, -32601},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			raw := ask(t, tt.method, serve(t, newPlayer().serve, tt.opts), tt.body, tt.headers...)
			code := 0
			if msg := wire.Parse(raw.Body); msg.Error != nil {
				code = int(msg.Error.Code)
			}
			if raw.Status != tt.status || code != tt.code {
				t.Errorf("got status %d and code %d (%s), want %d and %d", raw.Status, code, raw.Body, tt.status, tt.code)
			}
			if tt.status == 405 && !strings.Contains(raw.Header.Get("Allow"), "POST") {
				t.Errorf("Allow: %q", raw.Header.Get("Allow"))
			}
		})
	}
}

func TestUnsupportedVersionNamesTheSupported(t *testing.T) {
	url := serve(t, newPlayer().serve, mcphttp.ServerOptions{Revisions: []string{"2026-07-28"}})
	msg := wire.Parse(ask(t, "POST", url, initialize).Body)
	if got := string(msg.Error.Data); got != `{"requested":"2025-11-25","supported":["2026-07-28"]}` || msg.ID != wire.IntID(1) {
		t.Errorf("got %s to %s", got, msg.ID)
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
		{"legacy stream, primed", ask(t, "POST", url, request("progress"), session), "text/event-stream",
			"id: 3-1\ndata: \n\nid: 3-2\ndata: " + progress + "\n\nid: 3-3\ndata: " + pong + "\n\n"},
		{"legacy stream, not primed", ask(t, "POST", url, request("progress"), begin(t, url, "2025-06-18")), "text/event-stream",
			"id: 2-1\ndata: " + progress + "\n\nid: 2-2\ndata: " + pong + "\n\n"},
		{"modern answer", ask(t, "POST", url, modernRequest("ping"), modernHeader("ping")...), "application/json", pong},
		{"modern stream", ask(t, "POST", url, modernRequest("progress"), modernHeader("progress")...), "text/event-stream",
			"data: " + progress + "\n\ndata: " + pong + "\n\n"},
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
	if raw := ask(t, "POST", url, batch, begin(t, url, "2025-06-18")); raw.Status != 400 {
		t.Errorf("a batch of 2025-06-18: got %d", raw.Status)
	}
}

func TestRefusedInitializeMakesNoSession(t *testing.T) {
	url := serve(t, func(ctx context.Context, l transport.Link) error {
		in, _ := l.Receive(ctx)
		return l.Send(ctx, transport.Answer{Raw: wire.Failure(in.ID, -32602, "no", nil), Exchange: in.Exchange})
	}, mcphttp.ServerOptions{})
	raw := ask(t, "POST", url, initialize)
	if raw.Status != 200 || raw.Header.Get("Mcp-Session-Id") != "" || !bytes.Contains(raw.Body, []byte("-32602")) {
		t.Errorf("got %+v", raw)
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

func TestIdleSessionEnds(t *testing.T) {
	over := make(chan error, 1)
	url := serve(t, func(ctx context.Context, l transport.Link) error {
		err := newPlayer().serve(ctx, l)
		over <- context.Cause(ctx)
		return err
	}, mcphttp.ServerOptions{Idle: time.Millisecond})
	begin(t, url, "2025-11-25")
	if err := <-over; err == nil || !strings.Contains(err.Error(), "idle") {
		t.Errorf("ended with %v", err)
	}
}
