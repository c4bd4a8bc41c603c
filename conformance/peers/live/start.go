package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// Target is where a peer is reached: a URL, or a command to start for itself.
type Target struct {
	URL     string
	Command []string
	Env     []string // the whole environment of the command
}

// patience is how long a peer may take to answer after it was started.
const patience = 30 * time.Second

// Start starts the peer on a free port of 127.0.0.1 and waits until it answers. A
// peer over stdio is not started: its Target is the command. What Start returns
// ends the peer, and can be called more than once. The error carries the last that
// the peer wrote.
func (p Peer) Start(ctx context.Context) (Target, func(), error) {
	if ok, why := p.Available(); !ok {
		return Target{}, nil, fmt.Errorf("peer %s: %s", p.Name, why)
	}
	switch {
	case p.handler != nil:
		return p.serve(ctx)
	case p.Transport == Stdio:
		return Target{Command: p.program.args, Env: append(os.Environ(), p.program.env...)}, func() {}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	target, stop, err := p.run(ctx)
	if err != nil {
		return Target{}, nil, fmt.Errorf("peer %s: %w", p.Name, err)
	}
	return target, stop, nil
}

// serve serves a peer of this process.
func (p Peer) serve(ctx context.Context) (Target, func(), error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return Target{}, nil, fmt.Errorf("peer %s: %w", p.Name, err)
	}
	base := "http://" + l.Addr().String()
	server := &http.Server{Handler: p.handler(base), ReadHeaderTimeout: patience}
	go func() { _ = server.Serve(l) }() // ends by stop
	return Target{URL: base + p.path}, func() { _ = server.Close() }, nil
}

// run starts the process of a peer and finds out where it listens.
func (p Peer) run(ctx context.Context) (Target, func(), error) {
	prog, base := p.program, ""
	if prog.freePort {
		port, err := freePort(ctx)
		if err != nil {
			return Target{}, nil, err
		}
		prog, base = prog.on(port), "http://127.0.0.1:"+port
	}
	c, err := launch(prog)
	if err != nil {
		return Target{}, nil, err
	}
	if base == "" {
		base, err = c.listening(ctx)
	} else {
		err = c.answers(ctx, strings.TrimPrefix(base, "http://"))
	}
	if err != nil {
		c.stop()
		return Target{}, nil, fmt.Errorf("%w; it wrote: %s", err, c.tail())
	}
	return Target{URL: base + p.path}, c.stop, nil
}

// on is the program told which port to take.
func (p program) on(port string) program {
	fill := func(list []string) []string {
		filled := make([]string, len(list))
		for i, s := range list {
			filled[i] = strings.ReplaceAll(s, "{port}", port)
		}
		return filled
	}
	return program{args: fill(p.args), env: fill(p.env), freePort: p.freePort}
}

// freePort finds a port that nothing listens on at present.
func freePort(ctx context.Context) (string, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("finding a free port: %w", err)
	}
	defer func() { _ = l.Close() }()
	addr, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return "", errors.New("finding a free port: not a TCP address")
	}
	return strconv.Itoa(addr.Port), nil
}
