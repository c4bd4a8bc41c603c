package openai

import (
	"context"
	"errors"
	"net/http"

	"github.com/peerwright/peerwright/internal/errclass"
)

// errClosing ends the requests that are still under way when the server stops.
var errClosing = errors.New("the bridge is shutting down")

// chat answers POST /v1/chat/completions.
func (s *Server) chat(x *exchange, r *http.Request) {
	body, err := s.readBody(x, r)
	var req *Request
	if err == nil {
		req, err = parse(body)
	}
	var backend Backend
	if err == nil {
		x.model = req.Model
		backend, err = s.backend(r.Context(), req.Model)
	}
	t := s.opts.Trace.begin(body)
	if err != nil {
		WriteError(x, s.now(), err)
		t.failed(Envelope(err))
		return
	}
	id := IdentityOf(r.Context())
	req.Header, req.Caller, req.Upstream = r.Header, id.Caller, id.Upstream
	req.ID, req.Trace = x.id, t.calls()
	s.answer(x, r, req, backend, t)
}

// backend returns the first that serves the model.
func (s *Server) backend(ctx context.Context, model string) (Backend, error) {
	for _, b := range s.opts.Backends {
		if b.Serves(ctx, model) {
			return b, nil
		}
	}
	if model == "" {
		return nil, malformed("model", "is missing. GET /v1/models lists those that are served.").refused()
	}
	return nil, noModel(model)
}

// answer lets the backend answer, and ends the answer as that did.
func (s *Server) answer(x *exchange, r *http.Request, req *Request, b Backend, t *traced) {
	reply, end := s.reply(x, r, req, t)
	err := run(r.Context(), b, req, reply)
	if err == nil && !reply.ended {
		err = reply.Finish(FinishStop, Usage{})
	}
	end(s.judge(r.Context(), x, reply, err))
}

// run calls the backend, whose panic costs no more than its request.
func run(ctx context.Context, b Backend, req *Request, reply *Reply) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(p)
		}
	}()
	return b.Chat(ctx, req, reply)
}

// judge returns what the client is to be told of err: nil where the answer is whole, or
// nobody is there any more.
func (s *Server) judge(ctx context.Context, x *exchange, reply *Reply, err error) (tell error) {
	switch {
	case err == nil:
	case reply.ended: // too late for the client, not for the log
		x.err = err
	case errors.Is(context.Cause(ctx), errClosing):
		tell = closing(err)
	case ctx.Err() != nil:
		x.class, x.status = errclass.Timeout, statusGone
	default:
		tell = err
	}
	return tell
}

// closing is what is told of a request that the end of the server cut short.
func closing(err error) error {
	message := "The bridge is shutting down. The call may have been executed."
	e := errclass.New(errclass.Transient, errclass.Bridge, errclass.Unknown, message, errclass.Call{})
	if known, ok := errors.AsType[errclass.Error](err); ok {
		e.Retryable, e.SuggestedBackoff = known.Retryable, known.SuggestedBackoff
		e.Context.Outcome = known.Context.Outcome
	}
	return e
}

// reply returns where the answer to a request goes, and what is to be called when the
// backend is done, with the failure that the client is to be told of, nil for none.
func (s *Server) reply(x *exchange, r *http.Request, req *Request, t *traced) (*Reply, func(failed error)) {
	reply := &Reply{
		ctx: r.Context(), header: &Header{},
		head: head{id: "chatcmpl-" + s.random(12), created: s.now().Unix(), model: req.Model},
	}
	whole := &document{w: x, extra: reply.header, head: reply.head}
	if !req.Stream {
		reply.sink = whole
		return reply, func(failed error) {
			s.fail(x, reply, failed)
			t.ended(whole, failed)
		}
	}
	live := &stream{
		w: x, flush: x.control.Flush, extra: reply.header, head: reply.head,
		silence: max(s.opts.KeepAlive, 0), usage: req.IncludeUsage,
	}
	reply.sink = live
	if whole.w = nil; t != nil {
		reply.copy = whole
	}
	s.metrics.stream(+1)
	live.start()
	return reply, func(failed error) {
		s.failStream(x, reply, live, failed)
		s.metrics.stream(-1)
		t.ended(whole, failed)
	}
}

// fail answers with the status of a failure.
func (s *Server) fail(x *exchange, reply *Reply, failed error) {
	if failed != nil {
		reply.header.copyTo(x.Header())
		WriteError(x, s.now(), failed)
	}
}

// failStream ends the stream, and tells of a failure in it where it has begun.
func (s *Server) failStream(x *exchange, reply *Reply, live *stream, failed error) {
	begun := live.stop()
	switch {
	case failed == nil:
	case begun:
		x.note(asFailure(failed), failed)
		_ = live.fail(Envelope(failed)) // who is gone cannot be told
	default:
		s.fail(x, reply, failed)
	}
}
