package mcphttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"
	"github.com/onsi/gomega/gleak"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// ssePeer opens a stream with the endpoint, and answers each POST by what reply
// writes; what it returns goes out on the stream.
func ssePeer(endpoint string, reply func(w http.ResponseWriter, body string) string) http.HandlerFunc {
	out := make(chan string, 10)
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			if text := reply(w, string(body)); text != "" {
				out <- text
			}
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		flush(w, "event: endpoint\r\ndata: "+strings.ReplaceAll(endpoint, "HOST", r.Host)+"\r\n\r\n")
		for {
			select {
			case text := <-out:
				if text == "end" {
					return
				}
				flush(w, text)
			case <-r.Context().Done():
				return
			}
		}
	}
}

func dialSSE(t *testing.T, peer http.HandlerFunc) (*mcphttp.SSEConn, error) {
	t.Helper()
	conn, err := mcphttp.DialSSE(t.Context(), newPeer(t, peer), transport.Options{Header: http.Header{"Authorization": {"Bearer x"}}})
	if err == nil {
		t.Cleanup(func() { closeConn(t, conn) })
	}
	return conn, err
}

func TestSSEConversation(t *testing.T) {
	for _, endpoint := range []string{"/messages?s=1", "http://HOST/messages?s=1", "?s=1", "//HOST/x?s=1"} {
		t.Run(endpoint, func(t *testing.T) {
			conn, err := dialSSE(t, ssePeer(endpoint, func(w http.ResponseWriter, body string) string {
				w.WriteHeader(http.StatusAccepted)
				fmt.Fprint(w, "Accepted")
				return ": hi\n\nevent: message\ndata: " + body + "\n\nevent: ping\ndata: {}\n\nid: 4\ndata: " + pong + "\n\n"
			}))
			if err != nil {
				t.Fatal(err)
			}
			if d := send(t, conn, ping); d.Exchange != 0 || d.Status != 202 {
				t.Errorf("got %+v", d)
			}
			if in := receive(t, conn); string(in.Raw) != ping || in.Exchange != 0 {
				t.Errorf("got %+v", in)
			}
			if in := receive(t, conn); string(in.Raw) != pong || in.EventID != "4" {
				t.Errorf("got %+v", in)
			}
		})
	}
}

func TestSSEPostRefused(t *testing.T) {
	fault := `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no"}}`
	conn, err := dialSSE(t, ssePeer("/m", func(w http.ResponseWriter, _ string) string {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, fault)
		return ""
	}))
	if err != nil {
		t.Fatal(err)
	}
	d := send(t, conn, ping)
	all, end := receiveAll(t, conn, d.Exchange)
	var status *mcphttp.StatusError
	if d.Exchange == 0 || len(all) != 1 || string(all[0].Raw) != fault || !errors.As(end, &status) || status.Status != 400 {
		t.Errorf("got %+v, %v of %+v", all, end, d)
	}
}

func TestSSEStreamEnds(t *testing.T) {
	conn, err := dialSSE(t, ssePeer("/m", func(http.ResponseWriter, string) string { return "end" }))
	if err != nil {
		t.Fatal(err)
	}
	send(t, conn, ping)
	_, err = conn.Receive(t.Context())
	if !errors.Is(err, transport.ErrClosed) || !strings.Contains(err.Error(), "ended the event stream") {
		t.Errorf("got %v", err)
	}
}

func TestSSEDialFails(t *testing.T) {
	var status *mcphttp.StatusError
	var kind *mcphttp.ContentTypeError
	tests := []struct {
		name  string
		peer  http.HandlerFunc
		check func(error) bool
	}{
		{"other host", ssePeer("http://evil.example/m", nil), func(err error) bool { return errors.Is(err, mcphttp.ErrForeignEndpoint) }},
		{"other port", ssePeer("http://127.0.0.1:1/m", nil), func(err error) bool { return errors.Is(err, mcphttp.ErrForeignEndpoint) }},
		{"other scheme", ssePeer("https://HOST/m", nil), func(err error) bool { return errors.Is(err, mcphttp.ErrForeignEndpoint) }},
		{"no URL", ssePeer("http://[", nil), func(err error) bool { return err != nil }},
		{"405", answer(405, "", ""), func(err error) bool { return errors.As(err, &status) && status.Status == 405 }},
		{"no stream", answer(200, "text/html", "<html>"), func(err error) bool { return errors.As(err, &kind) }},
		{"no endpoint", answer(200, "text/event-stream", ": hi\n\n"), func(err error) bool { return strings.Contains(fmt.Sprint(err), "no endpoint event") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := dialSSE(t, tt.peer); !tt.check(err) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestSSEEndpointMustComeInTime(t *testing.T) {
	url := newPeer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		flush(w, ": wait for it\n\n")
		<-r.Context().Done()
	}))
	_, err := mcphttp.DialSSE(t.Context(), url, transport.Options{Connect: 50 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "no endpoint event") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := mcphttp.DialSSE(ctx, url, transport.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestSSECloseLeavesNoGoroutine(t *testing.T) {
	g := gomega.NewWithT(t)
	before := gleak.Goroutines()
	server := httptest.NewServer(ssePeer("/m", func(http.ResponseWriter, string) string { return "data: " + pong + "\n\n" }))
	conn, err := mcphttp.DialSSE(t.Context(), server.URL, transport.Options{Tap: func(wire.Frame) {}})
	if err != nil {
		t.Fatal(err)
	}
	send(t, conn, ping)
	receive(t, conn)
	closeConn(t, conn)
	closeConn(t, conn)
	if _, err := conn.Send(t.Context(), transport.Outgoing{Raw: []byte(ping)}); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("Send after Close: %v", err)
	}
	server.Close()
	g.Eventually(gleak.Goroutines).WithTimeout(guard).ShouldNot(gleak.HaveLeaked(before))
}
