package store_test

import (
	"math"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/store"
)

func TestStamp(t *testing.T) {
	for _, tt := range []struct {
		at      time.Time
		stamp   int64
		refused bool
	}{
		{time.Time{}, math.MinInt64, false},
		{time.Unix(0, 0), 0, false},
		{time.Unix(0, -1), -1, false},
		{time.Unix(0, math.MaxInt64), math.MaxInt64, false},
		{time.Unix(0, math.MinInt64+1), math.MinInt64 + 1, false},
		{time.Unix(0, math.MaxInt64).Add(1), math.MaxInt64, true},
		{time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC), math.MinInt64 + 1, true},
		{time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), math.MaxInt64, true},
	} {
		if got := store.Stamp(tt.at); got != tt.stamp {
			t.Errorf("%s: %d, want %d", tt.at, got, tt.stamp)
		}
		err := store.CheckTime(tt.at)
		if (err != nil) != tt.refused {
			t.Errorf("%s: %v", tt.at, err)
		}
		if back := store.Time(tt.stamp); !tt.refused && !back.Equal(tt.at) {
			t.Errorf("%s came back as %s", tt.at, back)
		}
	}
	if got := store.StampUntil(time.Time{}); got != math.MaxInt64 {
		t.Errorf("without bound: %d", got)
	}
}

// A filter with bounds far away chooses everything, as one without.
func TestMatches(t *testing.T) {
	turn := store.Turn{Agent: "a", Conversation: "c", At: time.Unix(100, 0)}
	for _, tt := range []struct {
		f    store.TurnFilter
		want bool
	}{
		{store.TurnFilter{}, true},
		{store.TurnFilter{Agent: "a", Conversation: "c", Since: turn.At, Until: turn.At}, true},
		{store.TurnFilter{Agent: "b"}, false},
		{store.TurnFilter{Conversation: "d"}, false},
		{store.TurnFilter{Since: turn.At.Add(1)}, false},
		{store.TurnFilter{Until: turn.At.Add(-1)}, false},
	} {
		if got := tt.f.Matches(turn); got != tt.want {
			t.Errorf("%+v: %t", tt.f, got)
		}
	}
}
