package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/peerwright/peerwright/internal/rpc"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// RevisionError says that the server does not speak the revision asked for.
type RevisionError struct {
	Wanted  string   // what was asked for
	Offered []string // what the server named instead
}

func (e *RevisionError) Error() string {
	return fmt.Sprintf("the server does not speak revision %s; it offers %v", e.Wanted, e.Offered)
}

// HandshakeError says that the server refused the handshake with a JSON-RPC error.
type HandshakeError struct {
	Method string
	Cause  *wire.Error
}

func (e *HandshakeError) Error() string {
	return fmt.Sprintf("the server refused %s: %v", e.Method, e.Cause)
}

// Unwrap returns the JSON-RPC error.
func (e *HandshakeError) Unwrap() error { return e.Cause }

// Connect opens a conversation. Without a pinned revision it finds the era as
// 2026-07-28 asks a dual-era client to: server/discover first; an answer to it, or
// an error that only a modern server gives, means modern; anything else, silence
// and death included, means legacy, and the handshake of the legacy revisions
// begins on a fresh conversation.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#backward-compatibility
func Connect(ctx context.Context, o Options) (*Client, error) {
	if o.Revision != "" && !slices.Contains(Revisions(), o.Revision) {
		return nil, fmt.Errorf("unknown revision %q: choose one of %v", o.Revision, Revisions())
	}
	if o.Revision == "" || Modern(o.Revision) {
		c, err := discover(ctx, o)
		if err == nil || o.Revision != "" || final(ctx, err) {
			return c, err
		}
		if c != nil { // it answered: the handshake may follow on the same stream
			return c.initialize(ctx)
		}
	}
	c, err := initialize(ctx, o, o.Dial)
	if err != nil && o.Older != nil && isRefusal(err) {
		return older(ctx, o)
	}
	return c, err
}

// final tells whether a failed probe leaves nothing to try: nobody is there, the
// time is up, or a modern server named revisions among which there is no legacy one.
func final(ctx context.Context, err error) bool {
	var other *RevisionError
	if errors.As(err, &other) {
		return !slices.ContainsFunc(other.Offered, func(r string) bool { return !Modern(r) })
	}
	return errors.Is(err, transport.ErrUnreachable) || ctx.Err() != nil
}

// isRefusal tells whether the endpoint may be one of HTTP+SSE: it knows no POST.
func isRefusal(err error) bool {
	var refused interface{ HTTPStatus() int }
	if !errors.As(err, &refused) {
		return false
	}
	s := refused.HTTPStatus()
	return s == 400 || s == 404 || s == 405
}

func older(ctx context.Context, o Options) (*Client, error) {
	if o.Revision == "" {
		o.Revision = Rev2024
	}
	c, err := initialize(ctx, o, o.Older)
	if err == nil {
		c.Older = true
	}
	return c, err
}

func (o Options) open(ctx context.Context, dial Dialer) (*Client, error) {
	conn, err := dial(ctx, o.Tap)
	if err != nil {
		return nil, err
	}
	answer := o.Answer
	if answer == nil {
		answer = Refuse
	}
	return &Client{Client: rpc.New(conn, o.Observe, answer), options: o}, nil
}

// Refuse answers ping, and every other request of a server with "method not found".
func Refuse(m wire.Message) []byte {
	if m.Method == "ping" {
		return wire.Result(m.ID, json.RawMessage(`{}`))
	}
	return wire.Failure(m.ID, -32601, "this client does not offer "+m.Method, nil)
}

// discard closes a conversation that will not be used, and keeps the error.
func (c *Client) discard(ctx context.Context, err error) (*Client, error) {
	_ = c.Close(context.WithoutCancel(ctx)) // the error that led here matters more
	return nil, err
}

// Open begins a conversation and says nothing in it: no discovery, no handshake.
// It is for checks of how a server takes a first message.
func Open(ctx context.Context, o Options) (*Client, error) { return o.open(ctx, o.Dial) }
