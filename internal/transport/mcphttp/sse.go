package mcphttp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// SSEConn is a conversation over HTTP+SSE, the transport of 2024-11-05: one event
// stream from the peer, and a POST for each message to it. It implements
// transport.Conn, and may be used by several goroutines at once.
//
// What comes on the stream has Exchange 0, as has the Delivery of a message that
// the peer took. A POST that it refused has the number of its HTTP exchange, under
// which an Incoming with End and a *StatusError follows.
//
// https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
type SSEConn struct {
	opts     transport.Options
	http     *transport.HTTP
	queue    *transport.Queue
	messages string // the URL that the endpoint event named
	work     sync.WaitGroup
	closing  sync.Once

	mu       sync.Mutex
	closed   bool
	revision string
}

// read hands out what comes, until the stream ends and the conversation with it.
func (c *SSEConn) read(reader *wire.EventReader, body io.Closer) {
	defer body.Close()
	for {
		event, err := reader.Next()
		var tooLong *wire.TooLongError
		switch {
		case err == nil:
			c.take(event)
		case errors.As(err, &tooLong):
			c.queue.Put(lost(err))
		case errors.Is(err, io.EOF):
			c.queue.Close(errors.New("the peer ended the event stream"))
			return
		default:
			c.queue.Close(err)
			return
		}
	}
}

func (c *SSEConn) take(event wire.Event) {
	if len(bytes.TrimSpace(event.Data)) > 0 && (event.Type == "" || event.Type == "message") {
		c.queue.Put(transport.Incoming{Message: wire.Parse(event.Data), EventID: event.ID})
	}
}

// Send implements transport.Conn.
func (c *SSEConn) Send(ctx context.Context, out transport.Outgoing) (transport.Delivery, error) {
	header, ok := c.enter()
	if !ok {
		return transport.Delivery{}, fmt.Errorf("sending: %w: %w", transport.ErrNotSent, transport.ErrClosed)
	}
	resp, err := c.http.Do(ctx, transport.HTTPRequest{
		Method: http.MethodPost, URL: c.messages, Header: override(header, out.Header), Body: out.Raw,
	})
	if err != nil {
		c.work.Done()
		return transport.Delivery{}, err
	}
	d := transport.Delivery{Status: resp.StatusCode, Header: resp.Header}
	if !isSuccess(d.Status) {
		d.Exchange = resp.Exchange
	}
	go func() {
		defer c.work.Done()
		c.settle(resp)
	}()
	return d, nil
}

// enter counts a POST, unless the conversation is closed, and returns its headers.
func (c *SSEConn) enter() (http.Header, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, false
	}
	c.work.Add(1)
	h := http.Header{"Content-Type": {typeJSON}, "Accept": {"*/*"}, "Accept-Encoding": {transport.Uncoded}}
	if c.revision >= firstWithVersionHeader { // later revisions are spoken over this transport too
		h.Set(headerVersion, c.revision)
	}
	return h, true
}

// settle reads what the peer said to a POST, which counts only when it refused.
func (c *SSEConn) settle(resp *transport.HTTPResponse) {
	defer resp.Body.Close()
	body, err := transport.ReadBody(resp.Body, c.opts.Limit)
	if isSuccess(resp.StatusCode) {
		return
	}
	if msg := wire.Parse(body); err == nil && msg.Kind != wire.KindInvalid {
		c.queue.Put(transport.Incoming{Message: msg, Exchange: resp.Exchange})
	}
	c.queue.Put(transport.Incoming{
		Exchange: resp.Exchange, End: true,
		Err: &StatusError{http.MethodPost, resp.StatusCode, resp.Header, body},
	})
}

// Receive implements transport.Conn.
func (c *SSEConn) Receive(ctx context.Context) (transport.Incoming, error) {
	return c.queue.Get(ctx)
}

// Negotiated implements transport.Conn.
func (c *SSEConn) Negotiated(revision string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revision = revision
}

// Close implements transport.Conn: it closes the event stream, which is all that
// the transport has for an end.
func (c *SSEConn) Close(context.Context) error {
	c.closing.Do(func() {
		c.mu.Lock()
		c.closed = true
		c.mu.Unlock()
		c.queue.Close(nil)
		c.http.Close()
		c.work.Wait()
	})
	return nil
}
