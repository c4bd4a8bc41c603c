package websocket

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// ServerOptions are what NewServer takes. The zero value is ready to use.
type ServerOptions struct {
	// Tap sees every frame of every client; those of the client are Out and those of
	// this server In, as a tap at the client's end would see them.
	Tap wire.Tap
	// Limit is the size in bytes that one message may have; 0 means
	// wire.DefaultLimit. A longer one fails alone.
	Limit int
	// Origins and Hosts are allowed besides those of loopback: an origin as a browser
	// writes it ("https://example.com"), a host without its port; "*" allows all.
	Origins, Hosts []string
	// WriteTimeout is how long a client may leave a message unread before it loses
	// the connection; 0 means ten seconds.
	WriteTimeout time.Duration
}

// Server serves MCP clients over WebSocket, each with a Link of its own. It accepts
// clients that do not offer the subprotocol.
type Server struct {
	handler  transport.Handler
	opts     ServerOptions
	upgrader websocket.Upgrader
	stop     chan struct{}
	stopOnce sync.Once

	mu      sync.Mutex
	stopped bool
	links   sync.WaitGroup
}

var _ http.Handler = (*Server)(nil)

// NewServer returns a server that runs h for each client. An http.Server does not
// wait for its connections; Close does.
func NewServer(h transport.Handler, opts ServerOptions) *Server {
	opts.Limit = limitOrDefault(opts.Limit)
	if opts.WriteTimeout <= 0 {
		opts.WriteTimeout = writeWait
	}
	s := &Server{handler: h, opts: opts, stop: make(chan struct{})}
	s.upgrader = websocket.Upgrader{
		HandshakeTimeout: opts.WriteTimeout,
		Subprotocols:     []string{Subprotocol},
		CheckOrigin:      func(*http.Request) bool { return true }, // ServeHTTP has checked more than that
		Error:            s.refuse,
	}
	return s
}

// Close ends the context of every handler, and returns when all have returned and
// their connections are closed. Clients that come later are turned away with 503.
func (s *Server) Close() {
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	s.stopOnce.Do(func() { close(s.stop) })
	s.links.Wait()
}

// enter counts a client in, unless the server has been closed.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopped {
		s.links.Add(1)
	}
	return !s.stopped
}

// ServeHTTP makes a WebSocket of the connection and serves it to its end.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.opts.Tap.See(wire.Frame{
		Dir: wire.Out, Kind: wire.FrameRequest, Method: r.Method, URL: r.URL.String(), Header: r.Header.Clone(),
	})
	if err := transport.CheckCaller(r, s.opts.Origins, s.opts.Hosts); err != nil {
		s.refuse(w, r, http.StatusForbidden, err)
		return
	}
	if !s.enter() {
		s.refuse(w, r, http.StatusServiceUnavailable, errors.New("server is closing"))
		return
	}
	defer s.links.Done()
	ws, err := s.upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // refuse has answered
	}
	s.opts.Tap.See(wire.Frame{
		Dir: wire.In, Kind: wire.FrameResponse, Status: http.StatusSwitchingProtocols, Header: head(ws.Subprotocol()),
	})
	s.serve(r.Context(), &socket{
		ws: ws, tap: s.opts.Tap, wrote: wire.In, read: wire.Out,
		limit: s.opts.Limit, ping: pingEvery, patience: s.opts.WriteTimeout,
	})
}

// refuse answers a request that does not become a WebSocket.
func (s *Server) refuse(w http.ResponseWriter, _ *http.Request, status int, reason error) {
	s.opts.Tap.See(wire.Frame{Dir: wire.In, Kind: wire.FrameResponse, Status: status, Note: reason.Error()})
	w.Header().Set("Sec-WebSocket-Version", "13") // RFC 6455 section 4.2.2 names it in every refusal
	http.Error(w, reason.Error(), status)
}

func (s *Server) serve(ctx context.Context, sock *socket) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	link := transport.NewDuplex(sock.write)
	over := make(chan struct{})
	go sock.keepAlive(over)
	go func() {
		defer close(over)
		link.Lost(sock.receive(link.Put))
	}()
	go func() {
		select {
		case <-s.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	// how the handler fares is its own business: nobody is left here to be told
	_ = link.Serve(ctx, s.handler)
	sock.close(context.WithoutCancel(ctx), over)
	<-over
}
