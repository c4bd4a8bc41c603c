package upstream

import (
	"context"
	"errors"
	"net/http"

	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/rpc"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// notRunError wraps a failure before anything was handed to the server.
type notRunError struct{ error }

func (e *notRunError) Unwrap() error { return e.error }

// exchange sends the request over the conversation and waits for its answer. Where the
// server says that it does not know the conversation, or that had ended before the
// request was sent, it was not run, and is sent once more over a new one.
func (s *slot) exchange(ctx context.Context, r request) (rpc.Reply, error) {
	for first := true; ; first = false {
		l, err := s.acquire(ctx)
		if err != nil {
			return rpc.Reply{}, &notRunError{err}
		}
		id, reply, err := l.send(ctx, r)
		if first && ctx.Err() == nil && l.unknown(reply, err) {
			s.renew(l)
			s.release(l)
			continue
		}
		if err != nil && ctx.Err() != nil && !errors.Is(err, transport.ErrNotSent) {
			s.u.spawn(func() { l.abandon(id, reply.Delivery.Exchange) })
		}
		s.release(l)
		return reply, err
	}
}

// codeNoSession is what servers on the official TypeScript SDK answer, with status 400 and
// no id, to a session that they do not know: the specification asks for 404.
const codeNoSession = -32000

// unknown tells whether the request was refused, or not sent, because the server does
// not know the conversation any more.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
func (l *live) unknown(reply rpc.Reply, err error) bool {
	if l.client.Modern() {
		return reply.Error != nil && reply.Error.Code == mcp.CodeUnsupportedVersion || l.notSent(err)
	}
	var refused *mcphttp.StatusError
	switch {
	case errors.As(err, &refused):
	case reply.Error != nil && reply.Delivery.Status >= 400:
		refused = &mcphttp.StatusError{Status: reply.Delivery.Status}
	default:
		return l.notSent(err)
	}
	switch refused.Status {
	case http.StatusNotFound:
		return l.session
	case http.StatusBadRequest:
		m := wire.Parse(refused.Body)
		return l.session && m.Error != nil && m.Error.Code == codeNoSession && m.ID == wire.NullID
	}
	return false
}

func (l *live) notSent(err error) bool {
	return errors.Is(err, transport.ErrNotSent) && l.ended() != nil
}
