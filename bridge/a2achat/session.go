package a2achat

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/store"
)

// session is a conversation for the time of one turn.
type session struct {
	all   *sessions
	key   store.SessionKey
	had   kept   // as the next turn would find it
	sure  bool   // whether that is so, or only what could be found out
	leave func() // lets the next turn of the conversation go; may be called more than once
}

// errBusy ends the wait for another turn.
var errBusy = errors.New("the first turn of the conversation takes too long")

// begin returns the session of a conversation that nobody else knows of.
func (s *sessions) begin(key store.SessionKey) *session {
	return &session{all: s, key: key, sure: true, leave: func() {}}
}

// enter returns the session of a conversation. Where it has no context yet, one turn at
// a time tries to get one, and the others wait for it, those on other bridges with the
// same store too: two first turns at once would make two contexts of one conversation.
//
// Turns of a conversation that has its context do not wait for each other. A context may
// hold any number of tasks at once, and a turn whose client has gone must not keep that
// client from asking again.
//
// https://a2a-protocol.org/v1.0.0/specification/#34-multi-turn-interactions
func (s *sessions) enter(ctx context.Context, key store.SessionKey, wait time.Duration) (*session, error) {
	x := s.begin(key)
	if x.look(ctx) {
		return x, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, wait, errBusy)
	defer cancel()
	err := x.first(ctx)
	if errors.Is(err, errBusy) {
		return nil, errclass.New(errclass.Timeout, errclass.Bridge, errclass.NotRun,
			"The first message of this conversation is still being answered. Send this one again when that is done.", errclass.Call{})
	}
	return x, err
}

// look looks up what is kept of the conversation, and tells whether it has a context.
func (x *session) look(ctx context.Context) bool {
	x.had, x.sure = x.all.load(ctx, x.key)
	return x.had.Context != ""
}

// first waits until the conversation has a context, or it is this turn's to get one.
func (x *session) first(ctx context.Context) error {
	open, err := x.all.gates.enter(ctx, x.key)
	if err != nil {
		return err
	}
	release, err := x.lease(ctx)
	if err != nil || x.had.Context != "" {
		open()
		return err
	}
	x.leave = sync.OnceFunc(func() {
		release()
		open()
	})
	return nil
}

// know keeps the context as soon as the agent has named it: whoever waits for it goes
// on, and a client that leaves now does not lose it.
func (x *session) know(ctx context.Context, contextID string) {
	if contextID == "" {
		return
	}
	if contextID != x.had.Context {
		x.keep(ctx, kept{Context: contextID})
	}
	x.leave()
}

// settle keeps what the next turn needs, and lets it go.
func (x *session) settle(ctx context.Context, next kept) {
	if next.Context == "" {
		next.Context = x.had.Context
	}
	if next.Context != "" && next != x.had {
		x.keep(ctx, next)
	}
	x.leave()
}

func (x *session) keep(ctx context.Context, k kept) {
	x.all.save(ctx, x.key, k, x.sure)
	x.had = k
}
