package a2a

import (
	"cmp"
	"slices"
	"sync"

	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/reporters"
)

// ledger keeps what was done to the agent that may cost it something or change it:
// messages, cancellations, push configurations.
type ledger struct {
	mu    sync.Mutex
	calls map[entry]int
}

type entry struct {
	op  a2ahttp.Op
	why string
}

func newLedger() *ledger { return &ledger{calls: map[entry]int{}} }

func (l *ledger) note(op a2ahttp.Op, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls[entry{op, why}]++
}

func (l *ledger) list() []reporters.Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	calls := make([]reporters.Call, 0, len(l.calls))
	for e, n := range l.calls {
		calls = append(calls, reporters.Call{Tool: string(e.op), Why: e.why, Count: n})
	}
	slices.SortFunc(calls, func(a, b reporters.Call) int {
		return cmp.Or(cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Why, b.Why))
	})
	return calls
}
