package a2achat

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/peerwright/peerwright/bridge/a2achat/agent"
	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/store"
)

// turn is one question and what comes of it. It goes on when its client is gone: the
// agent works on in any case, and what it says of context and task is said once.
type turn struct {
	*Backend

	at      *endpoint
	session *session
	talk    conversation
	said    string // the client's id of the message; "" without one
	message agent.Message
	began   time.Time
	told    bool // the agent has said something

	updates chan agent.Update // told as they come, while anybody listens
	gone    chan struct{}     // closed when nobody listens any more
	ended   chan end          // holds the end, which comes after the updates
}

// end is how a turn ended.
type end struct {
	outcome agent.Outcome
	err     error // nil, an errclass.Error, or a fault of the bridge itself
}

// run makes the turn, to its end. The context is not that of the request.
func (t *turn) run(ctx context.Context) {
	defer t.turns.Done()
	t.metrics.begin(t.at.config.ID)
	e := t.send(ctx)
	t.settle(ctx, e.outcome, e.err)
	t.ended <- e
}

// send sends the message. Where it was to go on with a task that the agent does not
// take it for, it is sent as one that begins a new task in the same context, which is
// another message: the task was lost, or ended by itself, and the user cannot know.
func (t *turn) send(ctx context.Context) (e end) {
	defer func() {
		if p := recover(); p != nil { // it is to cost no more than this turn
			e.err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	e.outcome, e.err = t.at.agent.Send(ctx, t.message, t.on(ctx))
	if t.message.TaskID == "" || t.told || !unfit(e.err) {
		return e
	}
	t.log.Warn("the agent does not go on with the task that waited; a new one is begun",
		"agent", t.at.config.ID, "context", t.message.ContextID, "task", t.message.TaskID, "error", e.err)
	t.message.TaskID, t.message.MessageID = "", t.messageID()
	e.outcome, e.err = t.at.agent.Send(ctx, t.message, t.on(ctx))
	return e
}

// on keeps what has to be kept of an update, and passes it on to whoever listens.
func (t *turn) on(ctx context.Context) func(agent.Update) error {
	return func(u agent.Update) error {
		if u.Kind == agent.Begun {
			t.session.know(ctx, u.ContextID)
		} else {
			t.told = true
		}
		select {
		case t.updates <- u:
		case <-t.gone:
		}
		return nil
	}
}

// unfit tells whether the agent has refused the message as it is, so that nothing has
// happened.
func unfit(err error) bool {
	e, ok := errors.AsType[errclass.Error](err)
	if !ok || e.Context.Source != errclass.Upstream || e.Context.Outcome != errclass.NotRun {
		return false
	}
	switch e.Class {
	case errclass.NotFound, errclass.InvalidArgs, errclass.Conflict:
		return !redirects(e)
	}
	return false
}

// settle keeps what the next turn needs, and records this one.
func (t *turn) settle(ctx context.Context, o agent.Outcome, err error) {
	next := kept{Context: o.ContextID, Task: t.session.had.Task}
	switch {
	case o.State == agent.InputRequired || o.State == agent.AuthRequired:
		next.Task = o.TaskID
	case err == nil, unfit(err):
		next.Task = ""
	}
	t.session.settle(ctx, next)
	record := store.Turn{
		Agent: t.at.config.ID, Conversation: t.session.key.Conversation, At: t.now(),
		Context: o.ContextID, Task: o.TaskID, Message: t.said, State: stateOf(o, err),
	}
	t.sessions.record(ctx, record)
	took := record.At.Sub(t.began)
	t.metrics.end(record.Agent, record.State, took)
	t.line(o, err, record, took)
}

// stateOf returns the state of the task, or the class of the error where there is none.
func stateOf(o agent.Outcome, err error) string {
	e, ok := errors.AsType[errclass.Error](err)
	if o.State == "" && ok {
		return string(e.Class)
	}
	return string(o.State)
}

// line logs the turn.
func (t *turn) line(o agent.Outcome, err error, r store.Turn, took time.Duration) {
	level, gone := slog.LevelInfo, false
	if err != nil {
		level = slog.LevelWarn
	}
	select {
	case <-t.gone:
		gone = true
	default:
	}
	attrs := []slog.Attr{
		slog.String("agent", r.Agent), slog.String("conversation", t.talk.id), slog.String("named_by", string(t.talk.source)),
		slog.String("context", r.Context), slog.String("task", r.Task), slog.String("state", r.State),
		slog.Int("bytes", size(o)), slog.Duration("took", took), slog.Bool("client_gone", gone),
	}
	if err != nil {
		attrs = append(attrs, slog.String("error", err.Error()), slog.String("detail", o.Detail))
	}
	for _, w := range o.Warnings {
		attrs = append(attrs, slog.String("warning", w))
	}
	t.log.LogAttrs(context.Background(), level, "turn", attrs...)
}

// size returns how much text an answer has, in bytes.
func size(o agent.Outcome) int {
	n := 0
	for _, b := range o.Answer {
		for _, p := range b.Parts {
			n += len(p.Text)
		}
	}
	return n
}
