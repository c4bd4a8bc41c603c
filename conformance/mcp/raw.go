package mcp

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/peerwright/peerwright/internal/rpc"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// How long a server on a stream may lag behind the answer to a later good request
// before it is held to have said nothing: a few times what it took for that one, within
// bounds; longer where the request asks for more than the good one does.
const (
	settleLeast = 60 * time.Millisecond
	settle      = 250 * time.Millisecond
	settleTimes = 5
	unhurried   = 3 * time.Second
)

// Answer is what came back for raw bytes.
type Answer struct {
	// Message is the response, of KindInvalid with no Raw when there was none.
	Message  wire.Message
	Delivery transport.Delivery
	// Err says how the exchange ended when it ended out of order: an HTTP status that
	// is no success, a broken stream, a dead process.
	Err error
}

// Silent tells whether nothing at all came back, and nothing broke.
func (a Answer) Silent() bool { return a.Message.Raw == nil && a.Err == nil }

// Code returns the error code of the answer, 0 when it holds none.
func (a Answer) Code() int64 {
	if a.Message.Error == nil {
		return 0
	}
	return a.Message.Error.Code
}

// Refused tells whether the server said no: by a JSON-RPC error or an HTTP status
// from 400 to 499.
func (a Answer) Refused() bool {
	return a.Message.Error != nil || a.Delivery.Status >= 400 && a.Delivery.Status < 500
}

// Raw sends bytes as they are and returns what answers them: a response with the
// given id, with a null id, or with none. header replaces HTTP headers.
//
// On a stream there is no end of an exchange to wait for. The session then sends a
// good request behind the raw bytes; once that is answered, and nothing else came
// within a moment, the server is held to have said nothing.
func (s *Session) Raw(ctx context.Context, id wire.ID, raw []byte, header http.Header) Answer {
	s.conv.hostile = true
	return s.exchange(ctx, rpc.Request{ID: id, Raw: raw, Header: header}, func(in transport.Incoming) bool { return isAnswer(in, id) })
}

// exchange sends the request and returns what answers it; match tells which
// response does, besides one with the very id.
func (s *Session) exchange(ctx context.Context, r rpc.Request, match func(transport.Incoming) bool) Answer {
	if s.overHTTP() {
		return s.overPOST(ctx, r, match)
	}
	return s.overStream(ctx, r, match)
}

// overPOST does not wait for the end of a stream on which the answer came under
// another id: a server may hold it open for long.
func (s *Session) overPOST(ctx context.Context, r rpc.Request, match func(transport.Incoming) bool) Answer {
	from := s.conv.strayCount()
	d, wait, err := s.Start(ctx, r)
	if err != nil {
		return Answer{Delivery: d, Err: err}
	}
	mine := func(in transport.Incoming) bool { return in.Exchange == d.Exchange && match(in) }
	ctx, enough := context.WithCancel(ctx)
	defer enough()
	go func() {
		s.conv.await(ctx, from, mine)
		enough()
	}()
	reply, err := wait(ctx)
	a := Answer{Message: reply.Message, Delivery: d, Err: err}
	if errors.Is(err, rpc.ErrNoAnswer) {
		a.Err = nil
	}
	if a.Message.Raw != nil {
		return a
	}
	for _, in := range s.conv.straySince(from) {
		if mine(in) {
			return Answer{Message: in.Message, Delivery: d}
		}
	}
	return a
}

func (s *Session) overStream(ctx context.Context, r rpc.Request, match func(transport.Incoming) bool) Answer {
	from := s.conv.strayCount()
	if _, err := s.Send(ctx, transport.Outgoing{Raw: r.Raw}); err != nil {
		return Answer{Err: err}
	}
	sent := s.target.config.Now()
	if _, err := s.Request(ctx, s.harmless(), nil); err != nil {
		return Answer{Err: err}
	}
	wait, cancel := context.WithTimeout(ctx, s.lag(r.Raw, s.target.config.Now().Sub(sent)))
	defer cancel()
	in, _ := s.conv.await(wait, from, match)
	return Answer{Message: in.Message, Err: in.Err}
}

// lag is how long the answer to the bytes is waited for, when the harmless request
// behind them took so long.
func (s *Session) lag(raw []byte, took time.Duration) time.Duration {
	if m := wire.Parse(raw); m.Kind == wire.KindRequest && m.Method != s.harmless() {
		return unhurried
	}
	return min(max(settleTimes*took, settleLeast), settle)
}

// isAnswer takes a response under the id asked for, or under none, which is what a
// server may do that could not read the id.
func isAnswer(in transport.Incoming, id wire.ID) bool {
	return in.IsResponse() && (in.ID.Equal(id) || in.ID.IsZero() || in.ID == wire.NullID)
}

// harmless names a request that every server of the revision answers.
func (s *Session) harmless() string {
	if s.Modern() {
		return "server/discover"
	}
	return "ping"
}

// overHTTP tells whether each message is an HTTP exchange of its own.
func (s *Session) overHTTP() bool { return s.target.config.Transport == "http" && !s.target.overSSE }
