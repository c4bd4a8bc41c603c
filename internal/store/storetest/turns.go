package storetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/store"
)

func turns(t *testing.T, s store.Store, clock *Clock) {
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			c := []string{"x", "y"}[i%2]
			if err := s.RecordTurn(t.Context(), store.Turn{Agent: "a", Conversation: c, At: clock.Now(), State: "completed"}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, newest := range []bool{false, true} {
		got, err := s.Turns(t.Context(), store.TurnFilter{Agent: "a", Conversation: "x", Since: clock.Now(), Until: clock.Now(), Newest: newest})
		must(t, err)
		for i, turn := range got {
			if turn.Seq != int64(i+1) || turn.Conversation != "x" || !turn.At.Equal(clock.Now()) || turn.State != "completed" {
				t.Errorf("turn %d: %+v", i+1, turn)
			}
		}
	}
	for want, f := range map[int]store.TurnFilter{
		50: {Conversation: "x"}, 100: {}, 7: {Limit: 7}, 0: {Since: clock.Now().Add(1)},
	} {
		if got, err := s.Turns(t.Context(), f); err != nil || len(got) != want {
			t.Errorf("%+v: %d turns %v, want %d", f, len(got), err, want)
		}
	}
}

// told names turns as their conversation and number.
func told(turns []store.Turn) string {
	var names []string
	for _, t := range turns {
		names = append(names, fmt.Sprintf("%s%d", t.Conversation, t.Seq))
	}
	return strings.Join(names, " ")
}

// order records turns that ended in another order, and asks for either end of them.
func order(t *testing.T, s store.Store, clock *Clock) {
	start := clock.Now()
	for _, r := range []struct {
		agent, conversation string
		minute              int
	}{{"a", "x", 5}, {"b", "y", 1}, {"a", "x", 3}, {"a", "z", 4}, {"a", "x", 5}, {"b", "y", 6}} {
		must(t, s.RecordTurn(t.Context(), store.Turn{
			Agent: r.agent, Conversation: r.conversation, At: start.Add(time.Duration(r.minute) * time.Minute),
		}))
	}
	for _, tt := range []struct {
		f    store.TurnFilter
		want string
	}{
		{store.TurnFilter{}, "y1 x2 z1 x1 x3 y2"},
		{store.TurnFilter{Limit: 2}, "y1 x2"},
		{store.TurnFilter{Limit: 2, Newest: true}, "x3 y2"},
		{store.TurnFilter{Newest: true}, "y1 x2 z1 x1 x3 y2"},
		{store.TurnFilter{Agent: "a", Limit: 3, Newest: true}, "z1 x1 x3"},
		{store.TurnFilter{Conversation: "x", Limit: 2, Newest: true}, "x1 x3"},
		{store.TurnFilter{Agent: "a", Conversation: "x", Limit: 1}, "x2"},
		{store.TurnFilter{Until: start.Add(4 * time.Minute), Limit: 2, Newest: true}, "x2 z1"},
		{store.TurnFilter{Since: start.Add(4 * time.Minute), Limit: 9, Newest: true}, "z1 x1 x3 y2"},
		{store.TurnFilter{Agent: "none", Limit: 2, Newest: true}, ""},
	} {
		got, err := s.Turns(t.Context(), tt.f)
		if err != nil || told(got) != tt.want {
			t.Errorf("%+v: %s %v, want %s", tt.f, told(got), err, tt.want)
		}
	}
}

// prune asks what is forgotten, and that what goes on counts on.
func prune(t *testing.T, s store.Store, clock *Clock) {
	ctx := t.Context()
	record := func(conversation string) {
		t.Helper()
		must(t, s.RecordTurn(ctx, store.Turn{Agent: "a", Conversation: conversation, At: clock.Now()}))
	}
	put := func(conversation string) {
		t.Helper()
		must(t, s.PutContext(ctx, store.SessionKey{Agent: "a", Conversation: conversation}, "of "+conversation))
	}
	record("old")
	put("old")
	put("kept")
	record("kept")
	record("kept")
	must(t, s.RecordTurn(ctx, store.Turn{Agent: "a", Conversation: "ahead", At: clock.Now().Add(2 * time.Hour)}))
	_, err := s.Begin(ctx, key, "d", "o", 3*time.Hour, 3*time.Hour)
	must(t, err)
	clock.Pass(time.Hour)
	border := clock.Now()
	put("kept")
	put("new")
	for _, want := range []int{4, 0} { // turns: old, kept twice; conversations: old
		if n, err := s.Prune(ctx, border); err != nil || n != want {
			t.Errorf("pruned %d %v, want %d", n, err, want)
		}
	}
	record("kept")
	record("old")
	record("ahead")
	all, err := s.Turns(ctx, store.TurnFilter{})
	must(t, err)
	names := strings.Fields(told(all))
	slices.Sort(names)
	if got := strings.Join(names, " "); got != "ahead1 ahead2 kept3 old1" {
		t.Errorf("the turns afterwards: %s", got)
	}
	for conversation, want := range map[string]string{"old": "", "kept": "of kept", "new": "of new"} {
		if got, err := s.Context(ctx, store.SessionKey{Agent: "a", Conversation: conversation}); err != nil || got != want {
			t.Errorf("%s: %q %v, want %q", conversation, got, err, want)
		}
	}
	begin(t, s, "d", "o", store.KeyInFlight)
}

// PruneMany records so many turns, two in a conversation, and prunes them.
func PruneMany(t *testing.T, s store.Store, clock *Clock, many int) {
	t.Helper()
	const writers = 16
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := w; i < many; i += writers {
				if err := s.RecordTurn(t.Context(), store.Turn{Agent: "a", Conversation: fmt.Sprint(i % (many / 2)), At: clock.Now()}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	clock.Pass(time.Second)
	if n, err := s.Prune(t.Context(), clock.Now()); err != nil || n != many+many/2 {
		t.Errorf("pruned %d %v, want %d", n, err, many+many/2)
	}
	if left, err := s.Turns(t.Context(), store.TurnFilter{}); err != nil || len(left) != 0 {
		t.Errorf("%d turns are left %v", len(left), err)
	}
}
