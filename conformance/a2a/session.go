package a2a

import (
	"context"
	"errors"
	"net/http"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// Session is a case's hand on an agent.
type Session struct {
	Found   a2ahttp.Found // how the card was found
	dialect dialect

	target   *Target
	conv     *conversation
	own      bool         // the conversation is this session's alone
	from     int          // where this session's frames begin
	borrowed []wire.Frame // what travelled before, for facts that this case judges by
}

func newSession(t *Target, conv *conversation, own bool) *Session {
	return &Session{
		Found: t.shared.client.Found, dialect: dialectOf(conv.client.Interface),
		target: t, conv: conv, own: own, from: conv.transcript.Len(),
	}
}

// on makes the Run of a case from a function on a Session.
func on(run func(ctx context.Context, c *conformance.Check, s *Session)) func(context.Context, *conformance.Check, conformance.Peer) {
	return func(ctx context.Context, c *conformance.Check, p conformance.Peer) {
		s, ok := p.(*Session)
		if !ok {
			c.Broken("an A2A case was given a %T", p)
		}
		run(ctx, c, s)
	}
}

// Frames returns what the case judges by: what travelled for others before and was
// used again, and what travelled since the session began.
func (s *Session) Frames() []wire.Frame {
	var frames []wire.Frame
	for _, f := range s.borrowed {
		if s.own || f.Seq <= s.from { // else it is among the session's own
			frames = append(frames, f)
		}
	}
	return append(frames, s.conv.transcript.Frames(s.from)...)
}

// Release ends the session's own conversation. The shared one goes on: a failure
// leaves nothing behind in it.
func (s *Session) Release(context.Context, bool) {
	if s.own {
		s.conv.client.Close()
	}
}

// Call makes a good call and returns the answer, and the agent's error if that is
// what it answered. It ends the case when there is no answer, or when the agent
// wants credentials first.
func (s *Session) Call(ctx context.Context, c *conformance.Check, op a2ahttp.Op, params object) (a2ahttp.Reply, *a2ahttp.Fault) {
	return s.Send(ctx, c, a2ahttp.Request{Op: op, Params: encoded(params)})
}

// Send is Call with an id and headers of the case's choosing.
func (s *Session) Send(ctx context.Context, c *conformance.Check, r a2ahttp.Request) (a2ahttp.Reply, *a2ahttp.Fault) {
	reply, err := s.conv.client.Send(ctx, r)
	return reply, s.fault(c, err, string(r.Op))
}

// Must is Call for what has to succeed.
func (s *Session) Must(ctx context.Context, c *conformance.Check, op a2ahttp.Op, params object) a2ahttp.Reply {
	reply, fault := s.Call(ctx, c, op, params)
	c.That(fault == nil, "a result of "+string(op), "%v", fault)
	return reply
}

// Post sends bytes of any kind to a JSON-RPC agent.
func (s *Session) Post(ctx context.Context, c *conformance.Check, body string, header http.Header) (a2ahttp.Reply, *a2ahttp.Fault) {
	reply, err := s.conv.client.Post(ctx, []byte(body), header)
	return reply, s.fault(c, err, "the request "+clip(body))
}

// Note puts a call that may cost the agent something into the books.
func (s *Session) Note(op a2ahttp.Op, why string) { s.target.ledger.note(op, why) }

// fault takes the agent's error out of an error, and ends the case on any other.
func (s *Session) fault(c *conformance.Check, err error, to string) *a2ahttp.Fault {
	var fault *a2ahttp.Fault
	if errors.As(err, &fault) {
		switch {
		case wantsCredentials(fault):
			c.NotVerified("the agent wants credentials for %s: %v", to, fault)
		case turnedAway(fault):
			away(c, fault, to)
		}
		return fault
	}
	c.Answered(err, to)
	return nil
}

// wantsCredentials tells whether a request was turned away for who sent it. JSON-RPC
// has no code for that; -31401 and -31403 are what a widespread implementation uses.
func wantsCredentials(f *a2ahttp.Fault) bool {
	return f.HTTPStatus == http.StatusUnauthorized || f.HTTPStatus == http.StatusForbidden ||
		f.Code == -31401 || f.Code == -31403
}

// turnedAway tells whether a request was not even looked at, because there are too
// many or the agent is away: its own errors have a code.
func turnedAway(f *a2ahttp.Fault) bool {
	switch f.HTTPStatus {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return f.Code == 0
	}
	return false
}

func away(c *conformance.Check, f *a2ahttp.Fault, to string) {
	c.Broken("the agent, or what stands before it, could not take %s now; try again later: %v", to, f)
}

// borrow adds what travelled for a fact to the frames of this case.
func (s *Session) borrow(frames []wire.Frame) { s.borrowed = append(s.borrowed, frames...) }
