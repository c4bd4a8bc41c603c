package a2achat

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"time"

	"github.com/peerwright/peerwright/internal/store"
)

// Store is what is kept of conversations.
type Store interface {
	store.Sessions
	store.Leases
}

// kept is what the next turn of a conversation needs to know.
type kept struct {
	Context string `json:"context_id"`
	Task    string `json:"task_id"` // the task that waits for the user; "" without one
}

// String returns it as the store has it: the context alone, as a2a-bridge keeps it,
// and JSON while a task waits.
func (k kept) String() string {
	if k.Task == "" && !strings.HasPrefix(k.Context, "{") {
		return k.Context
	}
	text, _ := json.Marshal(k) // two strings always marshal
	return string(text)
}

// parseKept undoes String.
func parseKept(text string) kept {
	var k kept
	if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &k) == nil && k.Context != "" {
		return k
	}
	return kept{Context: text}
}

// storeTimeout bounds one use of the store: an answer does not wait for one that hangs.
const storeTimeout = 3 * time.Second

// sessions keep conversations in a store. Whatever the store does, a turn goes on: what
// could not be written is remembered, and tried again at the next turn.
type sessions struct {
	store Store
	owner string // this process, among those that share the store
	log   *slog.Logger
	gates gates
	loose unsaved
}

// load returns what is known of a conversation, and whether that is sure: while the
// store fails nobody can tell that there is nothing.
func (s *sessions) load(ctx context.Context, key store.SessionKey) (k kept, sure bool) {
	text, err := s.lookUp(ctx, key)
	l, ok := s.loose.get(key)
	switch {
	case !ok:
		return parseKept(text), err == nil
	case err != nil:
		return l.kept, !l.interim
	case l.interim && text != "": // the conversation had a context all along
		s.loose.drop(key)
		return parseKept(text), true
	}
	s.save(ctx, key, l.kept, true)
	return l.kept, true
}

func (s *sessions) lookUp(ctx context.Context, key store.SessionKey) (string, error) {
	bounded, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	text, err := s.store.Context(bounded, key)
	if err != nil && ctx.Err() == nil {
		s.failed("looking up a conversation", key, err)
	}
	return text, err
}

// save keeps what the next turn needs. What is not sure stays out of the store, where it
// would replace what could not be read.
func (s *sessions) save(ctx context.Context, key store.SessionKey, k kept, sure bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	if !sure {
		s.loose.put(key, loose{k, true})
		return
	}
	if err := s.store.PutContext(ctx, key, k.String()); err != nil {
		s.failed("keeping a conversation", key, err)
		s.loose.put(key, loose{k, false})
		return
	}
	s.loose.drop(key)
}

func (s *sessions) failed(doing string, key store.SessionKey, err error) {
	_, id := unscope(key.Conversation)
	s.log.Error("the store failed, and the turn goes on without it", "doing", doing, "agent", key.Agent, "conversation", id, "error", err)
}

// record appends a turn to the record.
func (s *sessions) record(ctx context.Context, t store.Turn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	if err := s.store.RecordTurn(ctx, t); err != nil {
		s.failed("recording a turn", store.SessionKey{Agent: t.Agent, Conversation: t.Conversation}, err)
	}
}
