package a2a

import (
	"context"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/reporters"
)

func subscribeUnknown() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.streaming.subscribe-unknown-task", Title: "A task that does not exist cannot be subscribed to",
			Area: conformance.Streaming, Level: reporters.Must, Revisions: since03(), Needs: needs(Streaming),
			Rule: rule("SubscribeToTask of an id without a task gets TaskNotFoundError: -32001, or HTTP 404 in HTTP+JSON.", spec10+"#316-subscribe-to-task"),
			Fix:  fixNotFound,
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			reply, fault := s.subscribe(ctx, c, s.target.newID())
			s.refused(c, reply, fault, "SubscribeToTask of a task that does not exist", a2ahttp.CodeTaskNotFound)
		}),
	}
}

func subscribeFirst() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.streaming.subscribe-first-event", Title: "A subscription begins with the task as it is",
			Area: conformance.Streaming, Level: reporters.Must, Revisions: since10(), Needs: needs(Streaming),
			Rule: rule("The first event of a subscription is the Task in its current state.", spec10+"#316-subscribe-to-task"),
			Fix:  "Send the stored Task before the updates that follow.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			id := s.going(ctx, c).TaskID
			reply, fault := s.subscribe(ctx, c, id)
			if _, going := s.stillGoing(ctx, id); fault != nil && !going {
				c.NotVerified("the task was over before it could be subscribed to")
			}
			c.That(fault == nil, "a stream of the task", "%v", fault)
			if reply.Result == nil {
				c.NotVerified("the stream had no event")
			}
			it := s.dialect.item(reply.Result)
			c.That(it.Kind == isTask && it.TaskID == id, "the task "+id+" as first event", "%s", seen(it))
		}),
	}
}
