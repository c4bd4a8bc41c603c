package mcpserve

import (
	"fmt"
	"testing"

	"github.com/peerwright/peerwright/internal/wire"
)

// Cancelled calls that the SDK has answered do not pile up, and those that it has not are
// kept for as long as it takes.
func TestCancelledCallsAreForgotten(t *testing.T) {
	var c calls
	cancel := func(id int) tag {
		t.Helper()
		m := wire.Parse(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call"}`, id))
		if _, flt := c.begin(m); flt != nil {
			t.Fatal(flt)
		}
		cancelled, ok := c.cancel([]byte(m.ID.String()))
		if !ok {
			t.Fatalf("%d cannot be cancelled", id)
		}
		return cancelled
	}
	open := cancel(0)
	last := open
	for id := range 3 * mostGone {
		last = cancel(id + 1)
		done := c.settled(last)
		c.settle(last)
		<-done
	}
	if len(c.dropped) != mostGone+1 || !c.isDropped(open) || !c.isDropped(last) {
		t.Errorf("%d are kept; the open one %t, the last %t", len(c.dropped), c.isDropped(open), c.isDropped(last))
	}
}
