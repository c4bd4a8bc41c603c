package a2a

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

const (
	errorTable  = spec10 + "#54-error-code-mappings"
	fixNotFound = "Answer TaskNotFoundError (-32001, HTTP 404) for an id that you have no task for, whoever asks and whatever the id looks like."
)

// taskCases are about tasks that are there, are not there, or are over.
func taskCases() []conformance.Case {
	return []conformance.Case{
		unknownTask(), cancelUnknownTask(), sendResult(), blockingSend(), contextGiven(),
		getKnownTask(), getTwice(), historyLength(), cancelFinished(), sendToFinished(), subscribeToFinished(),
	}
}

func unknownTask() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.errors.unknown-task", Title: "A task that does not exist is answered with TaskNotFoundError",
			Area: conformance.Errors, Level: reporters.Must, Revisions: since03(), Core: true,
			Rule: rule("GetTask of an id without a task gets TaskNotFoundError: -32001, or HTTP 404 in HTTP+JSON.", errorTable),
			Fix:  fixNotFound,
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			reply, fault := s.Call(ctx, c, a2ahttp.GetTask, object{"id": s.target.newID()})
			s.refused(c, reply, fault, "GetTask of a task that does not exist", a2ahttp.CodeTaskNotFound)
		}),
	}
}

func cancelUnknownTask() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.errors.cancel-unknown-task", Title: "Cancelling a task that does not exist is answered with TaskNotFoundError",
			Area: conformance.Errors, Level: reporters.Must, Revisions: since03(), Core: true,
			Rule: rule("CancelTask of an id without a task gets TaskNotFoundError: -32001, or HTTP 404 in HTTP+JSON.", errorTable),
			Fix:  fixNotFound,
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			reply, fault := s.Call(ctx, c, a2ahttp.CancelTask, object{"id": s.target.newID()})
			s.refused(c, reply, fault, "CancelTask of a task that does not exist", a2ahttp.CodeTaskNotFound)
		}),
	}
}

func sendResult() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.schema.send-result", Title: "A message is answered with one task or one message, in the shape of the version",
			Area: conformance.Schema, Level: reporters.Must, Revisions: everyRevision(), Core: true,
			Rule: rule(`In 1.0 the result of SendMessage is an object with exactly one of "task" and "message"; before it, it is the `+
				"Task or the Message itself, told apart by kind.", spec10+"#941-sendmessage"),
			Fix: `Wrap the result in {"task": …} or {"message": …} for 1.0 callers, and only for them.`,
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			out := s.first(ctx)
			if ctx.Err() != nil {
				c.NotVerified("the agent took longer than the suite waits: %v", out.err)
			}
			if fault := s.fault(c, out.err, "the suite's message"); fault != nil {
				c.NotVerified("the agent refused the suite's message: %v", fault)
			}
			it := out.item
			c.That(it.Problem == "" && (it.Kind == isTask || it.Kind == isMessage), s.wantsResult(), "%s (%s)", it.Problem, clip(string(out.reply.Result)))
		}),
	}
}

func (s *Session) wantsResult() string {
	if s.dialect.protoJSON() {
		return `a result with exactly one of "task" and "message"`
	}
	return `a result whose kind is "task" or "message"`
}

func blockingSend() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.lifecycle.blocking-send", Title: "SendMessage waits until the task is over or needs its client",
			Area: conformance.Lifecycle, Level: reporters.Should, Revisions: since10(),
			Rule: rule("Without returnImmediately, SendMessage returns once the task is in a terminal or an interrupted state. Another "+
				"sentence has the operation return immediately, so an agent that does is warned, not failed.", spec10+"#322-sendmessageconfiguration"),
			Fix: "Hold the answer of SendMessage until the task comes to rest, unless returnImmediately is true.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			it := s.known(ctx, c)
			c.That(it.State.terminal() || it.State.interrupted(), "a task in a terminal or an interrupted state", "a task that is %q", it.State)
		}),
	}
}

func contextGiven() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.lifecycle.context-given", Title: "An answer names the context to go on in",
			Area: conformance.Lifecycle, Level: reporters.Should, Revisions: since03(),
			Rule: rule("A contextId that the agent generates stands in the Task or Message that it answers with; messages of a server "+
				"carry one.", spec10+"#341-context-identifier-semantics"),
			Fix: "Set contextId in every Task and Message that you return.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			it := s.answered(ctx, c)
			c.That(it.ContextID != "", "a contextId in the "+string(it.Kind), "%s", clip(string(it.Raw)))
		}),
	}
}

func getKnownTask() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.tasks.get-task", Title: "GetTask returns the task that a message made, bare",
			Area: conformance.Tasks, Level: reporters.Must, Revisions: everyRevision(),
			Rule: rule("GetTask returns the Task itself, not wrapped in anything, with the id and context it was made with.", spec10+"#313-get-task"),
			Fix:  "Return the Task as the result of GetTask; only SendMessage wraps it.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			made := s.known(ctx, c)
			got := task(s.Must(ctx, c, a2ahttp.GetTask, object{"id": made.TaskID}).Result)
			c.That(got.TaskID == made.TaskID, "a Task with the id "+made.TaskID, "%s", clip(string(got.Raw)))
			c.That(made.ContextID == "" || got.ContextID == made.ContextID, "the contextId "+made.ContextID, "%q", got.ContextID)
		}),
	}
}

func getTwice() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.idempotency.get-task", Title: "A task that has come to rest reads the same twice",
			Area: conformance.Idempotency, Level: reporters.Should, Revisions: everyRevision(),
			Rule: rule("GetTask is idempotent: reading a task that nothing happens to changes nothing of it.", spec10+"#331-idempotency"),
			Fix:  "Serve GetTask from what was stored; make no ids, timestamps or artifacts while reading.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			id := s.resting(ctx, c).TaskID
			first := s.Must(ctx, c, a2ahttp.GetTask, object{"id": id}).Result
			again := s.Must(ctx, c, a2ahttp.GetTask, object{"id": id}).Result
			if task(first).TaskID != id {
				c.NotVerified("GetTask returned no such task: %s", clip(string(first))) // getKnownTask's affair
			}
			for _, name := range []string{"id", "contextId", "status", "artifacts", "history"} {
				one, two := wire.Get(first, name), wire.Get(again, name)
				c.That(sameJSON(one, two), "the "+name+" of the first reading, "+clip(orNone(one)), "%s", clip(orNone(two)))
			}
		}),
	}
}

// sameJSON compares by value, not by spelling.
func sameJSON(a, b json.RawMessage) bool {
	if a == nil || b == nil {
		return (a == nil) == (b == nil)
	}
	x, errX := decode(a)
	y, errY := decode(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

// decode keeps numbers as they are written.
func decode(raw json.RawMessage) (value any, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	err = dec.Decode(&value)
	return value, err
}

func historyLength() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.tasks.history-length", Title: "GetTask returns no more history than was asked for",
			Area: conformance.Tasks, Level: reporters.Must, Revisions: since10(),
			Rule: rule("The agent returns no more messages than historyLength says, and none for 0.", spec10+"#324-history-length-semantics"),
			Fix:  "Cut history to its last historyLength messages, and tell an absent historyLength from 0.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			id := s.known(ctx, c).TaskID
			if len(list(s.Must(ctx, c, a2ahttp.GetTask, object{"id": id}).Result, "history")) == 0 {
				c.NotVerified("the agent keeps no history of the task")
			}
			for most := range 2 {
				got := list(s.Must(ctx, c, a2ahttp.GetTask, object{"id": id, "historyLength": most}).Result, "history")
				c.That(len(got) <= most, "at most as many messages of history as asked for", "%d with historyLength %d", len(got), most)
			}
		}),
	}
}
