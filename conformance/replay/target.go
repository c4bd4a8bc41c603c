package replay

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// Target plays one script against one peer. It implements conformance.Target.
type Target struct {
	script  *Script
	backend backend
	now     func() time.Time
	random  io.Reader
	ledger  *ledger
	budget  *wire.Budget // of what is kept of the run

	mu       sync.Mutex
	surveyed conformance.Survey
	play     *play // nil before the first case
	failed   error // why there is none
	traces   []*trace
}

// backend reaches the peers of one protocol.
type backend interface {
	survey(ctx context.Context, tap wire.Tap) (conformance.Survey, error)
	open(ctx context.Context, tap wire.Tap) (driver, error)
}

// trace is a conversation that was opened.
type trace struct {
	transcript *wire.Transcript
	revision   string
}

func newTarget(s *Script, b backend, l *ledger, now func() time.Time, random io.Reader) *Target {
	if random == nil {
		random = rand.Reader
	}
	return &Target{
		script: s, backend: b, now: now, random: random, ledger: l, budget: wire.NewBudget(conformance.Kept, nil),
	}
}

// Survey reaches the peer and finds out what of the script it can be put through.
func (t *Target) Survey(ctx context.Context) (conformance.Survey, error) {
	tr := t.begin("")
	survey, err := t.backend.survey(ctx, tr.transcript.See)
	t.mu.Lock()
	defer t.mu.Unlock()
	tr.revision, t.surveyed = survey.Revision, survey
	return survey, err
}

func (t *Target) begin(revision string) *trace {
	tr := &trace{transcript: wire.NewTranscript(t.now).Within(t.budget), revision: revision}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.traces = append(t.traces, tr)
	return tr
}

// open returns the one conversation of the script, and begins it when there is none.
func (t *Target) open(ctx context.Context) (*play, error) {
	t.mu.Lock()
	play, err, revision := t.play, t.failed, t.surveyed.Revision
	t.mu.Unlock()
	if play != nil || err != nil {
		return play, err
	}
	tr := t.begin(revision)
	d, err := t.backend.open(ctx, tr.transcript.See)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed = err; err != nil {
		return nil, err
	}
	t.play = newPlay(t.script, d, tr.transcript, t.fresh)
	return t.play, nil
}

func newPlay(s *Script, d driver, tr *wire.Transcript, fresh func() string) *play {
	return &play{
		script: s, driver: d, transcript: tr, fresh: fresh, outcomes: map[*step]*outcome{},
		values: map[string]json.RawMessage{}, own: map[string]json.RawMessage{},
	}
}

// fresh makes an id in the shape of a UUID.
func (t *Target) fresh() string {
	b := make([]byte, 16)
	_, _ = io.ReadFull(t.random, b) // crypto/rand does not fail; zeros would only be no news
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Open returns a handle for one case. All cases share the one conversation.
func (t *Target) Open(context.Context, bool) (conformance.Peer, error) {
	if t.budget.Spent() {
		return nil, conformance.ErrTooMuch
	}
	return &handle{target: t}, nil
}

// Traces returns what travelled: the survey, and the script.
func (t *Target) Traces() []conformance.Trace {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]conformance.Trace, 0, len(t.traces))
	for _, tr := range t.traces {
		all = append(all, conformance.Trace{
			Frames: tr.transcript.Frames(0), Revision: tr.revision, Transport: t.surveyed.Transport,
		})
	}
	return all
}

// Calls lists the tools and operations that were called.
func (t *Target) Calls() []reporters.Call { return t.ledger.list() }

// Close ends the conversation.
func (t *Target) Close(ctx context.Context) error {
	t.mu.Lock()
	play := t.play
	t.play, t.failed = nil, nil
	t.mu.Unlock()
	if play == nil {
		return nil
	}
	return play.driver.close(ctx)
}

// handle is the peer for the time of one case.
type handle struct {
	target *Target
	from   int
}

// Frames returns what travelled while the case ran.
func (h *handle) Frames() []wire.Frame {
	h.target.mu.Lock()
	defer h.target.mu.Unlock()
	if h.target.play == nil {
		return nil
	}
	return h.target.play.transcript.Frames(h.from)
}

// Release does nothing: a case that failed is part of the conversation all the same.
func (h *handle) Release(context.Context, bool) {}

// ledger keeps what was called.
type ledger struct {
	mu    sync.Mutex
	calls []reporters.Call
}

func (l *ledger) note(tool, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.calls {
		if c := &l.calls[i]; c.Tool == tool && c.Why == why {
			c.Count++
			return
		}
	}
	l.calls = append(l.calls, reporters.Call{Tool: tool, Why: why, Count: 1})
}

func (l *ledger) list() []reporters.Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]reporters.Call(nil), l.calls...)
}

func itoa(n int) string { return strconv.Itoa(n) }
