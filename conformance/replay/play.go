package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/wire"
)

// driver speaks with the live peer.
type driver interface {
	// refuses says why the step must not be put to this peer; "" when it may.
	refuses(st *step) string
	// stamp puts in the request what the conversation gives it: its id.
	stamp(st *step, out fixtures.Frame) (fixtures.Frame, error)
	// send begins the step, with the frames as they are to be sent now, and returns how
	// to wait for its answer.
	send(ctx context.Context, st *step, head, out fixtures.Frame) (wait, error)
	// greeting is the answer to a step that the opening of the conversation has played.
	greeting(st *step) answer
	close(ctx context.Context) error
}

// wait returns the answer once it is there, or the context ends.
type wait func(ctx context.Context) answer

// answer is what the live peer answered.
type answer struct {
	err      error
	status   int // of HTTP; 0 elsewhere
	header   http.Header
	payloads [][]byte // the response; the body; the events
	notes    []wire.Message
	// ownStream tells that the answer came on a stream of its own, so that all that
	// came with it belongs to it.
	ownStream bool
}

// outcome is what came of one step.
type outcome struct {
	answer
	// unplayed says why the step was not put to the peer; "" when it was.
	unplayed string
	wait     wait // nil once the answer is there
}

// play is the script on its way, on one conversation.
type play struct {
	script     *Script
	driver     driver
	transcript *wire.Transcript
	fresh      func() string // makes an id that nothing else has

	mu       sync.Mutex
	next     int // the first step that was not begun
	outcomes map[*step]*outcome
	open     []*step                    // begun and not answered, in order
	values   map[string]json.RawMessage // of the live peer, by binding
	own      map[string]json.RawMessage // what was made up in place of a recorded value
}

// result plays the script as far as the answer to the step needs it, and returns
// what came of it. Whatever comes before it is played first, once, also when its own
// cases are left out: later steps build on it.
func (p *play) result(ctx context.Context, st *step) outcome {
	p.mu.Lock()
	defer p.mu.Unlock()
	until := max(st.begins, st.ends)
	for p.next < len(p.script.steps) && p.script.steps[p.next].begins <= until && ctx.Err() == nil {
		st := p.script.steps[p.next]
		p.next++
		p.before(ctx, st)
		p.begin(ctx, st)
	}
	o := p.outcomes[st]
	if o == nil {
		return outcome{answer: answer{err: context.Cause(ctx)}}
	}
	if st.unknown == "" {
		p.settle(ctx, st)
	}
	return *o
}

// before waits for the answers that had come when the step was sent.
func (p *play) before(ctx context.Context, next *step) {
	for _, st := range p.open {
		if st.ends != 0 && st.ends < next.begins {
			p.settle(ctx, st)
		}
	}
}

// settle waits for the answer of a step, and takes the values out of it.
func (p *play) settle(ctx context.Context, st *step) {
	o := p.outcomes[st]
	if o.wait == nil {
		return
	}
	o.answer = o.wait(ctx)
	o.wait = nil
	p.forget(st)
	if o.err == nil {
		p.learn(st, o.answer)
	}
}

func (p *play) forget(st *step) {
	rest := make([]*step, 0, len(p.open))
	for _, s := range p.open {
		if s != st {
			rest = append(rest, s)
		}
	}
	p.open = rest
}

func (p *play) begin(ctx context.Context, st *step) {
	o := &outcome{}
	p.outcomes[st] = o
	switch {
	case st.idle != "":
		o.unplayed = st.idle
		return
	case st.greets:
		o.answer = p.driver.greeting(st)
		p.learn(st, o.answer)
		return
	}
	head, out, missing := p.prepare(st)
	if o.unplayed = missing; o.unplayed == "" {
		o.unplayed = p.driver.refuses(st)
	}
	if o.unplayed != "" {
		return
	}
	if out, o.err = p.driver.stamp(st, out); o.err != nil {
		return
	}
	p.sent(head, out)
	o.wait, o.err = p.driver.send(ctx, st, head, out)
	if o.wait != nil {
		p.open = append(p.open, st)
	}
}

// prepare returns the frames of the request with the values of this run. missing says
// why they cannot be sent.
func (p *play) prepare(st *step) (head, out fixtures.Frame, missing string) {
	head, out = st.Head, st.Out
	for _, f := range []*fixtures.Frame{&head, &out} {
		if missing = p.fill(f); missing != "" {
			return head, out, missing
		}
	}
	if bytes.Contains(out.Data, []byte(redacted)) || strings.Contains(head.URL, redacted) {
		return head, out, "its request holds a value that was redacted, and a replay does not know it"
	}
	return head, out, ""
}

// redacted is what a replacement begins with; see package redact.
const redacted = "[REDACTED:"
