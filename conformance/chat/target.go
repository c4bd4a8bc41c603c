package chat

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// DefaultPrompt is what the suite says to a model where the user gives no words.
const DefaultPrompt = "Hello! Please answer with one short greeting."

// Config says how to reach an endpoint and what to say to it. URL and Now are required.
type Config struct {
	// URL is the base of the endpoint: http://127.0.0.1:3847, or with the path below
	// which chat/completions stands, such as http://127.0.0.1:3847/v1.
	URL string
	// Options are those of the transport; Tap is the target's own.
	Options transport.Options
	Model   string // "" takes the first of the list
	// Prompt is what a message says. "" means that a tool is called where one can be, and
	// DefaultPrompt otherwise.
	Prompt     string
	AllowTools []string // that may be called although they do not say that they only read
	Now        func() time.Time
}

// Target reaches one endpoint. Nothing binds one request to another, so that all cases
// share one conversation.
type Target struct {
	config     Config
	base, root string // of the API, and of the peer; without a slash at the end
	http       *transport.HTTP
	transcript *wire.Transcript
	budget     *wire.Budget
	ledger     ledger

	mu       sync.Mutex
	surveyed bool
	facts    facts
}

// NewTarget returns a target that has reached nothing yet.
func NewTarget(c Config) *Target {
	t := &Target{config: c, budget: wire.NewBudget(conformance.Kept, nil)}
	t.base, t.root = places(c.URL)
	t.transcript = wire.NewTranscript(c.Now).Within(t.budget)
	o := c.Options
	o.Tap = t.transcript.See
	t.http = transport.NewHTTP(o, nil)
	return t
}

// places tells the base of the API and the root of the peer from what the user wrote.
func places(raw string) (base, root string) {
	base = strings.TrimRight(raw, "/")
	if u, err := url.Parse(base); err == nil && u.Path == "" {
		base += "/" + V1
	}
	return base, strings.TrimSuffix(base, "/"+V1)
}

// errNoSurvey is the suite's own mistake.
var errNoSurvey = errors.New("the endpoint was not surveyed yet")

// Open returns a *Session.
func (t *Target) Open(context.Context, bool) (conformance.Peer, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.surveyed {
		return nil, errNoSurvey
	}
	if t.budget.Spent() {
		return nil, conformance.ErrTooMuch
	}
	return &Session{target: t, from: t.transcript.Len()}, nil
}

// Traces returns the one conversation. Requests that break rules stand in it too: what
// the monitors judge holds whatever the client does.
func (t *Target) Traces() []conformance.Trace {
	return []conformance.Trace{{Frames: t.transcript.Frames(0), Revision: V1, Transport: "http"}}
}

// Calls lists the tools that were called and the messages that were sent, and why.
func (t *Target) Calls() []reporters.Call { return t.ledger.list() }

// Close lets go of every connection.
func (t *Target) Close(context.Context) error {
	t.http.Close()
	return nil
}
