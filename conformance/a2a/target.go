package a2a

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// DefaultPrompt is what the suite says to an agent where the user gives no words.
const DefaultPrompt = "Hello! Please answer with one short greeting."

// DefaultPatience is how long an agent may take to close a stream that is over.
const DefaultPatience = 5 * time.Second

// Config says how to reach an agent and what to say to it. URL and Now are required.
type Config struct {
	URL string // of the agent, or of its card
	// Options are those of the transport; Tap is the target's own. Header goes to the
	// origin of URL only: the survey fails when the card has the agent elsewhere.
	Options  transport.Options
	Revision string // pinned: "0.2", "0.3" or "1.0"; "" takes the agent's first
	Binding  string // pinned: "JSONRPC" or "HTTP+JSON"; "" takes the agent's first
	Prompt   string // what the messages say; "" means DefaultPrompt
	// Webhook is for push configurations; "" means one of this machine for an agent on
	// it, if that takes such, and else DefaultWebhook. Nothing needs to listen there.
	Webhook string
	// Patience is how long an agent may take to close a stream that is over; 0 means
	// DefaultPatience.
	Patience time.Duration
	Now      func() time.Time
}

// Target reaches one agent over one interface. A2A has no sessions: the cases share
// one conversation, but for those that break rules on purpose.
type Target struct {
	config Config
	ledger *ledger
	budget *wire.Budget // of what is kept of the run

	mu     sync.Mutex
	shared *conversation // nil before the survey
	all    []*conversation
	card   []wire.Frame // how the card was found
	facts  facts
	ids    int // how many ids were made up
}

// conversation is what travelled through one client.
type conversation struct {
	client     *a2ahttp.Client
	transcript *wire.Transcript
	hostile    bool
}

// NewTarget returns a target that has reached nothing yet.
func NewTarget(c Config) *Target {
	if c.Prompt == "" {
		c.Prompt = DefaultPrompt
	}
	if c.Patience <= 0 {
		c.Patience = DefaultPatience
	}
	return &Target{config: c, ledger: newLedger(), budget: wire.NewBudget(conformance.Kept, nil)}
}

// Survey finds the card, chooses the interface, and asks for one page of tasks where
// tasks can be listed. It sends no message.
func (t *Target) Survey(ctx context.Context) (conformance.Survey, error) {
	conv := &conversation{transcript: wire.NewTranscript(t.config.Now).Within(t.budget)}
	o := t.config.Options
	o.Tap = conv.transcript.See
	client, err := a2ahttp.Dial(ctx, t.config.URL, a2ahttp.Config{
		Options: o, Want: a2ahttp.Want{Version: t.config.Revision, Binding: t.config.Binding},
	})
	if err != nil {
		return conformance.Survey{}, err
	}
	conv.client = client
	t.mu.Lock()
	t.shared, t.all = conv, append(t.all, conv)
	t.card = conv.transcript.Frames(0)
	t.mu.Unlock()
	card, i := client.Found.Card, client.Interface
	has := features(card, i)
	if i.Version == a2ahttp.V10 {
		has[ListTasks] = listing(ctx, client)
	}
	return conformance.Survey{
		Protocol: conformance.A2A, Transport: transportName(i.Binding), Target: t.config.URL,
		Name: card.Name, Version: card.Version, Revision: i.Version, Features: has,
	}, nil
}

// listing finds out whether the agent lists tasks for this client.
func listing(ctx context.Context, client *a2ahttp.Client) conformance.Offer {
	_, err := client.Call(ctx, a2ahttp.ListTasks, encoded(object{"pageSize": 1}))
	if err != nil {
		return conformance.Offer{Why: "the agent lists no tasks for this client: " + err.Error()}
	}
	return conformance.Offer{Usable: true}
}

func transportName(binding string) string {
	if binding == a2ahttp.HTTPJSON {
		return "http+json"
	}
	return "jsonrpc"
}

// errNoSurvey is the suite's own mistake.
var errNoSurvey = errors.New("the agent was not surveyed yet")

// Open returns a *Session.
func (t *Target) Open(_ context.Context, isolated bool) (conformance.Peer, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shared == nil {
		return nil, errNoSurvey
	}
	if t.budget.Spent() {
		return nil, conformance.ErrTooMuch
	}
	if !isolated {
		return newSession(t, t.shared, false), nil
	}
	conv, err := t.begin(t.shared.client.Interface)
	if err != nil {
		return nil, err
	}
	return newSession(t, conv, true), nil
}

// begin begins a conversation of its own, for a case that breaks rules. The caller
// holds the lock.
func (t *Target) begin(i a2ahttp.Interface) (*conversation, error) {
	conv := &conversation{transcript: wire.NewTranscript(t.config.Now).Within(t.budget), hostile: true}
	client, err := t.shared.client.At(i, conv.transcript.See)
	if err != nil {
		return nil, fmt.Errorf("another conversation: %w", err)
	}
	conv.client = client
	t.all = append(t.all, conv)
	return conv, nil
}

// another begins a conversation with another interface of the card.
func (t *Target) another(i a2ahttp.Interface) (*conversation, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.begin(i)
}

// Traces returns every conversation so far.
func (t *Target) Traces() []conformance.Trace {
	t.mu.Lock()
	defer t.mu.Unlock()
	traces := make([]conformance.Trace, 0, len(t.all))
	for _, conv := range t.all {
		i := conv.client.Interface
		traces = append(traces, conformance.Trace{
			Frames: conv.transcript.Frames(0), Revision: i.Version,
			Transport: transportName(i.Binding), Hostile: conv.hostile,
		})
	}
	return traces
}

// Calls lists the messages that were sent and what else may have left a mark on the
// agent, and why.
func (t *Target) Calls() []reporters.Call { return t.ledger.list() }

// Close lets go of every connection.
func (t *Target) Close(context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, conv := range t.all {
		conv.client.Close()
	}
	return nil
}

// newID returns an id that nothing else has, in the shape of a UUID because agents
// may ask for that.
func (t *Target) newID() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ids++
	n := uint64(t.config.Now().UnixNano())
	return fmt.Sprintf("%08x-%04x-4%03x-8000-%012x", uint32(n>>32), uint16(n>>16), n&0xfff, t.ids)
}
