package memory

import (
	"container/list"
	"slices"
	"time"

	"github.com/peerwright/peerwright/internal/store"
)

// timeline holds turns by their time. It is bounded as a bounded map is.
type timeline struct {
	limit, limitWeight, weight int
	turns                      *list.List // of store.Turn, the oldest first
}

func newTimeline(limit, limitWeight int) *timeline {
	return &timeline{limit: limit, limitWeight: limitWeight, turns: list.New()}
}

func weighTurn(t store.Turn) int {
	return len(t.Agent) + len(t.Conversation) + len(t.Context) + len(t.Task) + len(t.Message) + len(t.State)
}

// add puts a turn in its place, which is nearly always the end.
func (l *timeline) add(t store.Turn) {
	before := l.turns.Back()
	for before != nil && before.Value.(store.Turn).At.After(t.At) {
		before = before.Prev()
	}
	if l.weight += weighTurn(t); before == nil {
		l.turns.PushFront(t)
	} else {
		l.turns.InsertAfter(t, before)
	}
	for l.turns.Len() > 1 && (l.turns.Len() > l.limit || l.weight > l.limitWeight) {
		l.dropOldest()
	}
}

func (l *timeline) dropOldest() {
	e := l.turns.Front()
	l.weight -= weighTurn(e.Value.(store.Turn))
	l.turns.Remove(e)
}

// prune drops the turns before that time, and returns how many.
func (l *timeline) prune(before time.Time) (n int) {
	for e := l.turns.Front(); e != nil && e.Value.(store.Turn).At.Before(before); e = l.turns.Front() {
		l.dropOldest()
		n++
	}
	return n
}

// find returns what the filter chooses.
func (l *timeline) find(f store.TurnFilter) (found []store.Turn) {
	first, next := l.turns.Front(), (*list.Element).Next
	if f.Newest {
		first, next = l.turns.Back(), (*list.Element).Prev
	}
	for e := first; e != nil && (f.Limit <= 0 || len(found) < f.Limit); e = next(e) {
		t := e.Value.(store.Turn)
		if f.Newest && t.At.Before(f.Since) {
			break // so are all that come
		}
		if f.Matches(t) {
			found = append(found, t)
		}
	}
	if f.Newest {
		slices.Reverse(found)
	}
	return found
}
