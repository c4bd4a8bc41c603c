package a2a

import (
	"context"
	"errors"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/reporters"
)

func cancelFinished() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.errors.cancel-finished-task", Title: "A task that is over cannot be cancelled",
			Area: conformance.Errors, Level: reporters.Must, Revisions: since03(),
			Rule: rule("CancelTask of a task that is completed, failed or rejected gets TaskNotCancelableError: -32002; in HTTP+JSON "+
				"HTTP 400 (1.0.1) or 409 (1.0.0).", spec10+"#315-cancel-task"),
			Fix: "Look at the state before cancelling, and answer -32002 when it is terminal.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			it := s.finished(ctx, c)
			if it.State == "canceled" {
				c.NotVerified("the suite's task was canceled, and cancelling again may be answered with the task")
			}
			s.Note(a2ahttp.CancelTask, "of a task that is over, which has to be refused")
			reply, fault := s.Call(ctx, c, a2ahttp.CancelTask, object{"id": it.TaskID})
			s.refused(c, reply, fault, "CancelTask of a task that is "+string(it.State), a2ahttp.CodeTaskNotCancelable)
		}),
	}
}

func sendToFinished() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.errors.send-to-finished-task", Title: "A task that is over takes no further message",
			Area: conformance.Errors, Level: reporters.Must, Revisions: since03(),
			Rule: rule("A message to a task in a terminal state is refused: in 1.0 with UnsupportedOperationError, -32004 or HTTP 400; "+
				"0.3 says that it is an error and not which.", spec10+"#311-send-message"),
			Fix: "Look at the state of the task that message.taskId names, and answer -32004 when it is terminal.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			it := s.finished(ctx, c)
			s.Note(a2ahttp.SendMessage, "to a task that is over, which has to be refused")
			m := message{id: s.target.newID(), text: s.target.config.Prompt, taskID: it.TaskID}
			reply, fault := s.Call(ctx, c, a2ahttp.SendMessage, s.dialect.send(m))
			if s.dialect.version != a2ahttp.V10 {
				c.That(fault != nil, "an error in answer to a message to a task that is "+string(it.State), "the result %s", clip(string(reply.Result)))
				return
			}
			s.refused(c, reply, fault, "a message to a task that is "+string(it.State), a2ahttp.CodeUnsupportedOperation)
		}),
	}
}

func subscribeToFinished() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.errors.subscribe-to-finished-task", Title: "A task that is over cannot be subscribed to",
			Area: conformance.Errors, Level: reporters.Must, Revisions: since10(), Needs: needs(Streaming),
			Rule: rule("SubscribeToTask of a task in a terminal state gets UnsupportedOperationError, -32004 or HTTP 400. Whether the "+
				"error comes as one document or as an event of a stream is left open.", spec10+"#316-subscribe-to-task"),
			Fix: "Look at the state before the stream begins, and answer -32004 when it is terminal; -32001 is for tasks that do not exist.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			it := s.finished(ctx, c)
			reply, fault := s.subscribe(ctx, c, it.TaskID)
			s.refused(c, reply, fault, "SubscribeToTask of a task that is "+string(it.State), a2ahttp.CodeUnsupportedOperation)
		}),
	}
}

// subscribe returns the agent's error, wherever it stands, or else the first event as
// a result.
func (s *Session) subscribe(ctx context.Context, c *conformance.Check, id string) (a2ahttp.Reply, *a2ahttp.Fault) {
	r := s.record(ctx, a2ahttp.SubscribeToTask, object{"id": id}, begin)
	var notStream *a2ahttp.NotStreamError
	if errors.As(r.err, &notStream) {
		c.NotVerified("%v", r.err) // streamType's affair
	}
	if fault := s.fault(c, r.err, "SubscribeToTask"); fault != nil {
		return a2ahttp.Reply{}, fault
	}
	if r.fault != nil {
		return a2ahttp.Reply{}, s.fault(c, r.fault, "SubscribeToTask")
	}
	if len(r.payloads) == 0 {
		return a2ahttp.Reply{}, nil
	}
	return a2ahttp.Reply{Result: r.payloads[0]}, nil
}
