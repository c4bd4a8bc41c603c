package mcphttp_test

import (
	"fmt"
	"testing"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
)

// What is taken does not arrive through Receive, and on one exchange nothing is offered
// any more once something was refused: an answer never comes before the notifications
// that were sent before it.
func TestOfferKeepsTheOrder(t *testing.T) {
	conn, _ := dialURL(t, serve(t, echo, mcphttp.ServerOptions{}), transport.Options{})
	conn.Negotiated("2026-07-28")
	taken := make(chan transport.Incoming, 10)
	conn.Offer(func(in transport.Incoming) bool {
		if in.IsResponse() || in.End {
			taken <- in
			return true
		}
		return false
	})
	for notes, want := range []struct{ taken, received int }{{2, 0}, {0, 3}, {0, 4}} {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"echo","params":{"notes":%d,%s}}`, notes, notes, meta)
		d, err := conn.Send(t.Context(), transport.Outgoing{Raw: []byte(body)})
		if err != nil {
			t.Fatal(err)
		}
		for range want.received {
			if in := receive(t, conn); in.Exchange != d.Exchange {
				t.Errorf("received from exchange %d, want %d", in.Exchange, d.Exchange)
			}
		}
		for i := range want.taken {
			if in := <-taken; in.Exchange != d.Exchange || in.End != (i == 1) {
				t.Errorf("taken from exchange %d: %+v", d.Exchange, in)
			}
		}
	}
	if len(taken) > 0 {
		t.Errorf("%d more were taken", len(taken))
	}
}
