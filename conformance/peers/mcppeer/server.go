package mcppeer

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/peerwright/peerwright/internal/mcpserve"
)

// Options says how the server is built. The zero value is ready to use.
type Options struct {
	// Name is the name in serverInfo; "" means "peerwright-mcp-peer".
	Name string
	// Version is the version in serverInfo; "" means "1.0.0".
	Version string
	// PageSize is how many items a page of a list holds; 0 means 5, which gives
	// every list at least three pages.
	PageSize int
	// Step is the time between two progress notifications of a tool, and before a
	// subscribed resource changes; 0 means 5 ms.
	Step time.Duration
	// ModernOnly leaves the revisions out that open with initialize.
	ModernOnly bool
	// ToolsOnly leaves out everything that is declared but tools.
	ToolsOnly bool
}

func (o Options) withDefaults() Options {
	if o.Name == "" {
		o.Name = "peerwright-mcp-peer"
	}
	if o.Version == "" {
		o.Version = "1.0.0"
	}
	if o.PageSize <= 0 {
		o.PageSize = 5
	}
	if o.Step <= 0 {
		o.Step = 5 * time.Millisecond
	}
	return o
}

// Server is one MCP server. Its methods may be called by several goroutines.
type Server struct{ served *mcpserve.Server }

// New builds a server. It starts nothing: Handler and ServeStdio serve.
func New(o Options) *Server {
	o = o.withDefaults()
	return &Server{mcpserve.New(mcpserve.Config{
		Legacy: newSDK(o, legacyEra), Modern: newSDK(o, modernEra),
		ModernOnly: o.ModernOnly, ToolsOnly: o.ToolsOnly, ParamHeaders: []string{shelfHeader},
	})}
}

// Handler serves Streamable HTTP on whatever path it is mounted on, but for paths
// that end in /sse: there it serves HTTP+SSE, the transport of 2024-11-05. Sessions
// belong to the Server, not to the handler.
func (s *Server) Handler() http.Handler { return s.served.Handler() }

// ServeStdio serves one client over newline-delimited JSON until r ends or the
// context does; see mcpserve.Server.ServeStdio.
func (s *Server) ServeStdio(ctx context.Context, r io.Reader, w io.Writer) error {
	return s.served.ServeStdio(ctx, r, w) //nolint:wrapcheck // it says what it was doing
}
