package replay_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/conformance/replay"
	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/recorder"
)

// serveSSE serves the scripted server over HTTP+SSE.
func serveSSE(t *testing.T, s *server) string {
	t.Helper()
	sse := mcphttp.NewSSEServer(func(ctx context.Context, l transport.Link) error {
		for {
			in, err := l.Receive(ctx)
			if err != nil {
				return nil //nolint:nilerr // the client is gone
			}
			for _, line := range s.answer(in.Message) {
				raw := []byte(strings.ReplaceAll(line, "ID", in.ID.String()))
				if err := l.Send(ctx, transport.Answer{Raw: raw}); err != nil {
					return err
				}
			}
		}
	}, mcphttp.ServerOptions{})
	srv := httptest.NewServer(sse)
	t.Cleanup(srv.Close)
	t.Cleanup(sse.Close)
	return srv.URL + "/sse"
}

func dialSSE(endpoint string) mcp.Dialer {
	return func(ctx context.Context, tap wire.Tap) (transport.Conn, error) {
		return mcphttp.DialSSE(ctx, endpoint, transport.Options{Tap: tap})
	}
}

func of2024(s *server) *server {
	answer := s.answer
	return &server{answer: func(m wire.Message) []string {
		lines := answer(m)
		for i := range lines {
			lines[i] = strings.Replace(lines[i], "2025-11-25", "2024-11-05", 1)
		}
		return lines
	}}
}

// TestRecordAndReplayHTTPWithSSE records through the proxy: answers come on another
// exchange than their requests, and the endpoint has the session in its URL.
func TestRecordAndReplayHTTPWithSSE(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	path := filepath.Join(t.TempDir(), "sse"+fixtures.Suffix)
	f := recordTo(t, path, fixtures.Header{Protocol: fixtures.MCP, Transport: "sse"}, func(_ wire.Tap, r *recorder.Recorder) error {
		c, err := mcp.Connect(ctx, mcp.Options{Dial: dialSSE(before(t, serveSSE(t, of2024(faithful())), r)), Revision: mcp.Rev2024})
		if err != nil {
			return err
		}
		if _, err := c.Request(ctx, "tools/call", json.RawMessage(`{"name":"look","_meta":{"progressToken":"p"}}`)); err != nil {
			return err
		}
		if err := tour(ctx, c); err != nil {
			return err
		}
		return c.Close(ctx)
	})
	session := false
	for _, b := range f.Header.Bindings {
		session = session || b.Kind == fixtures.KindSession
	}
	if !session || f.Header.Revision != mcp.Rev2024 {
		t.Errorf("revision %s, bindings %+v: no session", f.Header.Revision, f.Header.Bindings)
	}
	for to, dial := range map[string]mcp.Dialer{"sse": dialSSE(serveSSE(t, of2024(faithful()))), "stdio": of2024(faithful()).config().Dial} {
		t.Run(to, func(t *testing.T) {
			target, err := replay.MCP(load(t, "sse", f, replay.Options{}), replay.MCPConfig{Dial: dial, Transport: to, Name: to, Now: time.Now})
			if err != nil {
				t.Fatal(err)
			}
			nothingFails(t, run(t, target), 6)
		})
	}
}
