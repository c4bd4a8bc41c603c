package a2a

import (
	"context"
	"errors"
	"slices"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/reporters"
)

const (
	streamMessage = spec10 + "#312-send-streaming-message"
	eventDelivery = spec10 + "#352-streaming-event-delivery"
)

// streamCases judge one stream, which is read once for all of them, and the refusal of
// another.
func streamCases() []conformance.Case {
	return []conformance.Case{streamServed(), streamType(), firstEvent(), streamCloses(), streamRests(), finalFlag(), streamAgrees(), subscribeUnknown()}
}

func streamServed() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.streaming.declared", Title: "Streaming that is declared is served",
			Area: conformance.Streaming, Level: reporters.Must, Revisions: everyRevision(), Needs: needs(Streaming),
			Rule: rule("With capabilities.streaming, a streaming message is answered by a stream, and not refused as unknown or unsupported.", streamMessage),
			Fix:  "Serve the streaming methods, or do not declare capabilities.streaming.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			r := s.streamed(ctx)
			var notStream *a2ahttp.NotStreamError
			if errors.As(r.err, &notStream) {
				c.NotVerified("%v", r.err) // streamType's affair
			}
			fault := s.fault(c, r.err, "a streaming message")
			if fault == nil && len(r.items) == 0 {
				fault = r.fault
			}
			for _, code := range []int64{a2ahttp.CodeUnsupportedOperation, codeMethodNotFound} {
				c.That(fault == nil || !s.is(fault, code), "a stream", "%v", fault)
			}
			if fault != nil {
				c.NotVerified("the agent refused the suite's message: %v", fault)
			}
			c.That(len(r.items) > 0, "a stream with an event in it", "no event (%v)", r.end)
		}),
	}
}

func streamType() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.streaming.content-type", Title: "A stream is text/event-stream",
			Area: conformance.Streaming, Level: reporters.Must, Revisions: everyRevision(), Needs: needs(Streaming),
			Rule: rule("Streams are server-sent events, with the content type text/event-stream.", spec10+"#942-sendstreamingmessage"),
			Fix:  "Answer streaming methods with text/event-stream and data: lines, not with one JSON document or JSON lines.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			r := s.streamed(ctx)
			var notStream *a2ahttp.NotStreamError
			if errors.As(r.err, &notStream) {
				c.That(false, "the content type text/event-stream", "%q", notStream.ContentType)
			}
			r.opened(c)
		}),
	}
}

func firstEvent() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.streaming.first-event", Title: "A stream begins with its task, or is one message",
			Area: conformance.Streaming, Level: reporters.Must, Revisions: since10(), Needs: needs(Streaming),
			Rule: rule("A stream begins with the Task, or consists of exactly one Message.", streamMessage),
			Fix:  "Send the Task before the first update of it, and close the stream after a Message.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			r := s.streamed(ctx)
			r.opened(c)
			first := r.items[0]
			c.That(first.Kind == isTask || first.Kind == isMessage, "a task or a message as first event", "%s", seen(first))
			c.That(first.Kind == isTask || len(r.items) == 1, "nothing after the message", "%d events", len(r.items))
		}),
	}
}

// seen says what an event is.
func seen(it item) string {
	if it.Kind == "" {
		return it.Problem
	}
	return string(it.Kind) + " " + clip(string(it.Raw))
}

func streamCloses() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.streaming.closes", Title: "A stream is closed when its task is over",
			Area: conformance.Streaming, Level: reporters.Must, Revisions: since10(), Needs: needs(Streaming),
			Rule: rule("The stream closes when the task reaches a terminal state, and after a Message.", streamMessage),
			Fix:  "End the HTTP response after the event with the terminal state.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			r := s.streamed(ctx)
			r.opened(c)
			if !r.over {
				c.NotVerified("the stream did not come to the end of a task")
			}
			c.That(r.closed, "the stream to be closed after its last event", "%v", r.end)
		}),
	}
}

func streamRests() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.streaming.ends-at-rest", Title: "A stream does not end while its task goes on",
			Area: conformance.Streaming, Level: reporters.Should, Revisions: everyRevision(), Needs: needs(Streaming),
			Rule: rule("A stream goes on until the task is in a terminal or an interrupted state: one that ends in working leaves the "+
				"client without a result.", spec10+"#117-streaming"),
			Fix: "Keep the stream open until the task comes to rest, and send the event that says so before closing.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			r := s.streamed(ctx)
			r.opened(c)
			if !r.closed && !r.over && !r.paused {
				c.NotVerified("the stream was still going on when the suite had to stop reading: %v", r.end)
			}
			c.That(r.over || r.paused, "a last state that is terminal or interrupted", "%q", r.lastState())
		}),
	}
}

func (r *recording) lastState() state {
	for _, it := range slices.Backward(r.items) {
		if it.State != "" {
			return it.State
		}
	}
	return ""
}

func finalFlag() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.streaming.final", Title: "The last update of a stream has final:true",
			Area: conformance.Streaming, Level: reporters.Should, Revisions: before10(), Needs: needs(Streaming),
			Rule: rule("Before 1.0 the last status-update of a stream says so with final:true, and no other does.", spec03+"#722-taskstatusupdateevent-object"),
			Fix:  "Set final:true in the status-update with which the stream ends, and final:false in all others.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			r := s.streamed(ctx)
			r.opened(c)
			last := slices.IndexFunc(r.items, func(it item) bool { return it.Final })
			switch final := r.items[len(r.items)-1]; {
			case last >= 0:
				c.That(last == len(r.items)-1, "nothing after final:true", "%s", seen(r.items[len(r.items)-1]))
			case final.Kind != isStatus || !r.closed:
				c.NotVerified("the stream did not end with a status-update")
			default:
				c.That(false, "final:true in the last status-update", "%s", clip(string(final.Raw)))
			}
		}),
	}
}

func streamAgrees() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.streaming.agrees-with-task", Title: "What was streamed is what the task then is",
			Area: conformance.Streaming, Level: reporters.Should, Revisions: everyRevision(), Needs: needs(Streaming),
			Rule: rule("Updates are delivered as they happened, so the state that a stream ended with is that which GetTask then returns.", eventDelivery),
			Fix:  "Store each update before it is sent.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			r := s.streamed(ctx)
			r.opened(c)
			id := r.items[0].TaskID
			if !r.lastState().terminal() || id == "" {
				c.NotVerified("the stream did not come to the end of a task")
			}
			got := task(s.Must(ctx, c, a2ahttp.GetTask, object{"id": id}).Result)
			if got.State == "" {
				c.NotVerified("GetTask returned no task with a state: %s", clip(string(got.Raw))) // getKnownTask's affair
			}
			c.That(got.State == r.lastState(), "the state that the stream ended with, "+string(r.lastState()), "%q", got.State)
		}),
	}
}
