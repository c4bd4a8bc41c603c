package a2a

import (
	"context"
	"strings"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

const responseObject = rpcSpec + "#response_object"

// idCases are about the ids of JSON-RPC.
func idCases() []conformance.Case {
	return []conformance.Case{idEchoed(), longNumberID(), nullID(), notification()}
}

func idEchoed() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.idempotency.id-echoed", Title: "An answer carries the id of its request, with its type",
			Area: conformance.Idempotency, Level: reporters.Must, Revisions: everyRevision(), Needs: needs(JSONRPC), Core: true,
			Rule: rule(`The id of a response is the same as that of its request: "1" is not 1, 0 is not null, "007" is not "7".`, responseObject),
			Fix:  "Keep the id as the JSON it was, and write that back.",
		},
		Isolated: true, // answersCarryID is about ids that nobody mistakes
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			for _, id := range []string{`1`, `"1"`, `0`, `""`, `-7`, `"007"`, `2147483648`, `"` + strings.Repeat("long", 64) + `"`} {
				s.echoes(ctx, c, wire.RawID([]byte(id)))
			}
		}),
	}
}

func longNumberID() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.idempotency.long-number-id", Title: "An id of more than 53 bits comes back with all its digits, or is refused",
			Area: conformance.Idempotency, Level: reporters.May, Revisions: everyRevision(), Needs: needs(JSONRPC), Core: true,
			Rule: rule("The id of a response is the same as that of its request. JSON promises no more than that integers up to 2^53 "+
				"survive (RFC 8259, section 6), so an agent may refuse such an id, and is not failed for one that it changes.", responseObject),
			Fix: "Do not decode the id into a floating-point number, or refuse what cannot be kept.",
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			id := wire.RawID([]byte(`9007199254740993`))
			reply := s.under(ctx, c, id)
			if reply.Message.Error != nil && reply.Message.ID == wire.NullID {
				return // refused, in nobody's name
			}
			carries(c, reply, id)
		}),
	}
}

// echoes asks under the id, and wants it back.
func (s *Session) echoes(ctx context.Context, c *conformance.Check, id wire.ID) {
	carries(c, s.under(ctx, c, id), id)
}

// under asks for a task that does not exist, under the id.
func (s *Session) under(ctx context.Context, c *conformance.Check, id wire.ID) a2ahttp.Reply {
	reply, _ := s.Send(ctx, c, a2ahttp.Request{
		Op: a2ahttp.GetTask, ID: id, Params: encoded(object{"id": s.target.newID()}),
	})
	if !reply.Message.IsResponse() {
		c.NotVerified("the agent answered with HTTP %d and no JSON-RPC", reply.Status)
	}
	return reply
}

func carries(c *conformance.Check, reply a2ahttp.Reply, id wire.ID) {
	c.That(reply.Message.ID.Equal(id), "an answer with the id "+clip(id.String()), "the id %s", clip(orNone(wire.Get(reply.Body, "id"))))
}

func nullID() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.idempotency.null-id", Title: "An answer to what could not be read has the id null",
			Area: conformance.Idempotency, Level: reporters.Must, Revisions: everyRevision(), Needs: needs(JSONRPC), Core: true,
			Rule: rule("When the id of a request could not be found, as in a body that is no JSON, the response has the id null.", responseObject),
			Fix:  `Write "id":null in the answer to a parse error, instead of leaving it out or making one up.`,
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			reply, _ := s.Post(ctx, c, `{"jsonrpc":`, nil)
			if !reply.Message.IsResponse() {
				c.NotVerified("the agent answered with HTTP %d and no JSON-RPC", reply.Status)
			}
			c.That(reply.Message.ID == wire.NullID, "an answer with the id null", "the id %s", orNone(wire.Get(reply.Body, "id")))
		}),
	}
}

func notification() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.idempotency.notification", Title: "A request without an id gets no JSON-RPC response",
			Area: conformance.Idempotency, Level: reporters.Should, Revisions: everyRevision(), Needs: needs(JSONRPC), Core: true,
			Rule: rule("A request without an id is a notification, and a notification gets no response. A2A has no notifications, so an "+
				"agent that answers one with an error is warned, not failed.", rpcSpec+"#notification"),
			Fix: "Answer a request without an id with an empty HTTP 202 or 204.",
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			method := a2ahttp.Method(a2ahttp.GetTask, s.dialect.version)
			body := wire.Notification(method, encoded(object{"id": s.target.newID()}))
			reply, err := s.conv.client.Post(ctx, body, nil)
			if reply.Status == 0 {
				c.Answered(err, "a notification")
			}
			c.That(!reply.Message.IsResponse(), "no JSON-RPC response to a notification", "%s", clip(string(reply.Body)))
		}),
	}
}
