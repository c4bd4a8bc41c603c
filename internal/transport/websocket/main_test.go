package websocket

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if left := leaked(); left != "" {
		fmt.Println("goroutines are left:\n" + left)
		code = max(code, 1)
	}
	os.Exit(code)
}

// leaked returns the goroutines of this package that do not end.
func leaked() string {
	var left string
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); runtime.Gosched() {
		left = ""
		buf := make([]byte, 1<<20)
		for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			if strings.Contains(stack, "transport/") && !strings.Contains(stack, "TestMain") {
				left += stack + "\n"
			}
		}
		if left == "" {
			break
		}
	}
	return left
}

// limited is a context that ends a test that hangs.
func limited(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// serve returns the WebSocket URL of a server on a free port.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return "ws" + strings.TrimPrefix(server.URL, "http") + "/mcp"
}

// raw is a server that speaks WebSocket and nothing else that this package has.
func raw(talk func(ws *websocket.Conn)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err == nil {
			defer ws.Close()
			talk(ws)
		}
	})
}

func dial(t *testing.T, url string, opts transport.Options) *Conn {
	t.Helper()
	c, err := Dial(limited(t), url, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

func send(t *testing.T, c transport.Conn, raw string) {
	t.Helper()
	if _, err := c.Send(limited(t), transport.Outgoing{Raw: []byte(raw)}); err != nil {
		t.Fatal(err)
	}
}

func receive(t *testing.T, c transport.Conn) transport.Incoming {
	t.Helper()
	in, err := c.Receive(limited(t))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// echoing answers each message, one that is no request included, with a result.
func echoing(ctx context.Context, l transport.Link) error {
	for {
		in, err := l.Receive(ctx)
		if err != nil {
			return err
		}
		if err := l.Send(ctx, transport.Answer{Raw: wire.Result(in.ID, wire.Quote(string(in.Raw)))}); err != nil {
			return err
		}
	}
}

// frames collects what a tap sees.
type frames struct {
	mu   sync.Mutex
	list []wire.Frame
}

func (f *frames) see(fr wire.Frame) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, fr)
}

func (f *frames) of(dir wire.Direction, kind wire.FrameKind) []wire.Frame {
	f.mu.Lock()
	defer f.mu.Unlock()
	var found []wire.Frame
	for _, fr := range f.list {
		if fr.Dir == dir && fr.Kind == kind {
			found = append(found, fr)
		}
	}
	return found
}

// pair returns both ends of a WebSocket in memory, which works on a fake clock.
func pair(t *testing.T) (client, server *websocket.Conn) {
	t.Helper()
	near, far := net.Pipe()
	ends := make(chan *websocket.Conn)
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
		}
		ends <- ws
	})}
	listener := &oneConn{conn: make(chan net.Conn, 1), closed: make(chan struct{})}
	listener.conn <- far
	go func() { _ = srv.Serve(listener) }()
	dialer := websocket.Dialer{NetDialContext: func(context.Context, string, string) (net.Conn, error) { return near, nil }}
	failed := make(chan error, 1)
	go func() {
		ws, _, err := dialer.Dial("ws://localhost/", nil)
		if err != nil {
			failed <- err
		}
		ends <- ws
	}()
	for range 2 {
		switch ws := <-ends; {
		case ws == nil:
			t.Fatal(<-failed)
		case ws.NetConn() == near:
			client = ws
		default:
			server = ws
		}
	}
	t.Cleanup(func() { _, _, _ = srv.Close(), client.Close(), server.Close() })
	return client, server
}

// oneConn is a listener with one connection.
type oneConn struct {
	conn   chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *oneConn) Accept() (net.Conn, error) {
	select {
	case c := <-l.conn:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *oneConn) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *oneConn) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
