package a2a

import (
	"context"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/reporters"
)

// contextCases are about the ids that tie messages together.
func contextCases() []conformance.Case {
	return []conformance.Case{contextKept(), unknownTaskInMessage()}
}

func contextKept() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.idempotency.context-kept", Title: "A contextId that the agent gave is kept, or refused, and never replaced",
			Area: conformance.Idempotency, Level: reporters.Must, Revisions: since10(),
			Rule: rule("An agent that cannot take a client's contextId refuses the message, and does not make up another one.",
				spec10+"#341-context-identifier-semantics"),
			Fix: "Use message.contextId where there is one, and generate a contextId only where there is none.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			given := s.answered(ctx, c).ContextID
			out := s.second(ctx, c)
			if s.fault(c, out.err, "a message in a context") != nil {
				return // refused, as it may be
			}
			got := out.item.ContextID
			c.That(got == given || got == "" && out.item.Kind == isMessage, "the contextId "+given, "%q", got)
		}),
	}
}

func unknownTaskInMessage() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.idempotency.unknown-task-in-message", Title: "A message to a task that does not exist makes none",
			Area: conformance.Idempotency, Level: reporters.Must, Revisions: since10(), Core: true,
			Rule: rule("Task ids are the agent's to give: a message with a taskId that it does not know gets TaskNotFoundError.",
				spec10+"#342-task-identifier-semantics"),
			Fix: "Look the taskId of a message up, and answer -32001 when there is no such task; never create it.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			s.Note(a2ahttp.SendMessage, "to a task that does not exist, which has to be refused")
			m := message{id: s.target.newID(), text: s.target.config.Prompt, taskID: s.target.newID()}
			reply, fault := s.Call(ctx, c, a2ahttp.SendMessage, s.dialect.send(m))
			s.refused(c, reply, fault, "a message to a task that does not exist", a2ahttp.CodeTaskNotFound)
		}),
	}
}

func contextMismatch() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.idempotency.context-mismatch", Title: "A message whose context is not that of its task is refused",
			Area: conformance.Idempotency, Level: reporters.Must, Revisions: since10(),
			Rule: rule("A message that names a task and a context which is not that of the task is rejected; by which error is not said.",
				spec10+"#343-multi-turn-conversation-patterns"),
			Fix: "Compare message.contextId with that of the task before the message is taken.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			it := s.going(ctx, c) // one that is over would refuse the message in any case
			s.Note(a2ahttp.SendMessage, "to a task in another context, which has to be refused")
			m := message{id: s.target.newID(), text: s.target.config.Prompt, taskID: it.TaskID, contextID: s.target.newID()}
			reply, fault := s.Call(ctx, c, a2ahttp.SendMessage, s.dialect.send(m))
			c.That(fault != nil, "an error in answer to a message whose contextId is not that of its task", "the result %s", clip(string(reply.Result)))
		}),
	}
}
