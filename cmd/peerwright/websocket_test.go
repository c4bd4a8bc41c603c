package main

import (
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/peerwright/peerwright/conformance/peers/mcppeer"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/websocket"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// bridged serves the built-in MCP server over WebSocket: a message is a line.
func bridged(ctx context.Context, l transport.Link) error {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	go func() {
		_ = mcppeer.New(mcppeer.Options{}).ServeStdio(ctx, fromClient, toClient)
		_ = toClient.Close()
	}()
	go func() {
		lines := wire.NewLineReader(fromServer, 0)
		for {
			line, err := lines.Next()
			if err != nil {
				return
			}
			_ = l.Send(ctx, transport.Answer{Raw: line.Content()})
		}
	}()
	defer toServer.Close()
	for {
		in, err := l.Receive(ctx)
		if err != nil {
			return nil
		}
		if _, err := toServer.Write(append(in.Raw, '\n')); err != nil {
			return err
		}
	}
}

func TestReportOverWebSocket(t *testing.T) {
	base, stop, err := serve(func(string) http.Handler { return websocket.NewServer(bridged, websocket.ServerOptions{}) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		got := peerwright(t, "report", "--format", "json", "--mcp", "ws"+base[len("http"):], "--revision", revision)
		r := readReport(t, []byte(got.out))
		if got.code != exitGood || r.Peers[0].Transport != "websocket" {
			for _, c := range r.Peers[0].Cases {
				if c.Status == reporters.Failed || c.Status == reporters.Errored || c.Status == reporters.Warned {
					t.Errorf("%s is %s: %s %s", c.ID, c.Status, c.Actual, c.Reason)
				}
			}
			t.Errorf("exit %d over %s, %s", got.code, r.Peers[0].Transport, r.Peers[0].Error)
		}
	}
}
