package mcphttp

import (
	"context"
	"net/http"
	"net/url"
	"sync"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// SSEServer serves HTTP+SSE, the transport of 2024-11-05, on one path: GET opens the
// event stream, and POST to the endpoint that it names takes the messages. The
// handler gets a Link for each stream, on which all is Exchange 0. Of the options it
// uses those on callers, Limit, Sessions and NewSessionID.
//
// https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
type SSEServer struct {
	life *lifetime
	opts ServerOptions

	mu    sync.Mutex
	links map[string]*sseLink
}

// sseLink is the Link of one event stream.
type sseLink struct {
	inbox  *transport.Queue
	stream *stream
}

// Receive implements transport.Link.
func (l *sseLink) Receive(ctx context.Context) (transport.Incoming, error) { return l.inbox.Get(ctx) }

// Send implements transport.Link.
func (l *sseLink) Send(_ context.Context, a transport.Answer) error { return l.stream.send(a.Raw, 0) }

// NewSSEServer returns a server whose clients the handler serves. Close ends it.
func NewSSEServer(h transport.Handler, opts ServerOptions) *SSEServer {
	return &SSEServer{life: newLifetime(h), opts: opts.withDefaults(), links: map[string]*sseLink{}}
}

// Close ends every stream, and waits for the handlers to return. Later requests get
// 503.
func (s *SSEServer) Close() { s.life.close() }

// ServeHTTP implements http.Handler.
func (s *SSEServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := s.opts.checkCaller(r); err != nil {
		refuse(w, err)
		return
	}
	switch r.Method {
	case http.MethodGet:
		s.open(w, r)
	case http.MethodPost:
		s.post(w, r)
	default:
		w.Header().Set("Allow", "GET, POST")
		refuse(w, fault(http.StatusMethodNotAllowed, codeInvalidRequest, "method %s is not offered here", r.Method))
	}
}

// open begins a stream, and serves it until the client or the handler ends it.
func (s *SSEServer) open(w http.ResponseWriter, r *http.Request) {
	if !accepts(r.Header, typeSSE) {
		refuse(w, fault(http.StatusNotAcceptable, codeInvalidRequest, "header Accept must admit %s", typeSSE))
		return
	}
	c := newClient(w)
	link := &sseLink{inbox: transport.NewQueue(), stream: &stream{endless: true, typeName: "message", out: c}}
	id, err := s.add(link)
	if err != nil {
		refuse(w, err)
		return
	}
	defer s.remove(id)
	endpoint := wire.OutEvent{Type: "endpoint", Data: []byte(endpointFor(r, id))}
	if c.writeEvents(wire.AppendEvent(nil, endpoint)) != nil {
		return // the client is gone
	}
	if s.life.run(r.Context(), link, link.stream.abort) {
		c.wait(r)
	}
	link.stream.detach(c)
	link.inbox.Close(nil)
}

// endpointFor names this very path, as the client sees it.
func endpointFor(r *http.Request, id string) string {
	path := r.URL.EscapedPath()
	if u, err := url.ParseRequestURI(r.RequestURI); err == nil {
		path = u.EscapedPath() // also below http.StripPrefix
	}
	return path + "?" + url.Values{sessionQuery: {id}}.Encode()
}

// sessionQuery is the member of the endpoint's query that names the stream.
const sessionQuery = "sessionId"

// add gives the link its name.
func (s *SSEServer) add(link *sseLink) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life.isOver() {
		return "", closing(wire.ID{})
	}
	if len(s.links) >= s.opts.Sessions {
		return "", fault(http.StatusServiceUnavailable, codeInternal, "there are too many sessions; try later")
	}
	id := s.opts.NewSessionID()
	s.links[id] = link
	return id, nil
}

func (s *SSEServer) remove(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.links, id)
}

// post takes one message for the stream that the query names.
func (s *SSEServer) post(w http.ResponseWriter, r *http.Request) {
	if kind := transport.MediaType(r.Header); kind != typeJSON {
		refuse(w, fault(http.StatusUnsupportedMediaType, codeInvalidRequest, "content type %q is not taken; send %s", kind, typeJSON))
		return
	}
	link, err := s.lookUp(r.URL.Query().Get(sessionQuery))
	if err != nil {
		refuse(w, err)
		return
	}
	msg, err := s.opts.readBody(w, r)
	if err == nil && msg.Kind == wire.KindBatch {
		err = fault(http.StatusBadRequest, codeInvalidRequest, "a batch is not taken in this revision").to(wire.NullID)
	}
	if err != nil {
		refuse(w, err)
		return
	}
	if err := link.take(msg); err != nil {
		refuse(w, err)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

func (l *sseLink) take(msg wire.Message) error {
	if !l.stream.owe(requestIDs(msg)) {
		return noSession(msg.ID)
	}
	l.inbox.Put(transport.Incoming{Message: msg})
	return nil
}

func (s *SSEServer) lookUp(id string) (*sseLink, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if link := s.links[id]; link != nil {
		return link, nil
	}
	if id == "" {
		return nil, fault(http.StatusBadRequest, codeInvalidRequest, "the query has no %s; use the URL of the endpoint event", sessionQuery)
	}
	return nil, noSession(wire.ID{})
}
