package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/peerwright/peerwright/internal/wire"
)

// initialize does the handshake of the legacy revisions.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
func initialize(ctx context.Context, o Options, dial Dialer) (*Client, error) {
	c, err := o.open(ctx, dial)
	if err != nil {
		return nil, err
	}
	return c.initialize(ctx)
}

func (c *Client) initialize(ctx context.Context) (*Client, error) {
	o := c.options
	wanted := o.Revision
	if wanted == "" {
		wanted = Rev2511
	}
	reply, err := c.Request(ctx, "initialize", o.Initialize(wanted))
	if err != nil {
		return c.discard(ctx, err)
	}
	if reply.Error != nil {
		return c.discard(ctx, &HandshakeError{"initialize", reply.Error})
	}
	if err := c.agree(reply.Result, o.Revision); err != nil {
		return c.discard(ctx, err)
	}
	if _, err := c.Notify(ctx, "notifications/initialized", nil); err != nil {
		return c.discard(ctx, fmt.Errorf("notifications/initialized: %w", err))
	}
	return c, nil
}

// Initialize returns the params of an initialize request for the revision.
func (o Options) Initialize(revision string) json.RawMessage {
	params, _ := json.Marshal(map[string]any{ // strings and checked JSON always marshal
		"protocolVersion": revision,
		"capabilities":    o.capabilities(),
		"clientInfo":      o.Client,
	})
	return params
}

// agree reads the result of initialize and takes up the revision that it names. The
// other members are taken as far as they are what they should be: a case judges them.
func (c *Client) agree(result json.RawMessage, pinned string) error {
	version, ok := wire.Text(wire.Get(result, "protocolVersion"))
	switch {
	case !ok:
		return errors.New("initialize: the result names no protocolVersion")
	case !slices.Contains(Revisions(), version) || Modern(version):
		return &RevisionError{"of the legacy era", []string{version}}
	case pinned != "" && version != pinned:
		return &RevisionError{pinned, []string{version}}
	}
	c.Hello, c.Capabilities = result, orEmpty(wire.Get(result, "capabilities"))
	c.Instructions, _ = wire.Text(wire.Get(result, "instructions"))
	c.Server = implementation(wire.Get(result, "serverInfo"))
	c.use(version)
	return nil
}

func implementation(raw json.RawMessage) Implementation {
	name, _ := wire.Text(wire.Get(raw, "name"))
	version, _ := wire.Text(wire.Get(raw, "version"))
	return Implementation{Name: name, Version: version}
}
