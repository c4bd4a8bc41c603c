package mcphttp_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// dial opens a conversation with a peer played by the handler.
func dial(t *testing.T, peer http.HandlerFunc) (*mcphttp.Conn, *wire.Transcript) {
	t.Helper()
	server := httptest.NewServer(peer)
	t.Cleanup(server.Close)
	seen := wire.NewTranscript(time.Now)
	conn, err := mcphttp.Dial(t.Context(), server.URL+"/mcp", transport.Options{Tap: seen.See})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return conn, seen
}

func receive(t *testing.T, conn transport.Conn) transport.Incoming {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	in, err := conn.Receive(ctx)
	if err != nil {
		t.Fatalf("Receive: %v", err)
	}
	return in
}

func send(t *testing.T, conn transport.Conn, raw string) transport.Delivery {
	t.Helper()
	d, err := conn.Send(t.Context(), transport.Outgoing{Raw: []byte(raw)})
	if err != nil {
		t.Fatalf("Send: %v", err)
	}
	return d
}

func TestSendReceivesTheAnswerAndTheEnd(t *testing.T) {
	for _, contentType := range []string{"application/json", "text/event-stream"} {
		t.Run(contentType, func(t *testing.T) {
			conn, _ := dial(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", contentType)
				body := `{"jsonrpc":"2.0","id":1,"result":{}}`
				if contentType == "text/event-stream" {
					body = "event: message\r\ndata:" + body + "\r\n\r\n"
				}
				fmt.Fprint(w, body)
			})
			d := send(t, conn, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
			in := receive(t, conn)
			if in.Kind != wire.KindResult || in.Exchange != d.Exchange {
				t.Fatalf("got %+v of exchange %d", in, d.Exchange)
			}
			if end := receive(t, conn); !end.End || end.Err != nil || end.Exchange != d.Exchange {
				t.Fatalf("got %+v, want the end", end)
			}
		})
	}
}
