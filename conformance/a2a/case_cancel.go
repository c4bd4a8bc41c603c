package a2a

import (
	"context"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/reporters"
)

func cancelRepeated() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.idempotency.cancel-repeated", Title: "Cancelling twice has the effect of cancelling once",
			Area: conformance.Idempotency, Level: reporters.Should, Revisions: since03(),
			Rule: rule("CancelTask answers with the task, and is idempotent. The second time the canceled task, TaskNotCancelableError "+
				"and, if the task was purged, TaskNotFoundError are all accepted, for the text supports each.", spec10+"#331-idempotency"),
			Fix: "Answer CancelTask with the Task; for one that is canceled already, with that or with -32002.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			id := s.going(ctx, c).TaskID
			s.Note(a2ahttp.CancelTask, "of the suite's own task, twice")
			reply, fault := s.Call(ctx, c, a2ahttp.CancelTask, object{"id": id})
			if fault != nil {
				c.NotVerified("the agent did not cancel the task: %v", fault)
			}
			it := task(reply.Result)
			c.That(it.TaskID == id, "the task "+id, "%s", clip(string(reply.Result)))
			if it.State != "canceled" {
				c.NotVerified("the task is %s after it was cancelled", it.State)
			}
			reply, fault = s.Call(ctx, c, a2ahttp.CancelTask, object{"id": id})
			if fault != nil {
				s.refused(c, reply, fault, "cancelling again", a2ahttp.CodeTaskNotCancelable, a2ahttp.CodeTaskNotFound)
				return
			}
			again := task(reply.Result)
			c.That(again.TaskID == id && again.State == "canceled", "the canceled task", "%s", clip(string(reply.Result)))
		}),
	}
}
