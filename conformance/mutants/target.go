package mutants

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/conformance/a2a"
	"github.com/peerwright/peerwright/conformance/mcp"
	"github.com/peerwright/peerwright/conformance/peers/a2apeer"
	"github.com/peerwright/peerwright/conformance/peers/mcppeer"
	imcp "github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
	"github.com/peerwright/peerwright/internal/transport/stdio"
	"github.com/peerwright/peerwright/internal/wire"
)

// Target starts the mutant on loopback, or in this process where it is reached over
// stdio. stop ends it.
func (m Mutant) Target(protocol string) (t conformance.Target, stop func(), err error) {
	switch {
	case protocol == conformance.A2A:
		return m.agent()
	case m.Stdio:
		return m.stdio(), func() {}, nil
	}
	return m.server()
}

// stdio runs a built-in MCP server in this process.
func (m Mutant) stdio() conformance.Target {
	dial := func(ctx context.Context, tap wire.Tap) (transport.Conn, error) {
		serve := serveFunc(mcppeer.New(mcppeer.Options{}).ServeStdio)
		if m.Swap != nil {
			serve = swappedStream(serve, m.Swap)
		}
		return stdio.DialPipe(context.WithoutCancel(ctx), serve, transport.Options{Tap: tap}), nil
	}
	return mcp.NewTarget(mcp.Config{Dial: dial, Transport: "stdio", Name: m.ID, Revision: m.Revision, Now: time.Now})
}

func (m Mutant) server() (conformance.Target, func(), error) {
	base, stop, err := listen(func(string) http.Handler { return m.front(mcppeer.New(mcppeer.Options{}).Handler()) })
	if err != nil {
		return nil, nil, err
	}
	dial := func(ctx context.Context, tap wire.Tap) (transport.Conn, error) {
		return mcphttp.Dial(ctx, base+"/mcp", transport.Options{Tap: tap})
	}
	revision := m.Revision
	if revision == "" {
		revision = imcp.Rev2511
	}
	return mcp.NewTarget(mcp.Config{Dial: dial, Transport: "http", Name: m.ID, Revision: revision, Now: time.Now}), stop, nil
}

func (m Mutant) agent() (conformance.Target, func(), error) {
	agent := a2apeer.New(a2apeer.Options{})
	base, stop, err := listen(func(base string) http.Handler { return m.front(agent.Handler(base)) })
	if err != nil {
		return nil, nil, err
	}
	return a2a.NewTarget(a2a.Config{URL: base, Revision: m.Revision, Binding: m.Binding, Now: time.Now}), stop, nil
}

// front puts the mutation before a good handler.
func (m Mutant) front(good http.Handler) http.Handler {
	switch {
	case m.Wrap != nil:
		return m.Wrap(good)
	case m.Swap != nil:
		return swapped(good, m.Swap)
	}
	return good
}

// listen serves a handler on a free loopback port until stop is called.
func listen(handler func(base string) http.Handler) (base string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	base = "http://" + l.Addr().String()
	srv := &http.Server{Handler: handler(base), ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = srv.Serve(l) // ends by Close alone
	}()
	return base, func() {
		_ = srv.Close() // nothing outlives the test
		<-done
	}, nil
}
