package mcp

import (
	"bytes"
	"context"
	"net/http"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// httpConn returns the transport, for what only HTTP has.
func (s *Session) httpConn(c *conformance.Check) *mcphttp.Conn {
	conn, ok := s.Conn().(*mcphttp.Conn)
	if !ok {
		c.Broken("a case of the HTTP transport was given a %T", s.Conn())
	}
	return conn
}

// post makes one POST and returns the whole of its answer, and the JSON-RPC
// response in it; that has no Raw when there is none. header replaces headers.
// Nothing of it passes through the session: two posts under one id are kept apart.
func (s *Session) post(ctx context.Context, c *conformance.Check, raw []byte, header http.Header) (*transport.RawResponse, wire.Message) {
	resp, err := s.httpConn(c).Do(ctx, http.MethodPost, header, raw)
	c.Answered(err, "an HTTP POST")
	return resp, responseIn(resp)
}

// responseIn returns the first JSON-RPC response in the body.
func responseIn(resp *transport.RawResponse) wire.Message {
	if transport.MediaType(resp.Header) != "text/event-stream" {
		if m := wire.Parse(resp.Body); m.IsResponse() {
			return m
		}
		return wire.Message{}
	}
	events := wire.NewEventReader(bytes.NewReader(resp.Body), 0)
	for {
		event, err := events.Next()
		if err != nil {
			return wire.Message{}
		}
		if m := wire.Parse(event.Data); event.Dispatched && m.IsResponse() {
			return m
		}
	}
}

// answerOf puts the outcome of a post together.
func answerOf(resp *transport.RawResponse, m wire.Message) Answer {
	return Answer{Message: m, Delivery: transport.Delivery{Exchange: resp.Exchange, Status: resp.Status, Header: resp.Header}}
}
