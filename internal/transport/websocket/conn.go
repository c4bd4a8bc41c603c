package websocket

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/peerwright/peerwright/internal/transport"
)

// settle is how long a failed write waits for the reason, which the reader is told.
const settle = time.Second

// Conn is a conversation with a server over a WebSocket. Dial makes one. Each message
// arrives as one Incoming; a binary one, and one over Options.Limit (its Err is a
// *wire.TooLongError), as a message of wire.KindInvalid.
type Conn struct {
	socket *socket
	out    *transport.Outbox
	in     *transport.Queue
	over   chan struct{} // nothing more comes
	once   sync.Once
	done   chan struct{} // everything let go
}

var _ transport.Conn = (*Conn)(nil)

func newConn(s *socket) *Conn {
	c := &Conn{
		socket: s, out: transport.NewOutbox(s.write), in: transport.NewQueue(),
		over: make(chan struct{}), done: make(chan struct{}),
	}
	go c.socket.keepAlive(c.over)
	go func() {
		c.in.Close(s.receive(c.in.Put))
		close(c.over)
	}()
	return c
}

// Subprotocol returns the subprotocol that the server chose; "" when it named none.
func (c *Conn) Subprotocol() string { return c.socket.ws.Subprotocol() }

// Send writes out.Raw, whatever its bytes are, as one text message. Headers are
// ignored. When the context ends first, the server may still get the message; a
// server that reads nothing for ten seconds loses the conversation.
func (c *Conn) Send(ctx context.Context, out transport.Outgoing) (transport.Delivery, error) {
	if err := c.in.Err(); err != nil {
		return transport.Delivery{}, fmt.Errorf("sending to the server: %w: %w", transport.ErrNotSent, err)
	}
	err := c.out.Send(ctx, out.Raw)
	if errors.Is(err, transport.ErrClosed) {
		err = c.whyClosed(err)
	}
	if err != nil {
		return transport.Delivery{}, fmt.Errorf("sending to the server: %w", err)
	}
	return transport.Delivery{}, nil
}

// whyClosed gives a failed write the cause that the reader is about to be told.
func (c *Conn) whyClosed(err error) error {
	timeout := time.NewTimer(settle)
	defer timeout.Stop()
	select {
	case <-c.over:
		return c.in.Err()
	case <-timeout.C:
		return err
	}
}

// Receive implements transport.Conn.
func (c *Conn) Receive(ctx context.Context) (transport.Incoming, error) { return c.in.Get(ctx) }

// Negotiated implements transport.Conn; nothing on a WebSocket names the revision.
func (c *Conn) Negotiated(string) {}

// Close sends a close frame with code 1000, waits up to two seconds for that of the
// server, or to the end of the context, and closes the connection. It always
// succeeds.
func (c *Conn) Close(ctx context.Context) error {
	c.once.Do(func() {
		c.out.Stop()
		c.socket.close(ctx, c.over)
		<-c.over
		<-c.out.Done()
		close(c.done)
	})
	<-c.done
	return nil
}
