// Package rpc matches answers to requests on a transport.Conn: it is the JSON-RPC
// client that the suite, the replay and the bridges stand on. It judges nothing
// and hides nothing: what it cannot match goes to the observer.
//
// It imports transport and wire only.
package rpc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// ErrNoAnswer is wrapped when the exchange that carried a request ended in order
// and held no answer to it.
var ErrNoAnswer = errors.New("the stream ended without an answer")

// Client sends requests over one conversation and waits for their answers. Its
// methods may be called by several goroutines at once.
type Client struct {
	conn    transport.Conn
	observe Observer
	answer  Answerer
	cancel  context.CancelFunc
	done    chan struct{} // closed when the reader has ended
	replies chan struct{} // holds one for each answer that is on its way

	mu      sync.Mutex
	pending []*call
	ended   map[int]error  // exchanges that ended before Send returned their number
	highest int            // the highest number of an exchange that ended
	instead map[int]string // what came last on each open exchange and answers nothing
	sending int            // Sends whose exchange is not known yet
	closed  error
}

// Observer is told everything that came from the peer and answers none of the
// pending requests: notifications, requests, stray responses, lines that are not
// messages. It must not wait.
type Observer func(transport.Incoming)

// Answerer returns the response to a request of the peer, nil to leave it
// unanswered.
type Answerer func(wire.Message) []byte

// maxReplies is how many answers to requests of the peer may be on their way at once. A
// peer that asks more, and reads none of them, is not answered: it asks without end.
const maxReplies = 1000

// Request is one request on its way.
type Request struct {
	ID     wire.ID
	Raw    []byte      // the whole message, with that id
	Header http.Header // see transport.Outgoing
	// Note is told each notification that came on the exchange of this request, or
	// on the one stream there is, while it was pending; nil tells no one.
	Note func(transport.Incoming)
}

// Reply is the answer to a request.
type Reply struct {
	wire.Message
	Delivery transport.Delivery
	EventID  string
}

type call struct {
	id       wire.ID
	exchange int
	after    int // its exchange will have a higher number
	note     func(transport.Incoming)
	reply    chan outcome
}

// unknown is the exchange of a call whose Send has not returned yet.
const unknown = -1

type outcome struct {
	in  transport.Incoming
	err error
}

// New starts reading from conn. observe and answer may be nil.
func New(conn transport.Conn, observe Observer, answer Answerer) *Client {
	ctx, cancel := context.WithCancel(context.Background())
	c := &Client{
		conn: conn, observe: observe, answer: answer, cancel: cancel,
		done: make(chan struct{}), replies: make(chan struct{}, maxReplies), ended: map[int]error{}, instead: map[int]string{},
	}
	if o, ok := conn.(offerer); ok {
		o.Offer(c.take)
	}
	go c.read(ctx)
	return c
}

// offerer is a conversation that shows what came to take, in the goroutine that read it,
// before it hands it out through Receive: so an answer need not wait for the reader.
type offerer interface {
	Offer(take func(transport.Incoming) bool)
}

// Done is closed when the conversation is over. Err then says why.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err returns why the conversation is over, nil while it goes on.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// Conn returns the conversation beneath.
func (c *Client) Conn() transport.Conn { return c.conn }

// Call sends the request and waits for its answer. It fails when the context ends,
// when the conversation is over, and when the exchange ended without an answer; a
// JSON-RPC error is a Reply, not an error.
func (c *Client) Call(ctx context.Context, req Request) (Reply, error) {
	p := c.register(req)
	defer c.forget(p)
	delivery, err := c.send(ctx, p, transport.Outgoing{Raw: req.Raw, Header: req.Header})
	if err != nil {
		return Reply{}, err
	}
	reply, err := c.wait(ctx, p)
	reply.Delivery = delivery
	return reply, err
}

// Start sends the request and returns at once; wait returns its answer, and must
// be called. The exchange is in the delivery, for a caller that means to end it.
func (c *Client) Start(ctx context.Context, req Request) (d transport.Delivery, wait func(context.Context) (Reply, error), err error) {
	p := c.register(req)
	d, err = c.send(ctx, p, transport.Outgoing{Raw: req.Raw, Header: req.Header})
	if err != nil {
		c.forget(p)
		return d, nil, err
	}
	return d, func(ctx context.Context) (Reply, error) {
		defer c.forget(p)
		reply, err := c.wait(ctx, p)
		reply.Delivery = d
		return reply, err
	}, nil
}

// Send hands raw bytes to the peer and waits for nothing but their delivery.
func (c *Client) Send(ctx context.Context, out transport.Outgoing) (transport.Delivery, error) {
	return c.conn.Send(ctx, out)
}

// Close ends the conversation and waits for the reader.
func (c *Client) Close(ctx context.Context) error {
	err := c.conn.Close(ctx)
	c.cancel()
	<-c.done
	return err
}

func (c *Client) register(req Request) *call {
	p := &call{id: req.ID, exchange: unknown, note: req.Note, reply: make(chan outcome, 1)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed != nil {
		p.reply <- outcome{err: c.closed}
	}
	p.after = c.highest
	c.pending = append(c.pending, p)
	c.sending++
	delete(c.instead, 0) // on the one stream there is: what came before it did not come instead
	return p
}

func (c *Client) forget(p *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, q := range c.pending {
		if q == p {
			c.pending = append(c.pending[:i], c.pending[i+1:]...)
			return
		}
	}
}

// send delivers the message and binds the call to its exchange, which may have
// ended already.
func (c *Client) send(ctx context.Context, p *call, out transport.Outgoing) (transport.Delivery, error) {
	d, err := c.conn.Send(ctx, out)
	c.mu.Lock()
	defer c.mu.Unlock()
	p.exchange = d.Exchange
	c.sending--
	if cause, over := c.ended[d.Exchange]; over {
		c.fail(p, cause)
		delete(c.ended, d.Exchange)
	}
	if c.sending == 0 {
		clear(c.ended)
	}
	return d, err
}

func (c *Client) wait(ctx context.Context, p *call) (Reply, error) {
	select {
	case o := <-p.reply:
		return Reply{Message: o.in.Message, EventID: o.in.EventID}, o.err
	case <-ctx.Done():
		c.mu.Lock()
		defer c.mu.Unlock()
		return Reply{}, fmt.Errorf("waiting for the answer to id %s: %w%s", p.id, context.Cause(ctx), c.instead[p.exchange])
	}
}

// fail ends a call that gets no answer any more. The caller holds the lock.
func (c *Client) fail(p *call, cause error) {
	if cause == nil {
		cause = fmt.Errorf("%w%s", ErrNoAnswer, c.instead[p.exchange])
	}
	select {
	case p.reply <- outcome{err: cause}:
	default: // it has its answer
	}
}
