package mcpserve

import (
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Config says what is served and to whom. Legacy and Modern are required, but for
// Legacy where ModernOnly is set.
type Config struct {
	// Legacy serves what opened with initialize, Modern the requests that carry their
	// revision in _meta. They may be one server where nothing that they offer depends on
	// the revision.
	Legacy, Modern *mcp.Server
	// ModernOnly leaves the revisions out that open with initialize.
	ModernOnly bool
	// ToolsOnly says that the servers offer tools and nothing else.
	ToolsOnly bool
	// ParamHeaders are the x-mcp-header names of the tools' arguments: what follows
	// Mcp-Param- in the header.
	ParamHeaders []string
	// Secret signs the cursors of lists. Processes that serve one URL between them need the
	// same. Empty means one that is random and ends with the process, but over stdio.
	//
	// Over stdio a cursor must be good for the next process, and the only one who can send
	// it is who started the process. So without a Secret the signature there finds mistakes,
	// and is none that others could not make.
	Secret []byte
	// Caller says who sent a request, for a session belongs to the caller that opened it,
	// and does not exist for others. Nil means that all are one.
	Caller func(r *http.Request) string
	// Check judges who calls over HTTP, and its error is told to the caller with status
	// 403. Nil lets through programs that are no browsers, and pages of this machine.
	Check func(r *http.Request) error
}

// Server serves clients. Its methods may be called by several goroutines.
type Server struct {
	legacy, modern *mcp.Server
	judge          judge // of HTTP and of links
	stdio          judge
	front          *front
}

// New builds a server. It starts nothing: Handler, ServeStdio and ServeLink serve.
func New(c Config) *Server {
	if c.Check == nil {
		c.Check = checkOrigin
	}
	if c.Caller == nil {
		c.Caller = func(*http.Request) string { return "" }
	}
	s := &Server{
		legacy: c.Legacy, modern: c.Modern,
		judge: judge{c.ModernOnly, c.ToolsOnly, newCursors(orRandom(c.Secret))},
		stdio: judge{c.ModernOnly, c.ToolsOnly, newCursors(c.Secret)},
	}
	s.front = newFront(s, c)
	s.front.old = &oldHTTP{server: s, caller: c.Caller, desks: map[string]*oldDesk{}}
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

// limit is the size in bytes that one message may have, on any transport.
const limit = 64 << 20
