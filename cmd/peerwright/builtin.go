package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/conformance/peers/a2apeer"
	"github.com/peerwright/peerwright/conformance/peers/mcppeer"
	"github.com/peerwright/peerwright/internal/redact"
)

// How slow the built-in peers are where they have to be caught at work: a tool of the
// server, which reports progress in five steps, and the tasks of the agent.
const (
	toolStep = 50 * time.Millisecond
	taskStep = 25 * time.Millisecond
)

// builtin returns the built-in peers: the MCP server in the newest revision of each
// era, and the A2A agent. They listen on loopback for as long as they are checked.
func builtin() []candidate {
	quick := func(string) http.Handler { return mcppeer.New(mcppeer.Options{}).Handler() }
	slow := func(string) http.Handler { return mcppeer.New(mcppeer.Options{Step: toolStep}).Handler() }
	agent := a2apeer.New(a2apeer.Options{Step: taskStep}).Handler
	return []candidate{
		local(conformance.MCP, "the built-in MCP server", quick, func(base string) *peerSpec {
			return &peerSpec{MCP: base + "/mcp", Revision: "2026-07-28"}
		}),
		local(conformance.MCP, "the built-in MCP server", slow, func(base string) *peerSpec {
			return &peerSpec{MCP: base + "/mcp", Revision: "2025-11-25"}
		}),
		local(conformance.A2A, "the built-in A2A agent", agent, func(base string) *peerSpec {
			return &peerSpec{A2A: base}
		}),
	}
}

// local is a peer in this process, which listens on loopback while it is checked.
func local(protocol, name string, handler func(base string) http.Handler, spec func(base string) *peerSpec) candidate {
	return candidate{protocol: protocol, name: name, open: func(red *redact.Redactor) (conformance.Target, func(), error) {
		base, stop, err := serve(handler)
		if err != nil {
			return nil, nil, err
		}
		s := spec(base)
		s.alias = name
		target, _, err := s.open(red)
		if err != nil {
			stop()
			return nil, nil, err
		}
		return target, stop, nil
	}}
}

// serve runs a handler on a free loopback port until stop is called.
func serve(handler func(base string) http.Handler) (base string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("starting the built-in peer: %w", err)
	}
	base = "http://" + l.Addr().String()
	srv := &http.Server{Handler: handler(base), ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	return base, func() {
		_ = srv.Close() // it is in this process: nothing can be left open
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			panic(err) // Close was the only way to end it
		}
	}, nil
}
