package rpc

import (
	"testing"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// Where there is never a moment without a Send under way, the ends of exchanges that
// belong to no call are forgotten all the same, and an end that came before its Send
// returned is not.
func TestEndsAreForgottenUnderLoad(t *testing.T) {
	c := &Client{ended: map[int]error{}, instead: map[int]string{}}
	const rounds = 10 * maxEnded
	sends := []*call{c.register(Request{})}
	for n := 1; n < 2*rounds; n += 2 {
		sends = append(sends, c.register(Request{}))
		c.end(transport.Incoming{Exchange: n, End: true})     // of a notification
		c.end(transport.Incoming{Exchange: n + 1, End: true}) // of the call, whose Send has not returned
		if _, kept := c.ended[n+1]; !kept {
			t.Fatalf("the end of exchange %d was forgotten", n+1)
		}
		delete(c.ended, n+1)
		c.forget(sends[0])
		sends = sends[1:]
		if len(c.ended) > maxEnded {
			t.Fatalf("%d ends are kept", len(c.ended))
		}
	}
}

// An answer that comes before its Send has returned is not given to another call of the
// same id, whose exchange is known to be another one.
func TestAnAnswerBeforeItsSendReturned(t *testing.T) {
	c := &Client{}
	result := wire.Message{Kind: wire.KindResult}
	first := c.register(Request{})
	first.exchange = 1
	second := c.register(Request{})
	if !c.take(transport.Incoming{Exchange: 2, Message: result}) || len(first.reply) != 0 || len(second.reply) != 1 {
		t.Error("the answer went to the call of another exchange")
	}
}
