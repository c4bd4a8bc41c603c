package mcppeer

import (
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
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
type Server struct {
	opts   Options
	judge  judge
	legacy *mcp.Server // serves what opened with initialize
	modern *mcp.Server // serves requests that carry their revision in _meta
	front  *front
}

// New builds a server. It starts nothing: Handler and ServeStdio serve.
func New(o Options) *Server {
	o = o.withDefaults()
	s := &Server{opts: o, judge: judge{o.ModernOnly, o.ToolsOnly}, legacy: newSDK(o, legacyEra), modern: newSDK(o, modernEra)}
	s.front = newFront(s)
	s.front.old = &oldHTTP{server: s, desks: map[string]*oldDesk{}}
	return s
}

// Handler serves Streamable HTTP on whatever path it is mounted on, but for paths
// that end in /sse: there it serves HTTP+SSE, the transport of 2024-11-05. Sessions
// belong to the Server, not to the handler.
//
// https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
func (s *Server) Handler() http.Handler { return s.front }

// limit is the size in bytes that one message may have, on either transport.
const limit = 64 << 20
