package transport

import "context"

// Link is one conversation with a client, seen from the end that serves: the whole
// of a stdio or WebSocket connection, one session of a Streamable HTTP client of
// the legacy revisions, or one POST of a 2026-07-28 client.
type Link interface {
	// Receive returns the next message of the client. Its Exchange says on which
	// stream an answer belongs. Once the client is gone and everything has been
	// handed out, it returns an error that wraps ErrClosed.
	Receive(ctx context.Context) (Incoming, error)
	// Send writes one message to the client, as it is. It fails with an error that
	// wraps ErrClosed when the stream it belongs on is over.
	Send(ctx context.Context, a Answer) error
}

// Answer is what Link.Send takes.
type Answer struct {
	Raw []byte
	// Exchange is the stream to write on: that of the request being answered, or 0
	// for the client's own listening stream (or the one stream there is).
	Exchange int
	// Status is the HTTP status of the answer when nothing was written on the
	// exchange before; 0 means 200. Transports without status ignore it.
	Status int
}

// Handler serves one Link. The link ends when it returns; the context ends when
// the client is gone or the server stops.
type Handler func(ctx context.Context, l Link) error
