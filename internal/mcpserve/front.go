package mcpserve

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/peerwright/peerwright/internal/wire"
)

// The HTTP headers of MCP, in the form that http.Header keeps them.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerSession = "Mcp-Session-Id"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	headerParam   = "Mcp-Param-"
	headerEvent   = "Last-Event-ID"
)

// front stands before the two HTTP handlers of the SDK.
type front struct {
	judge          judge
	check          func(r *http.Request) error
	caller         func(r *http.Request) string
	params         []string // the headers of arguments, whole
	legacy, modern http.Handler
	old            *oldHTTP

	mu       sync.Mutex
	sessions map[string]*session
}

func newFront(s *Server, c Config) *front {
	f := &front{judge: s.judge, check: c.Check, caller: c.Caller, sessions: map[string]*session{}}
	for _, name := range c.ParamHeaders {
		f.params = append(f.params, headerParam+name)
	}
	f.legacy = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.legacy },
		&mcp.StreamableHTTPOptions{
			MaxRequestBodyBytes: limit, SessionTimeout: sessionIdle,
			EventStore: watchedStore{mcp.NewMemoryEventStore(nil), f},
		})
	f.modern = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.modern },
		&mcp.StreamableHTTPOptions{MaxRequestBodyBytes: limit, Stateless: true, PropagateRequestCancellation: true})
	return f
}

// ServeHTTP judges what concerns the HTTP request as a whole, and hands it to its
// era.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	version := r.Header.Get(headerVersion)
	inSession := isLegacy(version) && r.Header.Get(headerSession) != ""
	named := f.judge.modernOnly || version >= revModern || (r.Header.Get(headerMethod) != "" && !inSession)
	if err := f.check(r); err != nil {
		refuse(w, http.StatusForbidden, faultf(codeInvalidRequest, "forbidden: %v", err), wire.ID{}, version)
		return
	}
	if strings.HasSuffix(r.URL.Path, pathSSE) || strings.HasSuffix(r.URL.Path, pathMessage) {
		f.old.ServeHTTP(w, r)
		return
	}
	if r.Method != http.MethodPost {
		f.serveOther(w, r, named)
		return
	}
	if status, flt := checkMedia(r); flt != nil {
		refuse(w, status, flt, wire.ID{}, version)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, faultf(codeInvalidRequest, "reading the request: %v", err), wire.ID{}, version)
		return
	}
	m := wire.Parse(body)
	if named || isModern(m) {
		f.servePostModern(w, r, m)
		return
	}
	f.servePostLegacy(w, r, m)
}

// serveOther serves GET and DELETE, which only the legacy revisions have, and
// only within a session.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#earlier-streamable-http-revisions
func (f *front) serveOther(w http.ResponseWriter, r *http.Request, modern bool) {
	method := r.Method
	if modern || (method != http.MethodGet && method != http.MethodDelete) || r.Header.Get(headerSession) == "" {
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, http.StatusMethodNotAllowed, faultf(codeInvalidRequest, "%s is not for a client without a session", method), wire.ID{}, rev2025c)
		return
	}
	s, ok := f.session(w, r)
	if !ok {
		return
	}
	if method == http.MethodDelete {
		f.endSession(w, r, s)
		return
	}
	if !accepts(r, "text/event-stream") {
		refuse(w, http.StatusNotAcceptable, faultf(codeInvalidRequest, "Accept must list text/event-stream"), wire.ID{}, s.revision)
		return
	}
	f.listen(w, r, s)
}

var errOrigin = errors.New("this origin may not call a local server")

// checkOrigin lets through clients that are no browsers, and pages of this machine.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
func checkOrigin(r *http.Request) error {
	origin := r.Header.Values("Origin")
	if len(origin) == 0 {
		return nil
	}
	u, err := url.Parse(origin[0])
	if err != nil || len(origin) > 1 || u.Scheme == "" {
		return errOrigin
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() == "localhost" || (ip != nil && ip.IsLoopback()) {
		return nil
	}
	return errOrigin
}

// refuse answers an HTTP request with an error.
func refuse(w http.ResponseWriter, status int, flt *fault, id wire.ID, revision string) {
	answer(w, status, flt.encode(id, revision))
}

func answer(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) //nolint:gosec // JSON, never shown as a page; a client that left does not read it
}
