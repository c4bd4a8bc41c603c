package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/peerwright/peerwright/bridge/a2achat"
	"github.com/peerwright/peerwright/bridge/mcptools"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/redact"
	"github.com/peerwright/peerwright/internal/store"
)

// Env is what a bridge takes from the process that it runs in. All of it is required,
// but for Trace.
type Env struct {
	Lookup  func(name string) (value string, ok bool) // an environment variable
	Now     func() time.Time
	Random  io.Reader // for several goroutines at once
	Log     *slog.Logger
	Trace   io.Writer // takes what Config.Trace asks for
	Redact  *redact.Redactor
	Version string // of the program, told to servers
}

// Bridge is everything behind one endpoint. It is made by Open.
type Bridge struct {
	config Config
	env    Env
	keys   []string
	store  store.Store

	agents *a2achat.Backend  // nil without agents
	tools  *mcptools.Backend // nil without MCP servers
	server *openai.Server
	done   chan struct{} // closed by Close
	house  sync.WaitGroup
}

// Open makes a bridge. It reads the environment and opens the store, and reaches no
// peer: those are reached when they are first needed, and by Start. The error says what
// is wrong with the configuration, or with the store.
func Open(ctx context.Context, c Config, env Env) (*Bridge, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	b := &Bridge{config: c, env: env, done: make(chan struct{})}
	var err error
	if b.keys, err = c.inboundKeys(env); err != nil {
		return nil, err
	}
	if err := c.checkExposure(b.keys); err != nil {
		return nil, err
	}
	b.warnOfCallers()
	if b.store, err = openStore(ctx, c.Store, env.Now); err != nil {
		return nil, err
	}
	if err := b.assemble(ctx); err != nil {
		return nil, errors.Join(err, b.store.Close())
	}
	return b, nil
}

func (b *Bridge) assemble(ctx context.Context) error {
	registry := newRegistry()
	var backends []openai.Backend
	if len(b.config.Agents) > 0 {
		var err error
		if b.agents, err = b.newAgents(registry); err != nil {
			return err
		}
		backends = append(backends, b.agents)
	}
	if len(b.config.Upstreams) > 0 { // after the agents: tools are called whatever the model is said to be
		var err error
		if b.tools, err = b.newTools(ctx, registry); err != nil {
			return err
		}
		backends = append(backends, b.tools)
	}
	server, err := openai.New(b.serverOptions(backends, registry))
	if err != nil {
		return fmt.Errorf("the endpoint: %w", err)
	}
	b.server = server
	return nil
}

func (b *Bridge) serverOptions(backends []openai.Backend, registry *prometheus.Registry) openai.Options {
	o := openai.Options{
		Backends: backends, Keys: b.keys, AllowPassthrough: b.config.AllowAuthPassthrough,
		Origins: b.config.AllowOrigins, Hosts: b.config.hosts(b.keys),
		Limit: b.config.MaxBody, KeepAlive: b.config.KeepAlive, Drain: b.config.Drain,
		Routes: b.routes(), Now: b.env.Now, Random: b.env.Random, Log: b.env.Log, Redact: b.env.Redact,
		Metrics: registry,
	}
	if b.config.Trace && b.env.Trace != nil {
		o.Trace = openai.NewTrace(b.env.Trace, b.env.Redact)
	}
	return o
}

// Start reaches every peer, so that what is wrong shows at once, and returns why the
// ones that could not be reached were not, by id. They are tried again when needed.
func (b *Bridge) Start(ctx context.Context) map[string]error {
	if b.agents != nil {
		b.agents.Start(ctx)
	}
	return b.unready(ctx)
}

// Serve answers on the listener until the context ends; see openai.Server.Serve.
func (b *Bridge) Serve(ctx context.Context, ln net.Listener) error {
	b.house.Go(func() { b.keepHouse(ctx) })
	return b.server.Serve(ctx, ln)
}

// Close lets what is under way come to its end, and cuts it short when the context
// ends. No process that the bridge started is left.
func (b *Bridge) Close(ctx context.Context) error {
	close(b.done)
	b.house.Wait()
	var errs []error
	if b.agents != nil {
		errs = append(errs, b.agents.Close(ctx))
	}
	if b.tools != nil {
		errs = append(errs, b.tools.Close(ctx))
	}
	return errors.Join(append(errs, b.store.Close())...)
}
