package mcppeer

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// freshFor is the ttlMs of every result that may be cached, in milliseconds.
const freshFor = 60_000

// newSDK builds the SDK server of one era with all that it offers. Eras have a
// server each because their schemas differ: only 2026-07-28 lets a tool answer
// with an array.
func newSDK(o Options, e era) *mcp.Server {
	p := &peer{opts: o, era: e}
	p.sdk = mcp.NewServer(&mcp.Implementation{Name: o.Name, Title: "Peerwright's built-in peer", Version: o.Version}, p.options())
	p.addTools()
	if !o.ToolsOnly {
		p.addResources()
		p.addPrompts()
	}
	return p.sdk
}

func (p *peer) options() *mcp.ServerOptions {
	so := &mcp.ServerOptions{
		Instructions: "A small library. Every tool but the note_* ones only reads.",
		PageSize:     p.opts.PageSize,
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.TTLMs, c.CacheScope = freshFor, "public"
		},
	}
	if p.opts.ModernOnly && p.era == modernEra {
		so.SupportedProtocolVersions = []string{revModern}
	}
	if p.opts.ToolsOnly {
		so.Capabilities = &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}
		return so
	}
	so.CompletionHandler = p.complete
	so.SubscribeHandler = p.subscribe
	so.UnsubscribeHandler = func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
	return so
}

// peer is what the handlers of one era share.
type peer struct {
	opts Options
	era  era
	sdk  *mcp.Server
}

// revision is the revision that a session speaks.
func (p *peer) revision(ss *mcp.ServerSession) string {
	if p.era == modernEra {
		return revModern
	}
	if init := ss.InitializeParams(); init != nil {
		return negotiated(init.ProtocolVersion)
	}
	return rev2025c
}

// pause waits d, or less when the request is cancelled.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// updates is how often a resource changes after it was subscribed to.
const updates = 3

// subscribe makes the resource change a few times, so that a subscriber has
// something to hear. Nothing else in the library ever changes by itself.
//
// https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions
func (p *peer) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	ctx = context.WithoutCancel(ctx)
	go func() {
		for range updates {
			if pause(ctx, 4*p.opts.Step) != nil {
				return
			}
			_ = p.sdk.ResourceUpdated(context.Background(), // best effort, to whoever is still there
				&mcp.ResourceUpdatedNotificationParams{URI: req.Params.URI})
		}
	}()
	return nil
}
