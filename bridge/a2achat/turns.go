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

// Turns returns the turns that the filter chooses, the oldest first. The conversation of
// the filter is the client's own id, whoever it is; the limit keeps the newest.
func Turns(ctx context.Context, s store.Sessions, f store.TurnFilter) ([]Turn, error) {
	limit, conversation := f.Limit, f.Conversation
	f.Limit, f.Conversation = 0, "" // the store's limit keeps the oldest, and it knows scoped names only
	recorded, err := s.Turns(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("reading the turns: %w", err)
	}
	var chosen []Turn
	for _, t := range recorded {
		caller, id := unscope(t.Conversation)
		if t.Conversation = id; conversation == "" || id == conversation {
			chosen = append(chosen, Turn{t, caller})
		}
	}
	if limit > 0 && len(chosen) > limit {
		chosen = chosen[len(chosen)-limit:]
	}
	return chosen, nil
}
