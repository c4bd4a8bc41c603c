package chat

import (
	"cmp"
	"slices"
	"sync"

	"github.com/peerwright/peerwright/reporters"
)

// message is what the ledger calls a message to a model.
const message = "chat/completions"

// ledger keeps what was done to the peer that may cost it something or change it. The
// zero ledger is ready to use.
type ledger struct {
	mu    sync.Mutex
	calls map[entry]int
}

type entry struct{ tool, why string }

func (l *ledger) note(tool, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls == nil {
		l.calls = map[entry]int{}
	}
	l.calls[entry{tool, why}]++
}

func (l *ledger) list() []reporters.Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	calls := make([]reporters.Call, 0, len(l.calls))
	for e, n := range l.calls {
		calls = append(calls, reporters.Call{Tool: e.tool, Why: e.why, Count: n})
	}
	slices.SortFunc(calls, func(a, b reporters.Call) int {
		return cmp.Or(cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Why, b.Why))
	})
	return calls
}
