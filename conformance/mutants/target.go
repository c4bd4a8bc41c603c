package mutants

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/conformance/a2a"
	"github.com/peerwright/peerwright/conformance/chat"
	"github.com/peerwright/peerwright/conformance/mcp"
	"github.com/peerwright/peerwright/conformance/peers/a2apeer"
	"github.com/peerwright/peerwright/conformance/peers/chatpeer"
	"github.com/peerwright/peerwright/conformance/peers/mcppeer"
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
	case protocol == conformance.Chat:
		return m.endpoint()
	case m.Stdio:
		return m.stdio(), func() {}, nil
	}
	return m.server()
}

// stdio runs a built-in MCP server in this process.
func (m Mutant) stdio() conformance.Target {
	serve := between(mcppeer.New(m.Server).ServeStdio, m.Hear, m.Swap)
	if m.Pipe != nil {
		serve = m.Pipe(serve)
	}
	dial := func(ctx context.Context, tap wire.Tap) (transport.Conn, error) {
		return stdio.DialPipe(context.WithoutCancel(ctx), serve, transport.Options{Tap: tap}), nil
	}
	return mcp.NewTarget(mcp.Config{Dial: dial, Transport: "stdio", Name: m.ID, Revision: m.Revision, Now: time.Now})
}

func (m Mutant) server() (conformance.Target, func(), error) {
	base, stop, err := loopback(func(string) http.Handler { return m.front(mcppeer.New(m.Server).Handler()) })
	if err != nil {
		return nil, nil, err
	}
	config := mcp.Config{Transport: "http", Name: m.ID, Revision: m.Revision, Now: time.Now}
	config.Dial = func(ctx context.Context, tap wire.Tap) (transport.Conn, error) {
		return mcphttp.Dial(ctx, base+"/mcp", transport.Options{Tap: tap})
	}
	if m.Older {
		config.Older = func(ctx context.Context, tap wire.Tap) (transport.Conn, error) {
			return mcphttp.DialSSE(ctx, base+"/sse", transport.Options{Tap: tap})
		}
	}
	return mcp.NewTarget(config), stop, nil
}

// patience is how long an agent may take to close a stream that is over: the good one
// takes no time.
const patience = time.Second

// quick is the step of an agent that none is set for: many are put through the suite,
// and few have to be caught at work.
const quick = 2 * time.Millisecond

func (m Mutant) agent() (conformance.Target, func(), error) {
	options := m.Agent
	options.Step = cmp.Or(options.Step, quick)
	agent := a2apeer.New(options)
	base, stop, err := loopback(func(base string) http.Handler { return m.front(agent.Handler(base)) })
	if err != nil {
		return nil, nil, err
	}
	return a2a.NewTarget(a2a.Config{URL: base, Revision: m.Revision, Binding: m.Binding, Patience: patience, Now: time.Now}), stop, nil
}

func (m Mutant) endpoint() (conformance.Target, func(), error) {
	base, stop, err := loopback(func(string) http.Handler { return m.front(chatpeer.New(m.Chat).Handler()) })
	if err != nil {
		return nil, nil, err
	}
	return chat.NewTarget(chat.Config{URL: base, Now: time.Now}), stop, nil
}

// front puts the mutation before a good handler.
func (m Mutant) front(good http.Handler) http.Handler {
	if m.Hear != nil || m.Swap != nil {
		good = inFront(good, m.Hear, m.Swap)
	}
	if m.Wrap != nil {
		good = m.Wrap(good)
	}
	return good
}

// loopback serves a handler on a free loopback port until stop is called.
func loopback(handler func(base string) http.Handler) (base string, stop func(), err error) {
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
