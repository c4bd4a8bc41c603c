package a2apeer

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// Options says how the agent is built. The zero value is ready to use.
type Options struct {
	// Name is the name on the card; "" means "Peerwright's built-in agent".
	Name string
	// Version is the version on the card; "" means "1.0.0".
	Version string
	// Step is the time between two events of a task; 0 means 10 ms.
	Step time.Duration
	// Slow is how long a task takes that was asked for with "slow"; 0 means 2 s.
	Slow time.Duration
	// NoPush leaves push notifications undeclared, and refuses what needs them.
	NoPush bool
	// NoStreaming leaves streaming undeclared, and refuses what needs it.
	NoStreaming bool
	// ExtendedCard declares an extended card, of which none is configured.
	ExtendedCard bool
}

func (o Options) capabilities() a2a.AgentCapabilities {
	return a2a.AgentCapabilities{Streaming: !o.NoStreaming, PushNotifications: !o.NoPush, ExtendedAgentCard: o.ExtendedCard}
}

func (o Options) withDefaults() Options {
	if o.Name == "" {
		o.Name = "Peerwright's built-in agent"
	}
	if o.Version == "" {
		o.Version = "1.0.0"
	}
	if o.Step <= 0 {
		o.Step = 10 * time.Millisecond
	}
	if o.Slow <= 0 {
		o.Slow = 2 * time.Second
	}
	return o
}

// Agent is one A2A agent. Its methods may be called by several goroutines.
type Agent struct {
	opts    Options
	rules   *rules
	jsonrpc http.Handler // of the SDK, 1.0
	rest    http.Handler // of the SDK, 1.0
	old     http.Handler // of the SDK, 0.3
}

// New builds an agent. It starts nothing: Handler serves.
func New(o Options) *Agent {
	o = o.withDefaults()
	tasks, declared := newStore(), o.capabilities()
	options := []a2asrv.RequestHandlerOption{
		a2asrv.WithLogger(slog.New(slog.DiscardHandler)),
		a2asrv.WithTaskStore(tasks),
		a2asrv.WithCapabilityChecks(&declared),
	}
	var hooks *hooks
	if !o.NoPush {
		hooks = newHooks()
		options = append(options, a2asrv.WithPushNotifications(hooks, hooks))
	}
	r := &rules{RequestHandler: a2asrv.NewHandler(&executor{opts: o}, options...), tasks: tasks, hooks: hooks, streaming: !o.NoStreaming}
	return &Agent{
		opts: o, rules: r,
		jsonrpc: a2asrv.NewJSONRPCHandler(r), rest: a2asrv.NewRESTHandler(r), old: a2av0.NewJSONRPCHandler(r),
	}
}

// The paths of the interfaces, after the base URL.
const (
	pathCard = "/.well-known/agent-card.json"
	pathRPC  = "/rpc"
	pathREST = "/rest"
)

// Handler serves the card and the interfaces. The base URL is what stands on the
// card before the paths, without a final slash; "" takes it from the request.
//
// https://a2a-protocol.org/latest/specification/#82-discovery-mechanisms
func (a *Agent) Handler(baseURL string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(pathCard, card{a.opts, baseURL})
	mux.Handle(pathRPC, rpc{a})
	mux.Handle(pathREST+"/", http.StripPrefix(pathREST, rest{a}))
	return mux
}
