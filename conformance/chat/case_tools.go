package chat

import (
	"context"
	"encoding/json"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// noTool is a name that no bridge has.
const noTool = "peerwright_no_such_tool"

// toolCases execute tool calls.
func toolCases() []conformance.Case {
	return []conformance.Case{toolResult(), toolMessages(), ownOutcome()}
}

func toolResult() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Tools, "result", "The result stands under the id and the name of the call", reporters.Must, needs(Contract, CallableTool),
			"The answer to a tool call has a call of the same id and name, finish_reason tool_calls, and the result as a JSON object in function.arguments.", bridgeDocs+"#tools",
			"Copy id and name from the request."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			for _, v := range s.working(ctx, c) {
				c.That(v.text("choices", "0", "finish_reason") == "tool_calls", "finish_reason tool_calls", "%s", clip(string(v.body)))
				got := v.at("choices", "0", "message", "tool_calls", "0")
				id, _ := wire.Text(at(got, "id"))
				name, _ := wire.Text(at(got, "function", "name"))
				c.That(id == "call_1" && name == v.name, "call_1 of "+v.name, "%s", clip(string(got)))
				c.That(json.Valid(v.result("0")) && kind(v.result("0")) == "object", "a result that is a JSON object", "%s", clip(string(v.result("0"))))
			}
		}),
	}
}

func toolMessages() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Tools, "messages", "The results are there as messages to append", reporters.Must, needs(Contract, CallableTool),
			"tool_messages has a message of role tool for each call, with its id and the same result; peerwright.calls says how each went.", bridgeDocs+"#tools",
			"Write tool_messages and peerwright.calls from the same results as choices."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			for _, v := range s.working(ctx, c) {
				got := v.at("tool_messages", "0")
				content, _ := wire.Text(at(got, "content"))
				c.That(string(at(got, "role")) == `"tool"` && string(at(got, "tool_call_id")) == `"call_1"` && content == string(v.result("0")),
					"a message of role tool for call_1 with the result", "%s", clip(string(v.at("tool_messages"))))
				c.That(v.text("peerwright", "calls", "0", "outcome") == "ok", "outcome ok in peerwright.calls", "%s", clip(string(v.at("peerwright"))))
			}
		}),
	}
}

func ownOutcome() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Tools, "own-outcome", "A call that fails takes no other with it", reporters.Must, needs(Contract, CallableTool),
			"Of several calls in one request each has its own outcome, in the order of the calls: the result, or the envelope of its error.", bridgeDocs+"#tools",
			"Collect the outcome of every call before answering."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			v := s.working(ctx, c)[0]
			s.target.ledger.note(v.name, v.why+"; beside a call that fails")
			a := s.post(ctx, c, s.calls(false, call{id: "bad_1", name: noTool, args: "{}"}, call{id: "good_2", name: v.name, args: string(v.args)}))
			calls := elements(a.at("choices", "0", "message", "tool_calls"))
			c.That(a.status == 200 && len(calls) == 2, "two outcomes", "status %d, %s", a.status, clip(string(a.body)))
			c.That(string(at(calls[0], "id")) == `"bad_1"` && string(at(calls[1], "id")) == `"good_2"`, "the order of the calls", "%s", clip(string(a.body)))
			class, _ := wire.Text(at(a.result("0"), "error", "class"))
			c.That(class == "not_found", "the envelope of not_found for the call of a tool that is not there", "%s", clip(string(a.result("0"))))
			c.That(kind(a.result("1")) == "object" && at(a.result("1"), "error") == nil, "the result of the other call", "%s", clip(string(a.result("1"))))
		}),
	}
}
