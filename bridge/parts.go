package bridge

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/peerwright/peerwright/bridge/a2achat"
	"github.com/peerwright/peerwright/bridge/mcptools"
	"github.com/peerwright/peerwright/bridge/mcptools/loop"
	"github.com/peerwright/peerwright/bridge/mcptools/upstream"
	"github.com/peerwright/peerwright/internal/dial"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/seal"
	"github.com/peerwright/peerwright/internal/store"
	"github.com/peerwright/peerwright/internal/store/open"
)

func openStore(ctx context.Context, url string, now func() time.Time) (store.Store, error) {
	if url == "" {
		url = "memory://"
	}
	s, err := open.Open(ctx, url, now)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return s, nil
}

func newRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

func (b *Bridge) newAgents(registry *prometheus.Registry) (*a2achat.Backend, error) {
	return a2achat.New(a2achat.Options{
		Agents: b.config.Agents, Store: b.store, Env: b.env.Lookup,
		Now: b.env.Now, Random: b.env.Random, Log: b.env.Log, Redact: b.env.Redact, Metrics: registry,
	})
}

// newTools makes the backend of the MCP servers. Cursors are signed with a secret of the
// store, so that all bridges on one store take each other's.
func (b *Bridge) newTools(ctx context.Context, registry *prometheus.Registry) (*mcptools.Backend, error) {
	secret, err := b.store.Secret(ctx, "cursor")
	if err != nil {
		return nil, fmt.Errorf("store: the secret of the cursors: %w", err)
	}
	servers, err := b.newUpstreams()
	if err != nil {
		return nil, err
	}
	if err := registry.Register(newServerMetrics(servers)); err != nil {
		return nil, err
	}
	model, err := b.newLoop()
	if err != nil {
		return nil, err
	}
	made, err := newToolMetrics(registry)
	if err != nil {
		return nil, err
	}
	return mcptools.New(mcptools.Options{
		Upstreams: servers, Keys: b.store, Seal: seal.New(secret), Loop: model,
		Timeout: b.config.Timeout, KeyTTL: b.config.KeyTTL, Lease: b.config.KeyLease,
		Now: b.env.Now, Random: b.env.Random, Log: b.env.Log, Made: made.see,
	})
}

func (b *Bridge) newUpstreams() ([]*upstream.Upstream, error) {
	var servers []*upstream.Upstream
	var hide []string // a server that is a process has no use for the keys of the callers
	if b.config.APIKeysEnv != "" {
		hide = []string{b.config.APIKeysEnv}
	}
	for _, c := range b.config.Upstreams {
		header, err := c.header(b.env, len(b.config.Upstreams) == 1)
		if err != nil {
			return nil, fmt.Errorf("upstreams[%s]: %w", c.ID, err)
		}
		u, err := upstream.New(upstream.Config{
			ID: c.ID, Revision: c.Revision, Client: mcp.Implementation{Name: "peerwright-bridge", Version: b.env.Version},
			Target: dial.Target{URL: c.MCP, Command: c.Command, Dir: c.Dir, Transport: c.Transport, Header: header, Hide: hide},
			Start:  c.Start, Timeout: c.Timeout, MaxInFlight: c.MaxInFlight,
			Now: b.env.Now, Random: b.env.Random, Log: b.env.Log,
		})
		if err != nil {
			return nil, fmt.Errorf("upstreams[%s]: %w", c.ID, err)
		}
		servers = append(servers, u)
	}
	return servers, nil
}

// newLoop returns the client of the model server, nil without one.
func (b *Bridge) newLoop() (*loop.Client, error) {
	c := b.config.LLM
	if c == nil {
		return nil, nil
	}
	var key string
	if c.APIKeyEnv != "" {
		var err error
		if key, err = b.env.secret(c.APIKeyEnv); err != nil {
			return nil, fmt.Errorf("llm.api_key_env: %w", err)
		}
		b.env.Redact.Known(key)
	}
	return loop.New(loop.Config{URL: c.URL, Key: key, Model: c.Model, Rounds: c.Rounds, Tokens: c.Tokens, Time: c.Time, Now: b.env.Now}), nil
}
