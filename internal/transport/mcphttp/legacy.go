package mcphttp

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/peerwright/peerwright/internal/wire"
)

// Why a session ended, as the context of its handler says.
var (
	errIdle    = errors.New("the session was idle for too long")
	errRefused = errors.New("initialize was refused")
	errDeleted = errors.New("the client ended the session")
)

// postLegacy takes one message of a client of 2025-03-26 to 2025-11-25.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
func (s *Server) postLegacy(w http.ResponseWriter, r *http.Request, msg wire.Message) {
	in, err := s.sessionFor(r, msg)
	if err != nil {
		refuse(w, err)
		return
	}
	defer in.leave()
	if msg.Kind == wire.KindBatch && !in.batches() {
		refuse(w, fault(http.StatusBadRequest, codeInvalidRequest, "a batch is not taken in this revision").to(wire.NullID))
		return
	}
	c := newClient(w)
	if opensSession(msg) {
		w.Header().Set(headerSession, in.id)
	}
	answer, ok := in.take(msg, c)
	switch {
	case !ok:
		refuse(w, noSession(msg.ID))
	case answer == nil:
		w.WriteHeader(http.StatusAccepted)
	default:
		c.wait(r)
		answer.detach(c)
	}
}

// sessionFor returns the session that the request is of, entered, or a new one.
func (s *Server) sessionFor(r *http.Request, msg wire.Message) (*session, error) {
	if r.Header.Get(headerSession) == "" && opensSession(msg) {
		return s.newSession(msg)
	}
	return s.lookUp(r, msg.ID)
}

// lookUp returns the session that the request names, entered.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
func (s *Server) lookUp(r *http.Request, request wire.ID) (*session, error) {
	id := r.Header.Get(headerSession)
	if id == "" {
		return nil, fault(http.StatusBadRequest, codeInvalidRequest, "header %s is missing; initialize first", headerSession).to(request)
	}
	s.mu.Lock()
	in := s.sessions[id]
	s.mu.Unlock()
	if in == nil || !in.enter() {
		return nil, noSession(request)
	}
	return in, nil
}

func noSession(request wire.ID) *refusal {
	return fault(http.StatusNotFound, codeInvalidRequest, "there is no such session; initialize anew").to(request)
}

func (s *Server) newSession(msg wire.Message) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sessions) >= s.opts.Sessions {
		return nil, fault(http.StatusServiceUnavailable, codeInternal, "there are too many sessions; try later").to(msg.ID)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	in := newSession(s.opts.NewSessionID(), s.opts, cancel)
	stop := context.AfterFunc(ctx, func() { in.inbox.Close(context.Cause(ctx)) })
	started := s.life.run(ctx, in, func(reason string) {
		defer stop()
		s.forget(in)
		in.finish(reason)
		cancel(nil)
	})
	if !started {
		cancel(nil)
		return nil, closing(msg.ID)
	}
	s.sessions[in.id] = in
	return in, nil
}

func (s *Server) forget(in *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, in.id)
}

// listen opens the stream on which the server speaks unasked, or resumes a broken
// one.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
func (s *Server) listen(w http.ResponseWriter, r *http.Request) {
	in, err := s.checkListen(r)
	if err != nil {
		refuse(w, err)
		return
	}
	defer in.leave()
	c := newClient(w)
	switch err := in.attach(c, r.Header.Get(headerLastEvent)); {
	case errors.Is(err, errTaken):
		refuse(w, fault(http.StatusConflict, codeInvalidRequest, "%v", err))
	case errors.Is(err, errGap):
		refuse(w, fault(http.StatusBadRequest, codeInvalidRequest, "%v", err))
	case err != nil:
		refuse(w, err)
	default:
		c.wait(r)
		c.detach()
	}
}

func (s *Server) checkListen(r *http.Request) (*session, error) {
	if !accepts(r.Header, typeSSE) {
		return nil, fault(http.StatusNotAcceptable, codeInvalidRequest, "header Accept must admit %s", typeSSE)
	}
	if v := r.Header.Get(headerVersion); v != "" && !slices.Contains(s.opts.Revisions, v) {
		return nil, s.opts.unknownVersion(wire.ID{}, v)
	}
	return s.lookUp(r, wire.ID{})
}

// end takes the client's word that it needs the session no more.
func (s *Server) end(w http.ResponseWriter, r *http.Request) {
	in, err := s.lookUp(r, wire.ID{})
	if err != nil {
		refuse(w, err)
		return
	}
	s.forget(in)
	in.cancel(errDeleted)
	in.leave()
	w.WriteHeader(http.StatusNoContent)
}
