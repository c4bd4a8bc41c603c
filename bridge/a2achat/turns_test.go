package a2achat_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/a2achat"
	"github.com/peerwright/peerwright/internal/store"
)

// limits notes how much was asked of the store.
type limits struct {
	store.Sessions

	asked []int
}

func (l *limits) Turns(ctx context.Context, f store.TurnFilter) ([]store.Turn, error) {
	l.asked = append(l.asked, f.Limit)
	return l.Sessions.Turns(ctx, f)
}

// The newest turns are read without those before, and one that is far back is found.
func TestTurnsReadsNoMoreThanItMust(t *testing.T) {
	s := newStore(t)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 5000 {
		turn := store.Turn{Agent: "a", Conversation: fmt.Sprint("c", i/2), At: start.Add(time.Duration(i) * time.Second)}
		if err := s.RecordTurn(t.Context(), turn); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		conversation string
		limit, want  int
		asked        string
	}{
		{"", 3, 3, "[3]"},
		{"", 0, 5000, "[0]"},
		{"c2499", 2, 2, "[1000]"},
		{"c2499", 3, 2, "[1000 4000 16000]"},
		{"c0", 1, 1, "[1000 4000 16000]"},
		{"c0", 0, 2, "[0]"},
		{"none", 1, 0, "[1000 4000 16000]"},
	} {
		l := &limits{Sessions: s}
		got, err := a2achat.Turns(t.Context(), l, store.TurnFilter{Agent: "a", Conversation: tt.conversation, Limit: tt.limit})
		if err != nil || len(got) != tt.want || fmt.Sprint(l.asked) != tt.asked {
			t.Errorf("%q, %d: %d turns %v, asked for %v, want %s", tt.conversation, tt.limit, len(got), err, l.asked, tt.asked)
		}
		for i := 1; i < len(got); i++ {
			if got[i].At.Before(got[i-1].At) {
				t.Errorf("%q, %d: turn %d stands before an older one", tt.conversation, tt.limit, i-1)
			}
		}
	}
}
