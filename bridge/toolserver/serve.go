package toolserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/gorilla/websocket"

	"github.com/peerwright/peerwright/internal/mcpserve"
	"github.com/peerwright/peerwright/internal/transport"
	ws "github.com/peerwright/peerwright/internal/transport/websocket"
)

// Stdio serves the client that started this process, on stdin and stdout, until it
// closes its end or the context ends. Nothing else may write to stdout.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
func (s *Server) Stdio(ctx context.Context) error { return s.ServeStdio(ctx, os.Stdin, os.Stdout) }

// ServeStdio serves one client over newline-delimited JSON, until r ends (then it returns
// nil) or the context does. Calls that still run when r ends are given two seconds. What
// waits for the audit log has been written when it returns.
func (s *Server) ServeStdio(ctx context.Context, r io.Reader, w io.Writer) error {
	served, err := s.served()
	if err != nil {
		return err
	}
	err = served.ServeStdio(ctx, r, w)
	if s.audit != nil {
		err = errors.Join(err, s.audit.Flush(context.WithoutCancel(ctx)))
	}
	return err
}

// served puts what serves over the tools.
func (s *Server) served() (*mcpserve.Server, error) {
	tools, err := s.ready()
	if err != nil {
		return nil, err
	}
	sdk := s.newSDK(tools)
	return mcpserve.New(mcpserve.Config{
		Legacy: sdk, Modern: sdk, ToolsOnly: true, Secret: s.opts.Secret,
		Caller: owner,
		Check:  func(r *http.Request) error { return transport.CheckCaller(r, s.opts.Origins, s.opts.Hosts) },
	}), nil
}

// Handler serves every revision over Streamable HTTP on whatever path it is mounted on,
// HTTP+SSE on paths that end in /sse, and WebSocket where a client asks to upgrade. It
// ends with the context. Where there are Options.Keys, each request must present one.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
func (s *Server) Handler(ctx context.Context) (http.Handler, error) {
	served, err := s.served()
	if err != nil {
		return nil, err
	}
	sockets := ws.NewServer(served.ServeLink, ws.ServerOptions{Origins: s.opts.Origins, Hosts: s.opts.Hosts})
	context.AfterFunc(ctx, sockets.Close)
	return s.guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if websocket.IsWebSocketUpgrade(r) {
			sockets.ServeHTTP(w, r)
			return
		}
		served.Handler().ServeHTTP(w, r)
	})), nil
}

// lastWords is how long requests may still take once the server is to stop.
const lastWords = 5 * time.Second

// Listen serves Handler at the address until the context ends, as in "127.0.0.1:8080",
// and is nil then. It refuses to listen beyond this machine without Keys, unless
// AllowOpen says so.
func (s *Server) Listen(ctx context.Context, address string) error {
	if err := s.checkAddress(address); err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	return s.Serve(ctx, l)
}

// Serve serves Handler on the listener until the context ends, and closes it.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	inner, stop := context.WithCancel(ctx)
	defer stop()
	h, err := s.Handler(inner)
	if err != nil {
		_ = l.Close() // nothing was served
		return err
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: lastWords}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer cancel()
	if srv.Shutdown(grace) != nil {
		_ = srv.Close() // streams that nobody ends
	}
	if s.audit != nil {
		return s.audit.Flush(context.WithoutCancel(ctx)) //nolint:wrapcheck // it says what it is about
	}
	return nil
}

// checkAddress refuses an address that others can reach where nothing keeps them out.
func (s *Server) checkAddress(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("the address %q: %w", address, err)
	}
	ip := net.ParseIP(host)
	if host == "localhost" || ip != nil && ip.IsLoopback() || len(s.opts.Keys) > 0 || s.opts.AllowOpen {
		return nil
	}
	return fmt.Errorf("%s can be reached from other machines: give Options.Keys, or say AllowOpen", address)
}
