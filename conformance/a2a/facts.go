package a2a

import (
	"context"
	"sync"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// facts are what the suite's own messages brought about, made once and used by every
// case that needs one: an agent may have to pay for each message.
type facts struct {
	mu     sync.Mutex
	first  *sent      // the first message
	second *sent      // another in the context of the first
	stream *recording // a message whose answer was streamed
	live   string     // a task that went on when it was last seen; "" without one
	tries  int        // how often a task that goes on was asked for
}

// maxLive is how often the suite asks for a task that goes on: once for each case that
// cannot do without.
const maxLive = 3

// sent is what came of a message.
type sent struct {
	frames []wire.Frame
	reply  a2ahttp.Reply
	item   item
	err    error // a *a2ahttp.Fault when the agent refused it
}

// say sends the prompt in the shared conversation.
func (s *Session) say(ctx context.Context, why string, m message) *sent {
	shared := newSession(s.target, s.target.shared, false)
	m.id, m.text = s.target.newID(), s.target.config.Prompt
	s.Note(a2ahttp.SendMessage, why)
	reply, err := shared.conv.client.Call(ctx, a2ahttp.SendMessage, encoded(s.dialect.send(m)))
	out := &sent{reply: reply, err: err}
	if err == nil {
		out.item = s.dialect.item(reply.Result)
	}
	out.frames = shared.Frames()
	return out
}

// first returns what came of the first message, however that was.
func (s *Session) first(ctx context.Context) *sent {
	f := &s.target.facts
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.first == nil {
		f.first = s.say(ctx, "to have an answer, and a task, to look at", message{})
	}
	s.borrow(f.first.frames)
	return f.first
}

// answered returns what the agent answered with; the case is not-verified when it
// did not answer.
func (s *Session) answered(ctx context.Context, c *conformance.Check) item {
	return answer(c, s.first(ctx))
}

func answer(c *conformance.Check, out *sent) item {
	if out.err != nil {
		c.NotVerified("the agent did not answer the suite's message: %v", out.err)
	}
	if out.item.Kind == "" {
		c.NotVerified("the answer to the suite's message is neither a task nor a message: %s", out.item.Problem)
	}
	return out.item
}

// second returns what came of another message in the context of the first.
func (s *Session) second(ctx context.Context, c *conformance.Check) *sent {
	contextID := s.answered(ctx, c).ContextID
	if contextID == "" {
		c.NotVerified("the agent gave no contextId to go on in")
	}
	f := &s.target.facts
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.second == nil {
		f.second = s.say(ctx, "to go on in the context of the first message", message{contextID: contextID})
	}
	s.borrow(f.second.frames)
	return f.second
}

// known returns a task of the suite's, as it was when it was answered with.
func (s *Session) known(ctx context.Context, c *conformance.Check) item {
	it := s.answered(ctx, c)
	if it.Kind != isTask || it.TaskID == "" {
		c.NotVerified("the agent answered with a %s and made no task", it.Kind)
	}
	return it
}

// finished returns a task that is over.
func (s *Session) finished(ctx context.Context, c *conformance.Check) item {
	it := s.resting(ctx, c)
	if !it.State.terminal() {
		c.NotVerified("the task %s is %s, and none of the suite's is over", it.TaskID, it.State)
	}
	return it
}

// resting returns a task that nothing happens to by itself: one that is over, or
// waits for its client.
func (s *Session) resting(ctx context.Context, c *conformance.Check) item {
	return s.rested(ctx, c, s.known(ctx, c))
}

// rested returns the task once it has come to rest; the case is not-verified when it
// has not.
func (s *Session) rested(ctx context.Context, c *conformance.Check, it item) item {
	if !it.State.terminal() {
		it = task(s.Must(ctx, c, a2ahttp.GetTask, object{"id": it.TaskID}).Result)
	}
	if !it.State.terminal() && !it.State.interrupted() {
		c.NotVerified("the task %s is still %s", it.TaskID, it.State)
	}
	return it
}

// going returns a task that is not over. It asks for one that need not be waited
// for, a few times at most: an agent may be done before the next call.
func (s *Session) going(ctx context.Context, c *conformance.Check) item {
	first := s.known(ctx, c)
	f := &s.target.facts
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range []string{f.live, first.TaskID} {
		if it, ok := s.stillGoing(ctx, id); ok {
			return it
		}
	}
	if f.live = ""; f.tries >= maxLive {
		c.NotVerified("the agent's tasks are over before anything can be done to them")
	}
	f.tries++
	out := s.say(ctx, "to have a task that goes on for a while", message{returnAtOnce: true})
	s.borrow(out.frames)
	it := answer(c, out)
	if it.Kind != isTask || it.State.terminal() {
		f.tries = maxLive // it waits for its tasks whatever it is asked, and would again
		c.NotVerified("the agent's tasks are over before anything can be done to them")
	}
	f.live = it.TaskID
	return it
}

func (s *Session) stillGoing(ctx context.Context, id string) (item, bool) {
	if id == "" {
		return item{}, false
	}
	reply, err := s.conv.client.Call(ctx, a2ahttp.GetTask, encoded(object{"id": id}))
	if err != nil {
		return item{}, false
	}
	it := task(reply.Result)
	return it, it.State != "" && !it.State.terminal()
}
