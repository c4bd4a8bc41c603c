package mcp

import (
	"cmp"
	"slices"
	"sync"

	"github.com/peerwright/peerwright/reporters"
)

// ledger keeps which tools were called, and why.
type ledger struct {
	mu    sync.Mutex
	calls map[[2]string]int
}

func newLedger() *ledger { return &ledger{calls: map[[2]string]int{}} }

func (l *ledger) note(tool, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls[[2]string{tool, why}]++
}

func (l *ledger) list() []reporters.Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	calls := make([]reporters.Call, 0, len(l.calls))
	for k, n := range l.calls {
		calls = append(calls, reporters.Call{Tool: k[0], Why: k[1], Count: n})
	}
	slices.SortFunc(calls, func(a, b reporters.Call) int {
		return cmp.Or(cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Why, b.Why))
	})
	return calls
}
