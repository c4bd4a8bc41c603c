package mcphttp

import (
	"context"
	"fmt"
	"net/http"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// Send implements transport.Conn. A status that is not a success is no error of
// Send: it is in the Delivery, and a *StatusError at the End of the exchange.
func (c *Conn) Send(ctx context.Context, out transport.Outgoing) (transport.Delivery, error) {
	msg := wire.Parse(out.Raw)
	header, modern := c.postHeader(msg)
	return c.do(ctx, &exchange{
		method: http.MethodPost, header: override(header, out.Header), body: out.Raw,
		awaits: requestIDs(msg), opens: opensSession(msg), quiet: asksNothing(msg), resumes: !modern,
	})
}

// OpenStream asks for the stream on which a legacy server sends what belongs to no
// request; lastEventID, when not "", is where a broken one is to go on. A peer that
// has no such stream says so in the status of the Delivery (405, and in the wild
// 400, 404 and 406), and the conversation goes on without.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
func (c *Conn) OpenStream(ctx context.Context, lastEventID string) (transport.Delivery, error) {
	return c.do(ctx, &exchange{method: http.MethodGet, header: c.listenHeader(lastEventID), streamOnly: true})
}

// do makes the exchange and leaves its body to a pump, unless all of it is there already.
func (c *Conn) do(ctx context.Context, x *exchange) (transport.Delivery, error) {
	if !c.enter() {
		return transport.Delivery{}, fmt.Errorf("sending: %w: %w", transport.ErrNotSent, transport.ErrClosed)
	}
	resp, err := c.http.Do(ctx, transport.HTTPRequest{
		Method: x.method, URL: c.endpoint, Header: x.header, Body: x.body,
	})
	if err != nil {
		c.pumps.Done()
		return transport.Delivery{}, err
	}
	if id := resp.Header.Get(headerSession); x.opens && id != "" && isSuccess(resp.StatusCode) {
		c.SetSessionID(id)
	}
	x.number = resp.Exchange
	delivery := transport.Delivery{Exchange: x.number, Status: resp.StatusCode, Header: resp.Header}
	if resp.Whole && transport.MediaType(resp.Header) != typeSSE {
		defer c.pumps.Done()
		c.pump(context.Background(), x, resp)
		return delivery, nil
	}
	life, cancel := context.WithCancelCause(context.Background())
	c.track(x.number, cancel)
	go func() {
		defer c.pumps.Done()
		defer c.untrack(x.number)
		c.pump(life, x, resp)
	}()
	return delivery, nil
}

// enter counts a pump, unless the conversation is closed.
func (c *Conn) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.pumps.Add(1)
	return true
}

func (c *Conn) track(exchange int, cancel context.CancelCauseFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[exchange] = cancel
	if c.closed {
		cancel(transport.ErrClosed)
	}
}

func (c *Conn) untrack(exchange int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.open[exchange]; cancel != nil {
		cancel(transport.ErrClosed)
	}
	delete(c.open, exchange)
}

// Cancel closes the stream of an exchange: from 2026-07-28 on that is how a request
// is cancelled, and before it merely a disconnect. The End of the exchange has
// ErrCancelled. An exchange that is over is left alone.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#cancellation
func (c *Conn) Cancel(exchange int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.open[exchange]; cancel != nil {
		cancel(ErrCancelled)
	}
}
