package memory

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/store"
)

// What was put longest ago makes room, by number and by weight, and what is put again is new.
func TestBounded(t *testing.T) {
	weigh := func(_ int, v string) int { return len(v) }
	for _, tt := range []struct {
		name string
		puts []string // the first letter is the key
		want string
	}{
		{"within", []string{"a", "b", "c"}, "abc"},
		{"by number", []string{"a", "b", "c", "d"}, "bcd"},
		{"put again", []string{"a", "b", "c", "a", "d"}, "cad"},
		{"by weight", []string{"aaaa", "bbbb", "ccc"}, "bc"},
		{"replaced by a lighter one", []string{"aaaaaaaa", "a", "bbbbbb", "c"}, "abc"},
		{"alone too heavy", []string{"a", "b", strings.Repeat("c", 20)}, "c"},
		{"after one too heavy", []string{strings.Repeat("c", 20), "a"}, "a"},
	} {
		b := newBounded(3, 8, weigh)
		for _, v := range tt.puts {
			b.put(int(v[0]), v)
		}
		left, weight := "", 0
		for e := b.order.Front(); e != nil; e = e.Next() {
			v := e.Value.(entry[int, string]).value
			left += v[:1]
			weight += len(v)
		}
		if left != tt.want || len(b.entries) != len(tt.want) || b.weight != weight {
			t.Errorf("%s: %s is left, weighing %d, noted %d", tt.name, left, weight, b.weight)
		}
	}
}

func TestTimelineIsBounded(t *testing.T) {
	start := time.Unix(0, 0)
	l := newTimeline(3, 10)
	add := func(second int, message string) {
		l.add(store.Turn{At: start.Add(time.Duration(second) * time.Second), Message: message})
	}
	for _, second := range []int{5, 1, 3, 2} {
		add(second, "m")
	}
	if got := seconds(l); got != "2 3 5" {
		t.Errorf("by number: %s", got)
	}
	add(4, "12345678")
	if got := seconds(l); got != "3 4 5" || l.weight != 10 {
		t.Errorf("by weight: %s of %d", got, l.weight)
	}
	if n := l.prune(start.Add(5 * time.Second)); n != 2 || seconds(l) != "5" || l.weight != 1 {
		t.Errorf("pruned %d, left %s of %d", n, seconds(l), l.weight)
	}
}

func seconds(l *timeline) string {
	var all []string
	for _, t := range l.find(store.TurnFilter{}) {
		all = append(all, fmt.Sprint(t.At.Unix()))
	}
	return strings.Join(all, " ")
}

// Leases that are over do not pile up, and those that hold are not dropped.
func TestLeasesDoNotPileUp(t *testing.T) {
	now := time.Unix(0, 0)
	s := New(func() time.Time { return now })
	for i := range 10 * fewLeases {
		d := time.Second
		if i < 10 {
			d = 365 * 24 * time.Hour
		}
		if got, err := s.Acquire(t.Context(), fmt.Sprint(i), "o", d); err != nil || !got {
			t.Fatal(got, err)
		}
		now = now.Add(time.Second)
	}
	if n := len(s.leases.held); n > fewLeases+1 {
		t.Errorf("%d leases are kept", n)
	}
	if got, err := s.Acquire(t.Context(), "3", "other", time.Second); err != nil || got {
		t.Errorf("one that holds was dropped: %t %v", got, err)
	}
}

// Results are kept up to a number of bytes: the oldest keys are forgotten first.
func TestKeysAreBoundedByBytes(t *testing.T) {
	s := New(time.Now)
	s.keys.limitWeight = 1000
	for i := range 5 {
		k := store.Key{Name: fmt.Sprint(i)}
		if _, err := s.Begin(t.Context(), k, "d", "o", time.Minute, time.Hour); err != nil {
			t.Fatal(err)
		}
		if err := s.Finish(t.Context(), k, "o", make([]byte, 300), time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	for i := 2; i < 5; i++ {
		if r, err := s.Begin(t.Context(), store.Key{Name: fmt.Sprint(i)}, "d", "o", time.Minute, time.Hour); err != nil || r.State != store.KeyDone {
			t.Errorf("key %d: %q %v", i, r.State, err)
		}
	}
	if r, err := s.Begin(t.Context(), store.Key{Name: "0"}, "d", "o", time.Minute, time.Hour); err != nil || r.State != store.KeyBegun {
		t.Errorf("the oldest: %q %v", r.State, err)
	}
}
