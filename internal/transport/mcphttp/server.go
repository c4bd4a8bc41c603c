package mcphttp

import (
	"crypto/rand"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// ServerOptions say how a server treats its clients. The zero value serves every
// revision to clients on this machine.
type ServerOptions struct {
	// Revisions are those that the handler speaks; nil means all. A legacy one brings
	// sessions, GET and DELETE; without one there is POST only.
	Revisions []string
	// Origins and Hosts are allowed besides those of loopback: an origin as a browser
	// writes it ("https://example.com"), a host without its port; "*" allows all.
	Origins, Hosts []string
	// Limit is the size in bytes that the body of a POST may have; 0 means
	// wire.DefaultLimit.
	Limit int
	// Replay is how many events of a stream are kept for a client that resumes it;
	// 0 means 256.
	Replay int
	// Idle is how long a session lives on without any request; 0 means 30 minutes.
	Idle time.Duration
	// Sessions is how many sessions there may be at once; 0 means 10,000.
	Sessions int
	// NewSessionID returns an id that cannot be guessed, of visible ASCII; nil means
	// one from crypto/rand.
	NewSessionID func() string
	// ToolParams returns the arguments of a tool that travel as headers, so that they
	// can be checked; nil checks none.
	ToolParams func(tool string) []ParamHeader
}

const (
	defaultReplay   = 256
	defaultIdle     = 30 * time.Minute
	defaultSessions = 10_000
)

func (o ServerOptions) withDefaults() ServerOptions {
	if o.Revisions == nil {
		o.Revisions = []string{"2025-03-26", "2025-06-18", "2025-11-25", firstModern}
	}
	if o.Limit <= 0 {
		o.Limit = wire.DefaultLimit
	}
	if o.Replay <= 0 {
		o.Replay = defaultReplay
	}
	if o.Idle <= 0 {
		o.Idle = defaultIdle
	}
	if o.Sessions <= 0 {
		o.Sessions = defaultSessions
	}
	if o.NewSessionID == nil {
		o.NewSessionID = rand.Text
	}
	return o
}

func (o ServerOptions) speaksModern() bool { return slices.ContainsFunc(o.Revisions, isModern) }

func (o ServerOptions) speaksLegacy() bool {
	return slices.ContainsFunc(o.Revisions, func(r string) bool { return !isModern(r) })
}

// Server is the MCP endpoint of a Streamable HTTP server, for any path it is
// mounted at. The handler gets a Link for each session of a legacy client, and one
// for each POST of a client of 2026-07-28. Every request gets an answer: one that
// the handler returned without is answered with the error -32603.
//
//   - https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
//   - https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
type Server struct {
	life *lifetime
	opts ServerOptions

	mu       sync.Mutex
	sessions map[string]*session
}

// NewServer returns a server whose clients the handler serves. Close ends it.
func NewServer(h transport.Handler, opts ServerOptions) *Server {
	return &Server{life: newLifetime(h), opts: opts.withDefaults(), sessions: map[string]*session{}}
}

// Close ends every session and every request that is still open, and waits for the
// handlers to return. Later requests get 503.
func (s *Server) Close() { s.life.close() }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := s.opts.checkCaller(r); err != nil {
		refuse(w, err)
		return
	}
	legacy := s.opts.speaksLegacy() && !isModern(r.Header.Get(headerVersion))
	switch {
	case r.Method == http.MethodPost:
		s.post(w, r)
	case r.Method == http.MethodGet && legacy:
		s.listen(w, r)
	case r.Method == http.MethodDelete && legacy:
		s.end(w, r)
	default:
		w.Header().Set("Allow", s.allowed(legacy))
		refuse(w, fault(http.StatusMethodNotAllowed, codeInvalidRequest, "method %s is not offered here", r.Method))
	}
}

func (s *Server) allowed(legacy bool) string {
	if legacy {
		return "POST, GET, DELETE"
	}
	return "POST"
}

// post takes one message, and finds out which era it is of.
func (s *Server) post(w http.ResponseWriter, r *http.Request) {
	msg, err := s.opts.readMessage(w, r)
	if err != nil {
		refuse(w, err)
		return
	}
	header, body := r.Header.Get(headerVersion), bodyVersion(msg)
	switch modern := body != "" || isModern(header); {
	case modern && s.opts.speaksModern():
		s.postModern(w, r, msg, body)
	case !s.opts.speaksLegacy():
		refuse(w, s.opts.notModern(msg, header))
	case header != "" && !slices.Contains(s.opts.Revisions, header):
		refuse(w, s.opts.unknownVersion(msg.ID, header))
	default:
		s.postLegacy(w, r, msg)
	}
}
