package mcpserve

import (
	"context"
	"net/http"
	"strings"

	"github.com/peerwright/peerwright/internal/wire"
)

// holder is the HTTP exchange that a stream of events goes out on at present.
type holder struct {
	release context.CancelFunc
	done    chan struct{}
}

// exchange runs one HTTP exchange with the SDK, and keeps note of the stream that
// it carries.
func (f *front) exchange(s *session, out *answerWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	h := &holder{cancel, make(chan struct{})}
	stream := ""
	out.seen = func(event string) { stream = streamOf(event); s.hold(event, h) }
	f.legacy.ServeHTTP(out, r.WithContext(ctx))
	cancel()
	close(h.done)
	s.letGo(stream, h)
}

// streamOf is the stream that an event belongs to: the SDK writes it before the
// underscore, and nothing for the stream of no request.
func streamOf(event string) string {
	stream, _, _ := strings.Cut(event, "_")
	return stream
}

func (s *session) hold(event string, h *holder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holders[streamOf(event)] = h
	if streamOf(event) == "" {
		s.last = event
	}
}

func (s *session) letGo(stream string, h *holder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holders[stream] == h {
		delete(s.holders, stream)
	}
}

// takeOver ends the exchange that carries the stream: the client resumes it, so
// it has lost that one, whether or not this end has heard of it.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
func (s *session) takeOver(stream string) {
	s.mu.Lock()
	h := s.holders[stream]
	s.mu.Unlock()
	if h != nil {
		h.release()
		<-h.done
	}
}

// listen serves a GET: it resumes the stream that Last-Event-ID is of, or opens
// the one that belongs to no request. The SDK has one of the latter for a session,
// and starts it over with all that it ever said: here it goes on after what was
// said, and a second GET waits on an open stream for its turn.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#multiple-connections
func (f *front) listen(w http.ResponseWriter, r *http.Request, s *session) {
	out := newAnswerWriter(w, mender{s.revision, &s.calls, true, f.judge.cursors}, wire.ID{})
	defer out.close()
	from := r.Header.Get(headerEvent)
	r = rewritten(r, s.revision, nil)
	if from != "" {
		s.takeOver(streamOf(from))
	}
	if from != "" && streamOf(from) != "" {
		f.exchange(s, out, r)
		return
	}
	if !s.turn(r.Context(), out) {
		return
	}
	defer func() { s.standing <- struct{}{} }()
	if last := s.lastEvent(); last != "" && from == "" {
		r.Header.Set(headerEvent, last)
	}
	f.exchange(s, out, r)
}

// turn waits for the right to the standing stream, on an open response.
func (s *session) turn(ctx context.Context, out *answerWriter) bool {
	select {
	case <-s.standing:
		return true
	default:
	}
	out.stream()
	select {
	case <-s.standing:
		return true
	case <-s.ended:
	case <-ctx.Done():
	}
	return false
}

func (s *session) lastEvent() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}
