// Package transport carries messages between this program and a peer, and can
// stand at either end: each transport dials a peer and serves a client. What
// travels is bytes; a tap sees every frame as it was on the wire.
//
// The transports stand in packages below this one: stdio, mcphttp, websocket and
// a2ahttp. This package holds what they share, and imports none of them, and
// nothing but wire.
package transport

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/peerwright/peerwright/internal/wire"
)

// Conn is one conversation with an MCP peer, seen from the end that dialled. All
// methods may be called by several goroutines at once.
type Conn interface {
	// Send hands one message (or whatever bytes the suite wants the peer to see) to
	// the peer. It returns when the bytes are written or, over HTTP, when the head
	// of the answer has come; what the answer holds arrives through Receive. The
	// error wraps ErrClosed when the conversation is over.
	Send(ctx context.Context, out Outgoing) (Delivery, error)
	// Receive returns the next thing that came from the peer, in order. After the
	// end of the conversation and once everything has been handed out, it returns
	// an error that wraps ErrClosed and names the cause.
	Receive(ctx context.Context) (Incoming, error)
	// Negotiated tells the transport the protocol revision that was agreed on, for
	// the headers that name it. "" takes it back.
	Negotiated(revision string)
	// Close ends the conversation and lets go of all that it holds. A process is
	// ended by the ladder of the specification: close stdin, wait, TERM, KILL.
	// Close may be called more than once.
	Close(ctx context.Context) error
}

// Outgoing is what Send takes.
type Outgoing struct {
	Raw []byte
	// Header replaces HTTP headers of this one message; a nil value leaves the
	// header out. Transports without headers ignore it.
	Header http.Header
}

// Delivery says how the peer took a message.
type Delivery struct {
	Exchange int         // number of the HTTP exchange; 0 on a transport with one stream
	Status   int         // HTTP status; 0 elsewhere
	Header   http.Header // head of the HTTP answer; nil elsewhere
}

// Incoming is a message from the peer, or the end of one of its streams.
type Incoming struct {
	wire.Message
	Exchange int    // the HTTP exchange that carried it; 0 on a transport with one stream
	EventID  string // id of the server-sent event; "" when it had none
	// End marks that the exchange will carry nothing more; the Message is then
	// empty. Err says why when it ended out of order, and is nil otherwise.
	End bool
	Err error
}

// Options are what every transport takes. The zero value is ready to use.
type Options struct {
	Tap    wire.Tap    // sees every frame; nil sees none
	Header http.Header // sent with every HTTP request, for credentials
	// Limit is the size in bytes that one message may have; 0 means
	// wire.DefaultLimit. A longer one fails alone, with *wire.TooLongError.
	Limit int
	// Connect bounds the time to reach the peer and to have the head of an answer;
	// 0 means DefaultConnect. The context of a call bounds the whole.
	Connect time.Duration
}

// DefaultConnect is how long a peer may take to accept a connection.
const DefaultConnect = 10 * time.Second

// ErrClosed is wrapped by every error that says the conversation is over.
var ErrClosed = errors.New("connection closed")

// ErrNotSent is wrapped by every error that says that nothing of a message was handed to
// the peer, and nothing will be: it may be sent again over another conversation.
var ErrNotSent = errors.New("message not sent")

// ErrUnreachable is wrapped by every error that says that the peer could not be
// started or reached at all.
var ErrUnreachable = errors.New("peer could not be reached")

// ConnectTimeout returns Connect or its default.
func (o Options) ConnectTimeout() time.Duration {
	if o.Connect > 0 {
		return o.Connect
	}
	return DefaultConnect
}
