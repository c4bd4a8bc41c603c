package mcphttp_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
	"github.com/peerwright/peerwright/internal/wire"
)

const (
	ping       = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	pong       = `{"jsonrpc":"2.0","id":1,"result":{}}`
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	progress   = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`
)

// guard bounds every wait of a test that would otherwise hang.
const guard = 20 * time.Second

// dial opens a conversation with a peer played by the handler.
func dial(t *testing.T, peer http.HandlerFunc) (*mcphttp.Conn, *wire.Transcript) {
	t.Helper()
	server := httptest.NewServer(peer)
	t.Cleanup(server.Close)
	return dialURL(t, server.URL+"/mcp", transport.Options{})
}

func dialURL(t *testing.T, url string, opts transport.Options) (*mcphttp.Conn, *wire.Transcript) {
	t.Helper()
	seen := wire.NewTranscript(time.Now)
	opts.Tap = seen.See
	conn, err := mcphttp.Dial(t.Context(), url, opts)
	if err != nil {
		t.Fatal(err)
	}
	conn.SetResume(mcphttp.Resume{Wait: time.Millisecond})
	t.Cleanup(func() { closeConn(t, conn) })
	return conn, seen
}

func closeConn(t *testing.T, conn transport.Conn) {
	t.Helper()
	_ = conn.Close(context.WithoutCancel(t.Context()))
}

func receive(t *testing.T, conn interface {
	Receive(ctx context.Context) (transport.Incoming, error)
},
) transport.Incoming {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	in, err := conn.Receive(ctx)
	if err != nil {
		t.Fatalf("Receive: %v", err)
	}
	return in
}

// receiveAll returns the messages of the exchange up to its end, and why it ended.
func receiveAll(t *testing.T, conn transport.Conn, exchange int) ([]transport.Incoming, error) {
	t.Helper()
	var all []transport.Incoming
	for {
		in := receive(t, conn)
		switch {
		case in.Exchange != exchange:
			t.Fatalf("got %+v of exchange %d, want %d", in, in.Exchange, exchange)
		case in.End:
			return all, in.Err
		default:
			all = append(all, in)
		}
	}
}

func send(t *testing.T, conn transport.Conn, raw string) transport.Delivery {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	d, err := conn.Send(ctx, transport.Outgoing{Raw: []byte(raw)})
	if err != nil {
		t.Fatalf("Send: %v", err)
	}
	return d
}

// call sends the message and returns the raw messages that came back.
func call(t *testing.T, conn transport.Conn, raw string) ([]string, error) {
	t.Helper()
	all, err := receiveAll(t, conn, send(t, conn, raw).Exchange)
	var raws []string
	for _, in := range all {
		raws = append(raws, string(in.Raw))
	}
	return raws, err
}

// answer is a peer that gives one and the same answer.
func answer(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header()["Content-Type"] = nil
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func flush(w http.ResponseWriter, text string) {
	_, _ = io.WriteString(w, text)
	_ = http.NewResponseController(w).Flush()
}

// newPeer starts a peer played by the handler, and returns its endpoint.
func newPeer(t *testing.T, peer http.Handler) string {
	t.Helper()
	server := httptest.NewServer(peer)
	t.Cleanup(server.Close)
	return server.URL + "/mcp"
}

func newBenchServer(b *testing.B) string {
	b.Helper()
	server := mcphttp.NewServer(echo, mcphttp.ServerOptions{})
	web := httptest.NewServer(server)
	b.Cleanup(func() { server.Close(); web.Close() })
	return web.URL
}

func make1KiB() []byte { return bytes.Repeat([]byte("x"), 1<<10) }
