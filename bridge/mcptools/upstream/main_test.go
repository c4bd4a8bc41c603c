package upstream_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/mcptools/upstream"
	"github.com/peerwright/peerwright/conformance/peers/mcppeer"
	"github.com/peerwright/peerwright/internal/dial"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/websocket"
	"github.com/peerwright/peerwright/internal/wire"
)

// actEnv makes the test binary a server over stdio.
const actEnv = "PEERWRIGHT_TEST_ACT"

func TestMain(m *testing.M) {
	switch act := os.Getenv(actEnv); act {
	case "":
		os.Exit(m.Run())
	case "peer":
		if err := mcppeer.New(mcppeer.Options{}).ServeStdio(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		actScript(act)
	}
}

// actScript is a legacy server over stdio whose tools do what their names say.
func actScript(act string) {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	listed := 0
	for in.Scan() {
		m := wire.Parse([]byte(strings.Clone(in.Text())))
		switch m.Method {
		case "server/discover":
			say(wire.Failure(m.ID, -32601, "no such method", nil))
		case "initialize":
			say(wire.Result(m.ID, json.RawMessage(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"script","version":"1"}}`)))
		case "tools/list":
			listed++
			say(wire.Result(m.ID, json.RawMessage(fmt.Sprintf(`{"tools":[{"name":"list%d","inputSchema":{"type":"object"}}]}`, listed))))
		case "tools/call":
			actTool(m, act)
		}
	}
}

func say(raw []byte) { fmt.Println(string(raw)) }

func actTool(m wire.Message, act string) {
	name, _ := wire.Text(wire.Get(m.Params, "name"))
	ok := json.RawMessage(`{"content":[{"type":"text","text":"done"}]}`)
	switch name {
	case "die":
		fmt.Fprintln(os.Stderr, "cannot go on: token=hunter2hunter2")
		os.Exit(3)
	case "hang":
	case "wrong id":
		say(wire.Result(wire.StringID("other"), ok))
	case "garbage":
		say([]byte("<html>no JSON</html>"))
		say(wire.Result(m.ID, ok))
	case "cut":
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[`, m.ID)
		os.Exit(0)
	case "flood":
		for i := range 20_000 {
			say(wire.Notification("notifications/message", json.RawMessage(fmt.Sprintf(`{"level":"info","data":%d}`, i))))
		}
		say(wire.Result(m.ID, ok))
	case "large":
		say(wire.Result(m.ID, json.RawMessage(`{"content":[{"type":"text","text":"`+strings.Repeat("x", 10<<20)+`"}]}`)))
	case "changed":
		say(wire.Notification("notifications/tools/list_changed", nil))
		say(wire.Result(m.ID, ok))
	case "pid":
		say(wire.Result(m.ID, json.RawMessage(fmt.Sprintf(`{"content":[],"structuredContent":{"pid":%d}}`, os.Getpid()))))
	case "echo":
		say(wire.Result(m.ID, json.RawMessage(`{"content":[],"structuredContent":`+string(m.Params)+`}`)))
	default:
		say(wire.Failure(m.ID, -32602, "unknown tool "+name+" of "+act, nil))
	}
}

// command is the test binary as a server.
func command(t *testing.T, act string) dial.Target {
	t.Helper()
	t.Setenv(actEnv, act)
	return dial.Target{Command: []string{os.Args[0]}}
}

func at(t *testing.T, h http.Handler, path string) dial.Target {
	return dial.Target{URL: newServer(t, h) + path}
}

// peek reads the message in a request, and returns the request as it was.
func peek(r *http.Request) (wire.Message, *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return wire.Parse(body), r
}

// open makes an upstream that is closed with the test.
func open(t testing.TB, c upstream.Config) *upstream.Upstream {
	t.Helper()
	if c.ID == "" {
		c.ID = "test"
	}
	c.Now, c.Random = time.Now, rand.Reader
	u, err := upstream.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := u.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return u
}

// ways are the built-in peer by every way to it.
func ways(t *testing.T) map[string]upstream.Config {
	peer := mcppeer.New(mcppeer.Options{})
	web := websocket.NewServer(func(ctx context.Context, l transport.Link) error { return serveLink(ctx, peer, l) }, websocket.ServerOptions{})
	t.Cleanup(web.Close)
	ws := at(t, web, "/")
	ws.URL = strings.Replace(ws.URL, "http", "ws", 1)
	return map[string]upstream.Config{
		"stdio, modern":    {Target: command(t, "peer")},
		"stdio, legacy":    {Target: command(t, "peer"), Revision: mcp.Rev2511},
		"http, modern":     {Target: at(t, peer.Handler(), "/mcp")},
		"http, 2025-11-25": {Target: at(t, peer.Handler(), "/mcp"), Revision: mcp.Rev2511},
		"http, 2025-03-26": {Target: at(t, peer.Handler(), "/mcp"), Revision: mcp.Rev2503},
		"http+sse":         {Target: withTransport(at(t, peer.Handler(), "/sse"), dial.SSE), Revision: mcp.Rev2024},
		"websocket":        {Target: ws},
	}
}

func withTransport(t dial.Target, name string) dial.Target {
	t.Transport = name
	return t
}

func newServer(t testing.TB, h http.Handler) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}
