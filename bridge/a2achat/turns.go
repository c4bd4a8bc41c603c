package a2achat

import (
	"context"
	"fmt"

	"github.com/peerwright/peerwright/internal/store"
)

// Turn is a turn as it was recorded.
type Turn struct {
	store.Turn // Conversation is the client's own id

	Caller string // who asked, in the form of openai.Request.Caller; "" for anybody
}

// firstLook is how many of the newest turns are looked through at first for those of a
// conversation.
const firstLook = 1000

// Turns returns the turns that the filter chooses, the oldest first. The conversation of
// the filter is the client's own id, whoever it is; the limit keeps the newest.
func Turns(ctx context.Context, s store.Sessions, f store.TurnFilter) ([]Turn, error) {
	limit, conversation := f.Limit, f.Conversation
	f.Newest, f.Conversation = true, "" // the store knows scoped names only
	if conversation != "" && limit > 0 {
		f.Limit = max(limit, firstLook)
	}
	for {
		recorded, err := s.Turns(ctx, f)
		if err != nil {
			return nil, fmt.Errorf("reading the turns: %w", err)
		}
		chosen := choose(recorded, conversation)
		if limit > 0 && len(chosen) > limit {
			chosen = chosen[len(chosen)-limit:]
		}
		if f.Limit <= 0 || len(recorded) < f.Limit || len(chosen) >= limit {
			return chosen, nil
		}
		f.Limit *= 4
	}
}

// choose returns the turns of a conversation, "" means any.
func choose(recorded []store.Turn, conversation string) (chosen []Turn) {
	for _, t := range recorded {
		caller, id := unscope(t.Conversation)
		if t.Conversation = id; conversation == "" || id == conversation {
			chosen = append(chosen, Turn{t, caller})
		}
	}
	return chosen
}
