package mcpserve

import (
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/peerwright/peerwright/internal/wire"
)

// The two endpoints of HTTP+SSE: the stream of the server, and where the client
// posts to.
const (
	pathSSE     = "/sse"
	pathMessage = pathSSE + "/message"
)

// oldHTTP serves HTTP+SSE.
//
// https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
type oldHTTP struct {
	server *Server
	caller func(r *http.Request) string

	mu    sync.Mutex
	desks map[string]*oldDesk // by the name of the conversation
}

// oldDesk is one conversation. What the client posts is taken message by message.
type oldDesk struct {
	*desk
	owner string // who opened it, and alone may post to it
	mu    sync.Mutex
}

// ServeHTTP implements http.Handler.
func (o *oldHTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("conversation")
	switch {
	case r.Method == http.MethodGet && name == "" && !o.server.judge.modernOnly:
		o.stream(w, r)
	case r.Method == http.MethodPost && name != "":
		o.post(w, r, name)
	default:
		w.Header().Set("Allow", http.MethodGet)
		refuse(w, http.StatusMethodNotAllowed, faultf(codeInvalidRequest, "open the stream with GET, and post to the endpoint that it names"), wire.ID{}, rev2024)
	}
}

// stream opens a conversation. It names the endpoint first, as it must.
func (o *oldHTTP) stream(w http.ResponseWriter, r *http.Request) {
	name, out := rand.Text(), &eventWriter{w: w}
	d := &oldDesk{
		desk:  newDesk(r.Context(), o.server, o.server.judge, func(raw []byte) { out.write("message", raw) }),
		owner: o.caller(r),
	}
	defer d.close()
	o.mu.Lock()
	o.desks[name] = d
	o.mu.Unlock()
	defer func() {
		o.mu.Lock()
		delete(o.desks, name)
		o.mu.Unlock()
		out.close()
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	out.write("endpoint", fmt.Appendf(nil, "%s/message?conversation=%s", r.URL.Path, name))
	<-r.Context().Done()
}

// post takes what a client says. The answer goes out on its stream.
func (o *oldHTTP) post(w http.ResponseWriter, r *http.Request, name string) {
	o.mu.Lock()
	d, ok := o.desks[name]
	o.mu.Unlock()
	if !ok || d.owner != o.caller(r) {
		refuse(w, http.StatusNotFound, faultf(codeInvalidRequest, "there is no such conversation: open one with GET"), wire.ID{}, rev2024)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, faultf(codeInvalidRequest, "reading the request: %v", err), wire.ID{}, rev2024)
		return
	}
	w.WriteHeader(http.StatusAccepted)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.take(wire.Parse(body))
}

// eventWriter writes events, until it is closed.
type eventWriter struct {
	mu     sync.Mutex
	w      http.ResponseWriter
	closed bool
}

func (e *eventWriter) write(name string, data []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	_, _ = fmt.Fprintf(e.w, "event: %s\ndata: %s\n\n", name, data) //nolint:gosec // JSON, never shown as a page; a client that left ends the request
	_ = http.NewResponseController(e.w).Flush()
}

func (e *eventWriter) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
}
