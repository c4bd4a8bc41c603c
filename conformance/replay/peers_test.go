package replay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/peerwright/peerwright/conformance/peers/a2apeer"
	"github.com/peerwright/peerwright/conformance/peers/mcppeer"
	"github.com/peerwright/peerwright/conformance/replay"
	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/rpc"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
	"github.com/peerwright/peerwright/internal/transport/stdio"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/recorder"
	"github.com/peerwright/peerwright/reporters"
)

// tour is what a client does with the built-in server while it is recorded.
func tour(ctx context.Context, c *mcp.Client) error {
	for _, call := range []struct{ method, params string }{
		{"tools/call", `{"name":"add_numbers","arguments":{"a":2,"b":3}}`},
		{"tools/call", `{"name":"open_locked_shelf","arguments":{}}`},
		{"tools/call", `{"name":"no_such_tool","arguments":{}}`},
		{"tools/call", `{"name":"count_books","arguments":{"steps":3},"_meta":{"progressToken":"p1"}}`},
		{"resources/read", `{"uri":"library://nowhere"}`},
		{"no/such/method", `{}`},
	} {
		if _, err := c.Request(ctx, call.method, json.RawMessage(call.params)); err != nil {
			return err
		}
	}
	var params json.RawMessage
	for { // all pages
		reply, err := c.Request(ctx, "tools/list", params)
		if err != nil {
			return err
		}
		cursor := wire.Get(reply.Result, "nextCursor")
		if cursor == nil {
			break
		}
		params = json.RawMessage(`{"cursor":` + string(cursor) + `}`)
	}
	return cancelled(ctx, c)
}

// cancelled begins a slow call and takes it back.
func cancelled(ctx context.Context, c *mcp.Client) error {
	if mcp.Modern(c.Revision) {
		return nil
	}
	id := wire.StringID("slow")
	_, wait, err := c.Start(ctx, rpc.Request{ID: id, Raw: c.Compose(id, "tools/call", json.RawMessage(`{"name":"wait_for_quiet","arguments":{"milliseconds":10000}}`))})
	if err != nil {
		return err
	}
	if _, err := c.Notify(ctx, "notifications/cancelled", json.RawMessage(`{"requestId":"slow"}`)); err != nil {
		return err
	}
	short, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	_, _ = wait(short) // there may be an answer, or none
	_, err = c.Request(ctx, "tools/call", json.RawMessage(`{"name":"house_motto","arguments":{}}`))
	return err
}

// recordTo records what drive does, and reads it back.
func recordTo(t *testing.T, path string, h fixtures.Header, drive func(tap wire.Tap, r *recorder.Recorder) error) fixtures.Fixture {
	t.Helper()
	h.Recorded.At = time.Now().UTC().Truncate(time.Second)
	h.Recorded.By = "peerwright's own tests"
	out, err := fixtures.Create(path, h, true)
	if err != nil {
		t.Fatal(err)
	}
	r, err := recorder.New(out, recorder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := drive(r.Tap(), r); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := fixtures.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func dialStdio(ctx context.Context, tap wire.Tap) (transport.Conn, error) {
	return stdio.DialPipe(context.WithoutCancel(ctx), mcppeer.New(mcppeer.Options{}).ServeStdio, transport.Options{Tap: tap}), nil
}

func dialHTTP(endpoint string) mcp.Dialer {
	return func(ctx context.Context, tap wire.Tap) (transport.Conn, error) {
		return mcphttp.Dial(ctx, endpoint, transport.Options{Tap: tap})
	}
}

func drive(ctx context.Context, o mcp.Options) error {
	o.Client = mcp.Implementation{Name: "recorder", Version: "1"}
	c, err := mcp.Connect(ctx, o)
	if err != nil {
		return err
	}
	if err := tour(ctx, c); err != nil {
		return err
	}
	return c.Close(ctx)
}

func recordMCPStdio(ctx context.Context, t *testing.T, path, revision string) fixtures.Fixture {
	t.Helper()
	return recordTo(t, path, fixtures.Header{Protocol: fixtures.MCP, Transport: "stdio"}, func(tap wire.Tap, _ *recorder.Recorder) error {
		return drive(ctx, mcp.Options{Dial: dialStdio, Revision: revision, Tap: tap})
	})
}

// recordMCPHTTP records through the proxy, as a user does.
func recordMCPHTTP(ctx context.Context, t *testing.T, path, revision string) fixtures.Fixture {
	t.Helper()
	return recordTo(t, path, fixtures.Header{Protocol: fixtures.MCP, Transport: "http"}, func(_ wire.Tap, r *recorder.Recorder) error {
		proxied := before(t, serveMCP(t), r)
		return drive(ctx, mcp.Options{Dial: dialHTTP(proxied), Revision: revision})
	})
}

func serveMCP(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(mcppeer.New(mcppeer.Options{}).Handler())
	t.Cleanup(s.Close)
	return s.URL + "/mcp"
}

// before puts a recording proxy before the peer at the address, and returns its own.
func before(t *testing.T, address string, r *recorder.Recorder) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(recorder.Proxy(u, r, recorder.ProxyOptions{}))
	t.Cleanup(s.Close)
	return s.URL + u.Path
}

// nothingFails wants no case failed, and at least so many passed.
func nothingFails(t *testing.T, got map[string]result, atLeast int) {
	t.Helper()
	passed := 0
	for id, r := range got {
		switch r.status {
		case reporters.Passed:
			passed++
		case reporters.NotVerified, reporters.NotApplicable:
			t.Logf("%s: %s, %s", id, r.status, r.why)
		default:
			t.Errorf("%s: %s, %s", id, r.status, r.why)
		}
	}
	if passed < atLeast {
		t.Errorf("%d passed, want at least %d", passed, atLeast)
	}
}

func TestRecordAndReplayTheBuiltInServer(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, revision := range []string{mcp.Rev2024, mcp.Rev2503, mcp.Rev2506, mcp.Rev2511, mcp.Rev2607} {
		overStdio := recordMCPStdio(ctx, t, filepath.Join(t.TempDir(), "stdio"+fixtures.Suffix), revision)
		if overStdio.Header.Revision != revision || overStdio.Header.Peer.Name != "peerwright-mcp-peer" {
			t.Errorf("recorded %q of %q", overStdio.Header.Revision, overStdio.Header.Peer.Name)
		}
		recordings := map[string]fixtures.Fixture{"stdio": overStdio}
		if revision != mcp.Rev2024 { // which the server does not serve over Streamable HTTP
			recordings["http"] = recordMCPHTTP(ctx, t, filepath.Join(t.TempDir(), "http"+fixtures.Suffix), revision)
		}
		for from, f := range recordings {
			for to, dial := range map[string]mcp.Dialer{"stdio": dialStdio, "http": dialHTTP(serveMCP(t))} {
				if to == "http" && revision == mcp.Rev2024 {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s to %s", revision, from, to), func(t *testing.T) {
					target, err := replay.MCP(load(t, from, f, replay.Options{}), replay.MCPConfig{Dial: dial, Transport: to, Name: "built-in", Now: time.Now})
					if err != nil {
						t.Fatal(err)
					}
					nothingFails(t, run(t, target), 9)
				})
			}
		}
	}
}

// errand is what a client does with the built-in agent while it is recorded.
func errand(ctx context.Context, o a2ahttp.Config, address string) error {
	c, err := a2ahttp.Dial(ctx, address, o)
	if err != nil {
		return err
	}
	defer c.Close()
	send := func(id, text, more string) json.RawMessage {
		if c.Interface.Version == a2ahttp.V10 {
			return json.RawMessage(fmt.Sprintf(`{"message":{"messageId":"m-%s","role":"ROLE_USER","parts":[{"text":%q}]%s}}`, id, text, more))
		}
		return json.RawMessage(fmt.Sprintf(`{"message":{"kind":"message","messageId":"m-%s","role":"user","parts":[{"kind":"text","text":%q}]%s},"configuration":{"blocking":true}}`, id, text, more))
	}
	first, err := c.Call(ctx, a2ahttp.SendMessage, send("1", "hello", ""))
	if err != nil {
		return err
	}
	task, _ := wire.Text(wire.Path(first.Result, "task", "id"))
	if task == "" {
		task, _ = wire.Text(wire.Get(first.Result, "id"))
	}
	id := json.RawMessage(fmt.Sprintf(`{"id":%q}`, task))
	for _, call := range []struct {
		op     a2ahttp.Op
		params json.RawMessage
	}{
		{a2ahttp.GetTask, id},
		{a2ahttp.CancelTask, id}, // it is over, and cannot be
		{a2ahttp.GetTask, json.RawMessage(`{"id":"no-such-task"}`)},
		{a2ahttp.SendMessage, send("2", "message please", "")},
	} {
		var fault *a2ahttp.Fault
		if _, err := c.Call(ctx, call.op, call.params); err != nil && !asFault(err, &fault) {
			return err
		}
	}
	return stream(ctx, c, send("3", "a long story", ""))
}

func asFault(err error, fault **a2ahttp.Fault) bool {
	return errors.As(err, fault)
}

func stream(ctx context.Context, c *a2ahttp.Client, params json.RawMessage) error {
	s, err := c.Stream(ctx, a2ahttp.SendStreamingMessage, params)
	if err != nil {
		return err
	}
	defer s.Close()
	for {
		if _, err := s.Next(ctx); err != nil {
			return nil
		}
	}
}

func serveA2A(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	mux.Handle("/", a2apeer.New(a2apeer.Options{Step: time.Millisecond}).Handler(s.URL))
	return s.URL
}

func recordA2A(ctx context.Context, t *testing.T, path string, want a2ahttp.Want) fixtures.Fixture {
	t.Helper()
	return recordTo(t, path, fixtures.Header{Protocol: fixtures.A2A, Transport: "http"}, func(_ wire.Tap, r *recorder.Recorder) error {
		return errand(ctx, a2ahttp.Config{Want: want}, before(t, serveA2A(t), r))
	})
}

var dialects = map[string]a2ahttp.Want{
	"1.0 over JSON-RPC":  {Version: a2ahttp.V10, Binding: a2ahttp.JSONRPC},
	"1.0 over HTTP+JSON": {Version: a2ahttp.V10, Binding: a2ahttp.HTTPJSON},
	"0.3 over JSON-RPC":  {Version: a2ahttp.V03, Binding: a2ahttp.JSONRPC},
}

func TestRecordAndReplayTheBuiltInAgent(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for name, want := range dialects {
		t.Run(name, func(t *testing.T) {
			f := recordA2A(ctx, t, filepath.Join(t.TempDir(), "a"+fixtures.Suffix), want)
			if f.Header.Revision != want.Version || len(f.Header.Bindings) == 0 {
				t.Errorf("recorded revision %q, %d bindings", f.Header.Revision, len(f.Header.Bindings))
			}
			target, err := replay.A2A(load(t, "a", f, replay.Options{}), replay.A2AConfig{URL: serveA2A(t), Now: time.Now})
			if err != nil {
				t.Fatal(err)
			}
			got := run(t, target)
			nothingFails(t, got, 7)
			if len(got) != 7 {
				t.Errorf("%d cases, want 7: %v", len(got), got)
			}
			var sent bytes.Buffer
			for _, tr := range target.Traces() {
				for _, frame := range tr.Frames {
					if frame.Dir == wire.Out {
						sent.Write(frame.Data)
					}
				}
			}
			if bytes.Contains(sent.Bytes(), []byte(`"m-1"`)) {
				t.Error("a message id of the recording was sent again")
			}
		})
	}
}
