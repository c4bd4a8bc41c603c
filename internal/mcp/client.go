package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/peerwright/peerwright/internal/rpc"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// Dialer begins a new conversation with the peer, with every frame shown to tap.
type Dialer func(ctx context.Context, tap wire.Tap) (transport.Conn, error)

// Options say how to open a conversation. Dial is required.
type Options struct {
	Dial Dialer
	// Older dials the HTTP+SSE transport of 2024-11-05 at the same URL, for when a
	// server knows nothing newer; nil where there is no such thing.
	Older    Dialer
	Revision string   // the one to insist on; "" takes the newest that the server speaks
	Tap      wire.Tap // sees every frame
	Client   Implementation
	// Capabilities is the JSON object of the client's capabilities; nil means {}.
	Capabilities json.RawMessage
	Observe      rpc.Observer
	// Answer answers the server's requests; nil answers ping and refuses the rest.
	Answer rpc.Answerer
	// Probe is how long a server on a stream may take to answer server/discover
	// before it is held to be a legacy one; 0 means DefaultProbe.
	Probe time.Duration
}

// DefaultProbe bounds the wait for server/discover on stdio and WebSocket.
const DefaultProbe = 5 * time.Second

// Implementation names a program, as clientInfo and serverInfo do.
type Implementation struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Client is an open conversation with a server.
type Client struct {
	*rpc.Client
	Revision     string // the negotiated one
	Server       Implementation
	Capabilities json.RawMessage // as the server declared them; never nil
	Instructions string
	Hello        json.RawMessage // the whole result of initialize or server/discover
	Older        bool            // the conversation goes over Options.Older

	options Options
	last    atomic.Int64
}

// NextID returns an id that this conversation has not used: whole numbers from 1.
func (c *Client) NextID() wire.ID { return wire.IntID(c.last.Add(1)) }

// Compose builds a request of the negotiated revision: for 2026-07-28 it adds the
// members of _meta that every request carries, beside those that are there.
func (c *Client) Compose(id wire.ID, method string, params json.RawMessage) []byte {
	return wire.Request(id, method, c.Params(params))
}

// Meta returns the members of _meta that the negotiated revision asks of every request.
func (c *Client) Meta() []wire.Member {
	if !Modern(c.Revision) {
		return nil
	}
	return c.options.meta(c.Revision)
}

// Params returns params, with the _meta that the negotiated revision asks for.
func (c *Client) Params(params json.RawMessage) json.RawMessage {
	if meta := c.Meta(); meta != nil {
		return withMeta(params, meta)
	}
	return params
}

// Request sends method with params and waits for the answer. A JSON-RPC error is
// in the Reply; the error tells of a conversation that failed.
func (c *Client) Request(ctx context.Context, method string, params json.RawMessage) (rpc.Reply, error) {
	id := c.NextID()
	reply, err := c.Call(ctx, rpc.Request{ID: id, Raw: c.Compose(id, method, params)})
	if err != nil {
		return reply, fmt.Errorf("%s: %w", method, err)
	}
	return reply, nil
}

// Notify sends a notification.
func (c *Client) Notify(ctx context.Context, method string, params json.RawMessage) (transport.Delivery, error) {
	return c.Send(ctx, transport.Outgoing{Raw: wire.Notification(method, c.Params(params))})
}

func (o Options) meta(revision string) []wire.Member {
	client, _ := wire.Marshal(o.Client) // two strings always marshal
	return []wire.Member{
		{Name: MetaVersion, Value: wire.Quote(revision)},
		{Name: MetaClient, Value: client},
		{Name: MetaCapabilities, Value: o.capabilities()},
	}
}

func (o Options) capabilities() json.RawMessage {
	if o.Capabilities == nil {
		return json.RawMessage(`{}`)
	}
	return o.Capabilities
}

func (o Options) probe() time.Duration {
	if o.Probe > 0 {
		return o.Probe
	}
	return DefaultProbe
}

// Modern tells whether the negotiated revision is stateless.
func (c *Client) Modern() bool { return Modern(c.Revision) }
