// Package dial turns what a user writes, a URL or a command, into a way to reach an
// MCP server. It is the one place that knows every transport of MCP.
//
// It imports mcp and the transports, and nothing above them.
package dial

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
	"github.com/peerwright/peerwright/internal/transport/stdio"
	"github.com/peerwright/peerwright/internal/transport/websocket"
	"github.com/peerwright/peerwright/internal/wire"
)

// The transports, as a user names them.
const (
	Stdio     = "stdio"
	HTTP      = "http" // Streamable HTTP
	SSE       = "sse"  // HTTP+SSE of 2024-11-05
	WebSocket = "websocket"
)

// Target is an MCP server as a user names it: a URL or a command, not both.
type Target struct {
	URL       string   // http, https, ws or wss
	Command   []string // a program and its arguments
	Dir       string   // where the command runs; "" means here
	Hide      []string // variables of the environment that the command does not get
	Transport string   // one of the above; "" takes what the URL or command says
	Header    http.Header
	Connect   time.Duration // see transport.Options
	Limit     int           // see transport.Options
}

// Way is how to reach a server: the dialer, the one to fall back on, and the name
// of the transport.
type Way struct {
	Dial, Older mcp.Dialer
	Transport   string
}

// Resolve finds the way to a target. The error says what is wrong with it and how
// to write it right.
func Resolve(t Target) (Way, error) {
	switch {
	case t.URL != "" && len(t.Command) > 0:
		return Way{}, fmt.Errorf("name either a URL or a command, not both")
	case len(t.Command) > 0:
		return t.command()
	case t.URL != "":
		return t.url()
	}
	return Way{}, fmt.Errorf("no target: name a URL or a command")
}

func (t Target) command() (Way, error) {
	if t.Transport != "" && t.Transport != Stdio {
		return Way{}, fmt.Errorf("a command is reached by %s, not by %s", Stdio, t.Transport)
	}
	return Way{Dial: t.stdio, Transport: Stdio}, nil
}

func (t Target) url() (Way, error) {
	u, err := url.Parse(t.URL)
	if err != nil {
		return Way{}, fmt.Errorf("target %q: %w", t.URL, err)
	}
	if u.Host == "" {
		return Way{}, fmt.Errorf("target %q names no host: write it like http://127.0.0.1:8080/mcp", t.URL)
	}
	switch scheme := strings.ToLower(u.Scheme); scheme {
	case "ws", "wss":
		return t.only(WebSocket, Way{Dial: t.websocket, Transport: WebSocket})
	case "http", "https":
		if t.Transport == SSE {
			return Way{Dial: t.sse, Transport: SSE}, nil
		}
		return t.only(HTTP, Way{Dial: t.http, Older: t.sse, Transport: HTTP})
	default:
		return Way{}, fmt.Errorf("target %q: scheme %q is none of http, https, ws, wss", t.URL, scheme)
	}
}

func (t Target) only(name string, w Way) (Way, error) {
	if t.Transport != "" && t.Transport != name {
		return Way{}, fmt.Errorf("target %q is reached by %s, not by %s", t.URL, name, t.Transport)
	}
	return w, nil
}

func (t Target) options(tap wire.Tap) transport.Options {
	return transport.Options{Tap: tap, Header: t.Header, Connect: t.Connect, Limit: t.Limit}
}

func (t Target) stdio(ctx context.Context, tap wire.Tap) (transport.Conn, error) {
	return conn(stdio.Dial(ctx, stdio.Command{Args: t.Command, Dir: t.Dir, Env: t.environment()}, t.options(tap)))
}

// environment is what the command gets of that of this process; nil is all of it.
func (t Target) environment() []string {
	if len(t.Hide) == 0 {
		return nil
	}
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(t.Hide, name)
	})
}

func (t Target) http(ctx context.Context, tap wire.Tap) (transport.Conn, error) {
	return conn(mcphttp.Dial(ctx, t.URL, t.options(tap)))
}

func (t Target) sse(ctx context.Context, tap wire.Tap) (transport.Conn, error) {
	return conn(mcphttp.DialSSE(ctx, t.URL, t.options(tap)))
}

func (t Target) websocket(ctx context.Context, tap wire.Tap) (transport.Conn, error) {
	return conn(websocket.Dial(ctx, t.URL, t.options(tap)))
}

// conn keeps a failed dial from becoming an interface that holds a nil pointer.
func conn[C transport.Conn](c C, err error) (transport.Conn, error) {
	if err != nil {
		return nil, err
	}
	return c, nil
}
