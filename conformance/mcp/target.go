package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// Config says how to reach a server and what may be done to it. Dial, Transport,
// Name and Now are required.
type Config struct {
	Dial      mcp.Dialer
	Older     mcp.Dialer // HTTP+SSE at the same URL; nil where there is none
	Transport string     // stdio, http, sse, websocket
	Name      string     // how a user would write the target
	Revision  string     // pinned; "" takes the newest
	// AllowTools names tools that may be called although nothing says that they
	// only read.
	AllowTools []string
	Now        func() time.Time
	Probe      time.Duration // see internal/mcp
}

// Target reaches one MCP server. Cases share a conversation unless they ask for
// one of their own; a conversation that a case broke is not used again.
type Target struct {
	config Config
	ledger *ledger
	budget *wire.Budget // of what is kept of the run

	ending sync.WaitGroup // conversations that are being closed

	mu     sync.Mutex
	shared *conversation // for cases that keep the rules
	rough  *conversation // for those that do not, where a conversation costs a process
	all    []*conversation
	facts  *Facts
	pinned string // the revision that the survey negotiated
	// overSSE tells that the survey fell back on HTTP+SSE.
	overSSE bool

	tourOnce sync.Once
	visits   []visit
}

// NewTarget returns a target that has reached nothing yet.
func NewTarget(c Config) *Target {
	t := &Target{config: c, ledger: newLedger()}
	t.budget = wire.NewBudget(conformance.Kept, t.hangUp)
	return t
}

// clientInfo is what the suite calls itself.
func clientInfo() mcp.Implementation {
	return mcp.Implementation{Name: "peerwright", Version: "1"}
}

func (t *Target) options(tr *wire.Transcript, conv *conversation) mcp.Options {
	dial, older := t.way()
	return mcp.Options{
		Dial: dial, Older: older, Revision: t.revision(), Tap: tr.See,
		Client: clientInfo(), Capabilities: json.RawMessage(`{}`), Observe: conv.observe, Probe: t.config.Probe,
	}
}

// way is how to dial: both ways until the survey has found out which one leads to the
// server, and then that one alone.
func (t *Target) way() (dial, older mcp.Dialer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.pinned == "":
		return t.config.Dial, t.config.Older
	case t.overSSE:
		return t.config.Older, nil
	}
	return t.config.Dial, nil
}

// revision is the one to ask for: what the user pinned, or what the survey agreed
// on, so that every conversation of a run speaks the same.
func (t *Target) revision() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pinned != "" {
		return t.pinned
	}
	return t.config.Revision
}

// connect opens a conversation with the handshake done.
func (t *Target) connect(ctx context.Context) (*conversation, error) {
	conv := t.newConversation()
	client, err := mcp.Connect(ctx, t.options(conv.transcript, conv))
	return conv.begun(client, t.enough(err))
}

// bare opens a conversation in which nothing was said yet.
func (t *Target) bare(ctx context.Context) (*conversation, error) {
	conv := t.newConversation()
	conv.hostile = true
	client, err := mcp.Open(ctx, t.options(conv.transcript, conv))
	return conv.begun(client, t.enough(err))
}

func (t *Target) newConversation() *conversation {
	conv := &conversation{transcript: wire.NewTranscript(t.config.Now).Within(t.budget), budget: t.budget}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, conv)
	return conv
}

// Open returns a *Session. Over HTTP an isolated one has a conversation of its own;
// on a stream, where that would cost a process, the isolated ones share a second
// conversation for as long as it stays sound.
func (t *Target) Open(ctx context.Context, isolated bool) (conformance.Peer, error) {
	slot := &t.shared
	switch {
	case isolated && t.config.Transport == "http":
		conv, err := t.connect(ctx)
		if err != nil {
			return nil, err
		}
		conv.hostile = true
		return newSession(t, conv, true), nil
	case isolated:
		slot = &t.rough
	}
	conv, err := t.share(ctx, slot)
	if err != nil {
		return nil, err
	}
	conv.hostile = conv.hostile || isolated
	return newSession(t, conv, false), nil
}

// share returns the common conversation in the slot, a new one when the last was
// given up.
func (t *Target) share(ctx context.Context, slot **conversation) (*conversation, error) {
	if err := t.enough(nil); err != nil {
		return nil, err
	}
	t.mu.Lock()
	conv := *slot
	t.mu.Unlock()
	if conv != nil {
		return conv, nil
	}
	conv, err := t.connect(ctx)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	*slot = conv
	return conv, nil
}

// giveUp makes sure that no other case meets the conversation, and ends it.
func (t *Target) giveUp(ctx context.Context, conv *conversation) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, slot := range []**conversation{&t.shared, &t.rough} {
		if *slot == conv {
			*slot = nil
		}
	}
	t.retire(ctx, conv)
}

// retire ends a conversation behind the back of the cases: a server that takes its
// time to end must not hold up the suite.
func (t *Target) retire(ctx context.Context, conv *conversation) {
	t.ending.Go(func() {
		_ = conv.close(context.WithoutCancel(ctx)) // the cases that used it are judged already
	})
}

// Traces returns every conversation so far.
func (t *Target) Traces() []conformance.Trace {
	t.mu.Lock()
	defer t.mu.Unlock()
	traces := make([]conformance.Trace, 0, len(t.all))
	for _, conv := range t.all {
		traces = append(traces, conv.trace(t.config.Transport))
	}
	return traces
}

// Calls lists the tools that were called, and why.
func (t *Target) Calls() []reporters.Call { return t.ledger.list() }

// Close ends every conversation.
func (t *Target) Close(ctx context.Context) error {
	t.mu.Lock()
	all := t.all
	t.mu.Unlock()
	var errs []error
	var mu sync.Mutex
	for _, conv := range all {
		t.ending.Go(func() {
			err := conv.close(ctx)
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, err)
		})
	}
	t.ending.Wait()
	return errors.Join(errs...)
}
