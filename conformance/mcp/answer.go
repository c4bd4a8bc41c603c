package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/rpc"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// String says what came back, in a few words.
func (a Answer) String() string {
	at := ""
	if a.Delivery.Status != 0 {
		at = fmt.Sprintf(" with HTTP status %d", a.Delivery.Status)
	}
	switch {
	case a.Message.Raw != nil:
		return describe(rpc.Reply{Message: a.Message}) + at
	case a.Delivery.Status != 0:
		return "no JSON-RPC response" + at
	case a.Err != nil:
		return clip(a.Err.Error(), 300)
	}
	return "no answer"
}

// turnedDown tells whether the server said no in whatever way: by an error, or by
// an HTTP status that is none of success.
func (a Answer) turnedDown() bool { return a.Message.Error != nil || a.Delivery.Status >= 400 }

// lost tells whether the conversation is over instead of answered.
func (a Answer) lost() bool { return a.Message.Raw == nil && errors.Is(a.Err, transport.ErrClosed) }

// Attempt sends a well-formed request that the server is to refuse, and returns
// what came back. It ends the case when nothing did.
func (s *Session) Attempt(ctx context.Context, c *conformance.Check, method string, params any) Answer {
	id := s.NextID()
	r := rpc.Request{ID: id, Raw: s.Compose(id, method, encode(c, params))}
	if !s.overHTTP() {
		reply, err := s.Call(ctx, r)
		c.Answered(err, method)
		return Answer{Message: reply.Message}
	}
	a := s.overPOST(ctx, r, func(in transport.Incoming) bool { return isAnswer(in, id) })
	if a.Message.Raw == nil && a.Delivery.Status < 400 {
		c.Answered(cmp.Or(a.Err, rpc.ErrNoAnswer), method)
	}
	return a
}

// whatever sends a good request and returns the response to it, under whatever id
// that comes.
func (s *Session) whatever(ctx context.Context, c *conformance.Check, id wire.ID, raw []byte) Answer {
	a := s.exchange(ctx, rpc.Request{ID: id, Raw: raw}, func(in transport.Incoming) bool { return in.IsResponse() })
	if a.Message.Raw == nil && a.Delivery.Status < 400 {
		c.Answered(cmp.Or(a.Err, errNothing), "a request with the id "+named(id))
	}
	return a
}

// errNothing says that a good request was passed over.
var errNothing = errors.New("nothing came, not even under another id")

// plain names a request that shows what the server does with any: the first list
// that it declares, or the harmless one.
func (s *Session) plain() string {
	for _, claim := range claims() {
		if s.declares(claim.capability) {
			return claim.method
		}
	}
	return s.harmless()
}

// probe sends raw bytes that stand for a request of the harmless method, with the
// headers that go with it.
func (s *Session) probe(ctx context.Context, id wire.ID, raw []byte) Answer {
	var mirror http.Header
	if s.Modern() {
		mirror = http.Header{"Mcp-Method": {s.harmless()}}
	}
	return s.Raw(ctx, id, raw, mirror)
}

// refusedWith ends the case unless the server refused with one of the codes. A
// bare HTTP refusal, without a JSON-RPC error to hold a code, is taken as it is.
func (a Answer) refusedWith(c *conformance.Check, to string, codes ...int64) {
	for _, code := range codes {
		if a.Code() == code {
			return
		}
	}
	bare := a.Message.Raw == nil && a.Delivery.Status >= 400 && a.Delivery.Status < 500
	c.That(bare, expectedCodes(codes)+" to "+to, "%v", a)
}

func expectedCodes(codes []int64) string {
	text := "error "
	for i, code := range codes {
		if i > 0 {
			text += " or "
		}
		text += fmt.Sprint(code)
	}
	return text
}
