package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
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

// agree reads the result of initialize and takes up the revision that it names.
func (c *Client) agree(result json.RawMessage, pinned string) error {
	var view struct {
		Version      string          `json:"protocolVersion"`
		Capabilities json.RawMessage `json:"capabilities"`
		Server       Implementation  `json:"serverInfo"`
		Instructions string          `json:"instructions"`
	}
	if err := json.Unmarshal(result, &view); err != nil {
		return fmt.Errorf("initialize: the result cannot be read: %w", err)
	}
	if !slices.Contains(Revisions(), view.Version) || Modern(view.Version) {
		return &RevisionError{"of the legacy era", []string{view.Version}}
	}
	if pinned != "" && view.Version != pinned {
		return &RevisionError{pinned, []string{view.Version}}
	}
	c.Hello, c.Server = result, view.Server
	c.Capabilities, c.Instructions = orEmpty(view.Capabilities), view.Instructions
	c.use(view.Version)
	return nil
}
