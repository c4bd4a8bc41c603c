package chat

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

const done = "[DONE]"

// streamCases judge one answer that was asked for as a stream, with its usage.
func streamCases() []conformance.Case {
	stream := func(id, title string, level reporters.Level, rule, url, fix string, judge func(c *conformance.Check, a completion)) conformance.Case {
		return conformance.Case{
			Meta: about(conformance.Streaming, id, title, level, needs(Completions), rule, url, fix),
			Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
				a := s.completed(ctx, c, true)
				if id != "media-type" && transport.MediaType(a.header) != eventStream {
					c.NotVerified("the answer is no stream")
				}
				if failed := a.failed(); failed != "" {
					c.NotVerified("the peer ended the stream with an error: %s", clip(failed))
				}
				judge(c, a)
			}),
		}
	}
	return []conformance.Case{
		stream("media-type", "A stream is text/event-stream", reporters.Must,
			"With stream set the answer comes as server-sent events.", createURL, "Send Content-Type: text/event-stream.", judgeMedia),
		stream("chunks", "Each event is a chunk of a completion", reporters.Must,
			`Each event holds a chunk: object "chat.completion.chunk", id, created in whole Unix seconds, model and choices.`, chunkURL,
			"Write all of them in every chunk, the last one included.", judgeChunks),
		stream("same-id", "All chunks have one id and one time", reporters.Must,
			"Each chunk of an answer has the same id and the same created.", chunkURL,
			"Make id and created up once for each answer.", judgeSame),
		stream("role-first", "The first delta says that the assistant speaks", reporters.Should,
			"The first delta of a choice has role assistant, as in the example of the reference; clients take the role from it.", chunkURL,
			`Open each choice with the delta {"role":"assistant"}.`, judgeRole),
		stream("one-finish", "Each choice ends once, and nothing of it follows", reporters.Should,
			"finish_reason is null until the choice ends, and then says why, in one of the words of the reference. The reference shows it by its example; clients stop reading a choice there.", chunkURL,
			"Send one chunk with finish_reason for each choice, after everything else of it.", judgeFinish),
		stream("done", "The stream ends with data: [DONE]", reporters.Must,
			"A stream is ended by the message data: [DONE]; without it a client cannot tell an answer that is whole from one that was cut.", createURL,
			"Send data: [DONE] once, last.", judgeDone),
		stream("usage", "Usage that was asked for comes in a chunk of its own", reporters.Should,
			"With stream_options.include_usage a chunk with usage and no choices comes before data: [DONE]. A peer that counts no tokens is left out.", createURL,
			"Send one more chunk, with choices empty, after the one with finish_reason.", judgeUsage),
		sameResult(), sameModel(), wholeStream(),
	}
}

// failed returns the error that stands in a stream; "" without.
func (a answer) failed() string {
	for _, chunk := range a.chunks() {
		if e := at(chunk, "error"); kind(e) == "object" {
			return string(e)
		}
	}
	return ""
}

// chunks returns the data of the events that are no end.
func (a answer) chunks() []json.RawMessage {
	var all []json.RawMessage
	for _, e := range a.events {
		if strings.TrimSpace(e) != done {
			all = append(all, json.RawMessage(e))
		}
	}
	return all
}

func judgeMedia(c *conformance.Check, a completion) {
	c.That(transport.MediaType(a.header) == eventStream, eventStream, "%q", a.header.Get("Content-Type"))
}

func judgeChunks(c *conformance.Check, a completion) {
	c.That(len(a.chunks()) > 0, "chunks", "none")
	for _, chunk := range a.chunks() {
		fault := memberFault(chunk, "chat.completion.chunk")
		c.That(fault == "", "the members of a chunk", "%s in %s", fault, clip(string(chunk)))
	}
}

func judgeSame(c *conformance.Check, a completion) {
	for _, chunk := range a.chunks() {
		for _, name := range []string{"id", "created"} {
			first, here := at(a.chunks()[0], name), at(chunk, name)
			c.That(string(first) == string(here), name+" "+string(first)+" in every chunk", "%s", here)
		}
	}
}

// deltas calls visit with the choices of all chunks in their order.
func (a answer) deltas(visit func(index string, choice json.RawMessage)) {
	for _, chunk := range a.chunks() {
		for _, choice := range elements(at(chunk, "choices")) {
			visit(string(at(choice, "index")), choice)
		}
	}
}

func judgeRole(c *conformance.Check, a completion) {
	seen := map[string]bool{}
	a.deltas(func(index string, choice json.RawMessage) {
		if !seen[index] {
			c.That(string(at(choice, "delta", "role")) == `"assistant"`, "role assistant in the first delta", "%s", clip(string(choice)))
		}
		seen[index] = true
	})
}

func judgeFinish(c *conformance.Check, a completion) {
	ended := map[string]bool{}
	a.deltas(func(index string, choice json.RawMessage) {
		said, _ := wire.Text(at(choice, "finish_reason"))
		c.That(!ended[index] || said == "" && empty(at(choice, "delta")), "nothing of a choice after its finish_reason", "%s", clip(string(choice)))
		c.That(said == "" || slices.Contains(reasons(), said), "one of "+strings.Join(reasons(), ", "), "%q", said)
		ended[index] = ended[index] || said != ""
	})
	c.That(len(ended) > 0, "a choice", "none in %d chunks", len(a.chunks()))
	for index, yes := range ended {
		c.That(yes, "a finish_reason of choice "+index, "none")
	}
}

// empty tells whether a delta says nothing: some servers send one with the usage.
func empty(delta json.RawMessage) bool {
	content, _ := wire.Text(at(delta, "content"))
	return len(elements(at(delta, "tool_calls"))) == 0 && content == ""
}

func judgeDone(c *conformance.Check, a completion) {
	c.That(a.cut == nil, "a stream that ends in order", "%v", a.cut)
	n := len(a.events)
	c.That(n > 0 && strings.TrimSpace(a.events[n-1]) == done, "data: [DONE] as the last event", "%s", clip(last(a.events)))
	c.That(len(a.chunks()) == n-1, "data: [DONE] once", "%d times", n-len(a.chunks()))
}

func last(events []string) string {
	if len(events) == 0 {
		return "no event"
	}
	return events[len(events)-1]
}

func judgeUsage(c *conformance.Check, a completion) {
	seen := false
	for _, chunk := range a.chunks() {
		if kind(at(chunk, "usage")) != "object" {
			continue
		}
		seen = true
		fault := usageFault(at(chunk, "usage"))
		c.That(fault == "", "three counts that add up", "%s", fault)
	}
	if !seen {
		c.NotVerified("the peer counts no tokens of a stream")
	}
	end := a.chunks()[len(a.chunks())-1]
	c.That(kind(at(end, "usage")) == "object" && len(elements(at(end, "choices"))) == 0, "usage in the last chunk, with no choices", "%s", clip(string(end)))
}

func sameModel() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Streaming, "same-model", "All chunks name one model", reporters.Must, needs(Contract, Completions),
			"The bridge names one model in all chunks of an answer.", bridgeDocs+"#streams", "Take the model from the request, once."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			a := s.completed(ctx, c, true)
			for _, chunk := range a.chunks() {
				c.That(string(at(chunk, "model")) == string(at(a.chunks()[0], "model")), "one model", "%s", clip(string(chunk)))
			}
		}),
	}
}

func wholeStream() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Streaming, "whole", "A stream that is whole begins, ends once, and says so", reporters.Must, needs(Contract, Completions),
			"The bridge's streams begin with the role, have one finish_reason in a word of the reference, then the usage that was asked for, with no choices, and then data: [DONE].",
			bridgeDocs+"#streams", "Write every stream in the one place that knows this order."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			a := s.completed(ctx, c, true)
			if transport.MediaType(a.header) != eventStream || a.failed() != "" {
				c.NotVerified("the answer is no stream, or one that failed")
			}
			judgeRole(c, a)
			judgeFinish(c, a)
			judgeDone(c, a)
			end := a.chunks()[len(a.chunks())-1]
			fault := usageFault(at(end, "usage"))
			c.That(fault == "" && kind(at(end, "choices")) == "array" && len(elements(at(end, "choices"))) == 0, "usage in the last chunk, with no choices", "%s", clip(string(end)))
		}),
	}
}

func sameResult() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Streaming, "same-result", "A stream carries the result that one document does", reporters.Must, needs(Contract, CallableTool),
			"The results of tools are the same in a stream and in one document. A tool that does not answer alike before and after is left out, and so are cursors, which may hold the time.", bridgeDocs+"#streams",
			"Write both from one result; cut text between characters only."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			for _, v := range s.working(ctx, c) {
				if kind(at(v.result("0"), "pagination", "cursor")) == "string" {
					continue
				}
				one := call{id: "call_1", name: v.name, args: string(v.args)}
				s.target.ledger.note(v.name, v.why+"; as a stream")
				streamed := s.post(ctx, c, s.calls(true, one)).gathered()
				after := s.run(ctx, c, v.why+"; a stream is compared with it", []call{one})
				if sameJSON(after.result("0"), v.result("0")) {
					c.That(streamed == string(v.result("0")), clip(string(v.result("0"))), "%s", clip(streamed))
					return
				}
			}
			c.NotVerified("no tool that may be called answers twice alike")
		}),
	}
}

// gathered joins the arguments of the first call in a stream.
func (a answer) gathered() string {
	var b strings.Builder
	a.deltas(func(_ string, choice json.RawMessage) {
		for _, called := range elements(at(choice, "delta", "tool_calls")) {
			if string(at(called, "index")) == "0" {
				part, _ := wire.Text(at(called, "function", "arguments"))
				b.WriteString(part)
			}
		}
	})
	return b.String()
}
