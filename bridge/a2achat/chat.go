package a2achat

import (
	"context"
	"net/http"

	"github.com/peerwright/peerwright/bridge/a2achat/agent"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/errclass"
)

// Chat implements openai.Backend: it makes one turn with the agent that the model names.
//
// What is wrong with the request itself is an error always; what goes wrong at the
// agent is told as its configuration asks for.
func (b *Backend) Chat(ctx context.Context, r *openai.Request, reply *openai.Reply) error {
	at := b.find(r.Model)
	if at == nil {
		return errclass.New(errclass.NotFound, errclass.Bridge, errclass.NotRun, "No agent has the id "+r.Model+".", errclass.Call{})
	}
	if err := at.background(r.Header); err != nil {
		return err
	}
	q, err := ask(r.Messages)
	if err != nil {
		return err
	}
	talk, err := at.find(r)
	if err != nil {
		return err
	}
	if talk.id == "" {
		talk = conversation{"conv_" + b.hex(12), minted}
	}
	talk.tell(reply)
	v := newVoice(at.config, r.Stream, reply)
	v.warnings = q.warnings
	if q.files() {
		switch card, err := at.agent.Card(ctx); {
		case err != nil:
			return v.finish(end{err: err}, b.now())
		case q.taken(card) != nil:
			return q.taken(card)
		}
	}
	t, err := b.begin(ctx, at, talk, r)
	if err != nil {
		return err
	}
	t.message.Parts = q.parts
	trace := t.trace(r.Trace)
	go t.run(b.life)
	e, err := t.follow(ctx, v)
	if err != nil {
		return err
	}
	trace(e)
	return v.finish(e, b.now())
}

// begin returns a turn of the conversation, which is to be run. It waits where another
// turn is about to begin the conversation.
func (b *Backend) begin(ctx context.Context, at *endpoint, talk conversation, r *openai.Request) (*turn, error) {
	if err := b.admit(); err != nil {
		return nil, err
	}
	t := &turn{
		Backend: b, at: at, talk: talk, said: at.messageID(r.Header), began: b.now(),
		updates: make(chan agent.Update), gone: make(chan struct{}), ended: make(chan end, 1),
	}
	if err := t.join(ctx, r.Caller); err != nil {
		b.turns.Done()
		return nil, err
	}
	t.message = agent.Message{
		MessageID: b.messageID(), ContextID: t.session.had.Context, TaskID: t.session.had.Task, Header: at.identity.header(r.Header, b.now()),
	}
	if r.Upstream != "" {
		if t.message.Header == nil {
			t.message.Header = http.Header{}
		}
		t.message.Header.Set("Authorization", r.Upstream)
	}
	return t, nil
}

// join finds the session of the conversation. One whose id is the bridge's own has
// nobody to wait for.
func (t *turn) join(ctx context.Context, caller string) (err error) {
	key := t.talk.key(t.at.config.ID, caller)
	if t.talk.source == minted {
		t.session = t.sessions.begin(key)
		return nil
	}
	t.session, err = t.sessions.enter(ctx, key, t.at.config.timeout())
	return err
}

// messageID returns an id that no other message has.
func (b *Backend) messageID() string { return "msg-" + b.hex(16) }
