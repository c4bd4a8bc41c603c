package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/peerwright/peerwright/internal/wire"
)

// errLegacy says that nothing showed the server to be modern.
var errLegacy = errors.New("the server did not answer server/discover as a modern one does")

// discover asks for a modern server. When it stays silent, or the answer is a plain
// JSON-RPC error on a stream, the open conversation is returned beside errLegacy, for
// the handshake: a server that is slow to start is not started twice.
func discover(ctx context.Context, o Options) (*Client, error) {
	c, err := o.open(ctx, o.Dial)
	if err != nil {
		return nil, err
	}
	c.use(Rev2607)
	probe, cancel := o.probing(ctx)
	defer cancel()
	reply, err := c.Request(probe, "server/discover", nil)
	switch {
	case probe.Err() != nil && ctx.Err() == nil: // silence; its answer may still come, and will answer nothing
		c.use("")
		return c, errLegacy
	case err != nil:
		return c.discard(ctx, err)
	case reply.Error != nil && modernCode(reply.Error.Code):
		return c.discard(ctx, unsupported(reply.Error))
	case reply.Error != nil && reply.Delivery.Exchange == 0:
		c.use("")
		return c, errLegacy
	case reply.Error != nil:
		return c.discard(ctx, errLegacy)
	}
	if err := c.greet(reply.Result); err != nil {
		return c.discard(ctx, err)
	}
	return c, nil
}

// probing bounds the wait for server/discover. Where nothing else is to be tried, there
// is no reason to give up on a server that is slow to start.
func (o Options) probing(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.Revision != "" {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, o.probe())
}

// greet reads a DiscoverResult, as far as its members are what they should be: a case
// judges them.
func (c *Client) greet(result json.RawMessage) error {
	var versions []string
	if json.Unmarshal(wire.Get(result, "supportedVersions"), &versions) != nil || versions == nil {
		return fmt.Errorf("%w: its result has no supportedVersions", errLegacy)
	}
	if !slices.Contains(versions, Rev2607) {
		return &RevisionError{Rev2607, versions}
	}
	c.Hello, c.Capabilities = result, orEmpty(wire.Get(result, "capabilities"))
	c.Instructions, _ = wire.Text(wire.Get(result, "instructions"))
	c.Server = implementation(wire.Path(result, "_meta", MetaServer))
	return nil
}

func (c *Client) use(revision string) {
	c.Revision = revision
	c.Conn().Negotiated(revision)
}

// unsupported reads what a modern server offers instead of the revision asked for.
func unsupported(fault *wire.Error) error {
	var data struct {
		Supported []string `json:"supported"`
	}
	_ = json.Unmarshal(fault.Data, &data) // no list is an empty list
	return &RevisionError{Rev2607, data.Supported}
}

func orEmpty(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage(`{}`)
	}
	return raw
}
