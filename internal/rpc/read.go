package rpc

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

func (c *Client) read(ctx context.Context) {
	defer close(c.done)
	for {
		in, err := c.conn.Receive(ctx)
		if err != nil {
			c.close(err)
			return
		}
		c.handle(ctx, in)
	}
}

func (c *Client) close(cause error) {
	if !errors.Is(cause, transport.ErrClosed) {
		cause = errors.Join(transport.ErrClosed, cause)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = cause
	for _, p := range c.pending {
		c.fail(p, cause)
	}
}

func (c *Client) handle(ctx context.Context, in transport.Incoming) {
	switch {
	case in.End:
		c.end(in)
	case in.Kind == wire.KindBatch:
		c.unpack(ctx, in)
	case in.IsResponse() && c.settle(in):
	default:
		c.missed(in)
		c.remark(in)
		c.report(in)
		c.respond(ctx, in)
	}
}

// take handles what must not wait for the reader, and nobody needs to observe: the answer
// to a call, and the end of an exchange.
func (c *Client) take(in transport.Incoming) bool {
	if in.End {
		c.end(in)
		return true
	}
	return in.IsResponse() && c.settle(in)
}

// remark keeps what came in the place of an answer: whoever waits for one is told.
func (c *Client) remark(in transport.Incoming) {
	if in.Kind != wire.KindInvalid && !in.IsResponse() {
		return
	}
	text := in.Raw[:min(len(in.Raw), maxRemark)]
	said := fmt.Sprintf("; what came instead: %q", text)
	if len(in.Problems) > 0 {
		said += " (" + in.Problems[0] + ")"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.instead) >= maxRemarks {
		clear(c.instead)
	}
	c.instead[in.Exchange] = said
}

// maxRemark is how many bytes of it are told, maxRemarks how many are kept.
const maxRemark, maxRemarks = 120, 1000

// unpack treats the messages of a batch (2025-03-26 only) like messages of their
// own; the batch as such is for the transcript to show.
func (c *Client) unpack(ctx context.Context, in transport.Incoming) {
	for _, m := range in.Batch {
		one := in
		one.Message = m
		c.handle(ctx, one)
	}
}

// settle hands the response to the oldest call that has its id and was not
// answered yet, and prefers the one that was sent on the same exchange, and then one
// whose exchange is not known yet.
func (c *Client) settle(in transport.Incoming) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	var match *call
	for _, p := range c.pending {
		if !p.id.Equal(in.ID) || len(p.reply) > 0 {
			continue
		}
		if match == nil || p.nearness(in.Exchange) > match.nearness(in.Exchange) {
			match = p
		}
	}
	if match == nil {
		return false
	}
	match.reply <- outcome{in: in}
	return true
}

// nearness tells how likely it is that what came on the exchange is for the call.
func (p *call) nearness(exchange int) int {
	switch p.exchange {
	case exchange:
		return 2
	case unknown:
		return 1
	}
	return 0
}

// missed fails the call whose answer was over the limit, as far as its id shows in what
// is kept of it: on the one stream there is nothing else would come. Where each call has
// an exchange of its own, the end of that says the same.
func (c *Client) missed(in transport.Incoming) {
	var long *wire.TooLongError
	if in.Exchange != 0 || !errors.As(in.Err, &long) {
		return
	}
	id := long.ID()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.pending {
		if p.exchange <= 0 && p.id.Equal(id) {
			c.fail(p, in.Err)
			return
		}
	}
}

// end fails the calls whose exchange is over, or remembers the end for a Send that
// has not returned yet.
func (c *Client) end(in transport.Incoming) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.highest = max(c.highest, in.Exchange)
	known := false
	for _, p := range c.pending {
		if p.exchange == in.Exchange {
			known = true
			c.fail(p, in.Err)
		}
	}
	if c.sending > 0 && !known {
		c.ended[in.Exchange] = in.Err
		c.tidy()
	}
	if c.sending == 0 {
		delete(c.instead, in.Exchange)
	}
}

// maxEnded is how many ended exchanges are kept before those are sought that no Send under
// way can be of.
const maxEnded = 1000

// tidy forgets those: where calls are under way without a pause, there is never a moment
// at which all can be. The caller holds the lock.
func (c *Client) tidy() {
	if len(c.ended) < maxEnded {
		return
	}
	lowest := c.highest
	for _, p := range c.pending {
		if p.exchange == unknown {
			lowest = min(lowest, p.after)
		}
	}
	maps.DeleteFunc(c.ended, func(exchange int, _ error) bool { return exchange <= lowest })
}

func (c *Client) report(in transport.Incoming) {
	if c.observe != nil {
		c.observe(in)
	}
	if in.Kind != wire.KindNotification {
		return
	}
	c.mu.Lock()
	var notes []func(transport.Incoming)
	for _, p := range c.pending {
		if p.note != nil && (p.exchange < 0 || p.exchange == in.Exchange) {
			notes = append(notes, p.note)
		}
	}
	c.mu.Unlock()
	for _, note := range notes {
		note(in)
	}
}

func (c *Client) respond(ctx context.Context, in transport.Incoming) {
	if in.Kind != wire.KindRequest || c.answer == nil {
		return
	}
	raw := c.answer(in.Message)
	if raw == nil {
		return
	}
	select {
	case c.replies <- struct{}{}:
	default:
		return
	}
	go func() { // an HTTP POST waits for its head; the reader must not
		defer func() { <-c.replies }()
		_, _ = c.conn.Send(ctx, transport.Outgoing{Raw: raw}) // a dead conversation shows in Receive
	}()
}
