package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/peerwright/peerwright/bridge"
	"github.com/peerwright/peerwright/internal/errclass"
)

// starting bounds how long the bridge waits for its peers before it says how it is.
const starting = 30 * time.Second

// welcome reaches the peers, and says where the bridge is and what it can do. A bridge
// that was asked to end meanwhile says nothing.
func (c *bridgeCommand) welcome(ctx context.Context, b *bridge.Bridge, config bridge.Config, at net.Addr) {
	reach, cancel := context.WithTimeout(ctx, starting)
	defer cancel()
	away := b.Start(reach)
	if ctx.Err() != nil {
		return
	}
	var text bytes.Buffer // written at once: a trace may come between
	p := page{&text}
	p.line("%s", greeting(b.Capabilities(), away))
	p.line("")
	p.line("Endpoint: http://%s/v1/chat/completions", at)
	c.peers(p, b, config)
	p.line("")
	p.line("Capabilities:")
	caps := b.Capabilities()
	p.line("  • Streaming: supported")
	p.line("  • Pagination: %s-based", caps.Pagination)
	p.line("  • Errors: %s", caps.Errors)
	p.line("  • Auth: %s", caps.Auth)
	p.line("  • Idempotency: kept in %s", caps.Idempotency.Store)
	p.line("")
	_, _ = c.out.Write(text.Bytes()) // nobody is left to read
	c.missing(away)
	if !loopback(at) && config.APIKeysEnv == "" && len(config.APIKeys) == 0 {
		tell(c.err, fmt.Errorf("warning: the bridge is open: whoever reaches %s may use it", at))
	}
}

// greeting is the first line: a bridge with nothing behind it is not said to be ready.
func greeting(caps bridge.Capabilities, away map[string]error) string {
	ids := strings.Join(slices.Sorted(maps.Keys(away)), ", ")
	switch len(away) {
	case 0:
		return "Bridge ready"
	case len(caps.Agents) + len(caps.Upstreams):
		return "Bridge started, but nothing behind it can be reached: " + ids
	}
	return "Bridge ready, but for what cannot be reached: " + ids
}

// peers lists what is behind the endpoint.
func (c *bridgeCommand) peers(p page, b *bridge.Bridge, config bridge.Config) {
	caps := b.Capabilities()
	for _, a := range caps.Agents {
		p.line("Agent:    %s", c.clean(fmt.Sprintf("%s (%s)", a.ID, words(a.Name, a.Version, "A2A "+a.ProtocolVersion))))
	}
	for i, u := range caps.Upstreams {
		p.line("Upstream: %s", c.clean(fmt.Sprintf("%s, %s (%s)", u.ID, source(config.Upstreams[i]), words(u.Server.Name, u.Server.Version, "MCP "+u.Revision))))
	}
}

// missing says why what cannot be reached cannot be.
func (c *bridgeCommand) missing(away map[string]error) {
	for _, id := range slices.Sorted(maps.Keys(away)) {
		why := away[id]
		if e, ok := errors.AsType[errclass.Error](why); ok {
			why = errors.New(e.Message) // without its class, which is for programs
		}
		warn(c.err, c.red, fmt.Errorf("%s is not reachable now, and is tried again when it is needed: %w", id, why))
	}
}

// source is a server as the user named it.
func source(u bridge.UpstreamConfig) string {
	if u.MCP != "" {
		return u.MCP
	}
	return quoteArgs(u.Command)
}

// clean takes out what a terminal would obey, and secrets.
func (c *bridgeCommand) clean(text string) string {
	return strings.Map(plain, string(c.red.Text([]byte(c.red.URL(text)))))
}

// words joins what is known; a protocol without a version says nothing.
func words(parts ...string) string {
	var known []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" && p != "A2A" && p != "MCP" {
			known = append(known, p)
		}
	}
	if len(known) == 0 {
		return "not reached yet"
	}
	return strings.Join(known, " ")
}

func loopback(at net.Addr) bool {
	tcp, ok := at.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// page writes lines for the user.
type page struct{ w io.Writer }

func (p page) line(format string, args ...any) {
	_, _ = fmt.Fprintf(p.w, strings.ReplaceAll(format, "\n", "")+"\n", args...) // to memory
}
