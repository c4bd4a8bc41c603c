package chat

import (
	"context"
	"encoding/json"

	"github.com/peerwright/peerwright/conformance"
)

// completion is a good request's answer, which several cases judge by.
type completion struct {
	answer
	what string
}

// visit is one tool with what its first call came to.
type visit struct {
	tool
	answer
}

// result is what the first call in an answer gave.
func (a answer) result(n string) json.RawMessage {
	return json.RawMessage(a.text("choices", "0", "message", "tool_calls", n, "function", "arguments"))
}

// visited calls each tool that may be called, once in a run and up to maxVisits, those
// first that seem to have pages.
func (s *Session) visited(ctx context.Context, c *conformance.Check) []visit {
	const maxVisits = 8
	if s.target.facts.visits == nil {
		for i, u := range s.target.facts.callable {
			if i == maxVisits {
				break
			}
			a := s.run(ctx, c, u.why+"; its result is judged", []call{{id: "call_1", name: u.name, args: string(u.args)}})
			s.target.facts.visits = append(s.target.facts.visits, visit{u, a})
		}
	}
	return s.target.facts.visits
}

// working returns the tools whose first call gave a result.
func (s *Session) working(ctx context.Context, c *conformance.Check) []visit {
	var good []visit
	for _, v := range s.visited(ctx, c) {
		if v.status == 200 {
			s.borrow(v.answer)
			good = append(good, v)
		}
	}
	if len(good) == 0 {
		c.NotVerified("no tool that may be called gave a result")
	}
	return good
}

// completed returns the answer to a good request, which is sent once in a run: a tool
// call where one may be made and the user gave no words, else a message.
func (s *Session) completed(ctx context.Context, c *conformance.Check, stream bool) completion {
	kept := &s.target.facts.plain
	if stream {
		kept = &s.target.facts.streamed
	}
	if *kept == nil {
		body, what := s.good(ctx, c, stream)
		*kept = &completion{s.post(ctx, c, body), what}
	}
	s.borrow((*kept).answer)
	if status := (*kept).status; status/100 != 2 {
		c.NotVerified("%s was refused with HTTP status %d; name a model with --model", (*kept).what, status)
	}
	return **kept
}

// good writes a request that should be answered.
func (s *Session) good(ctx context.Context, c *conformance.Check, stream bool) (body, what string) {
	t := s.target
	request := map[string]any{"model": t.facts.model}
	if len(t.facts.callable) > 0 && t.config.Prompt == "" {
		u := s.working(ctx, c)[0]
		t.ledger.note(u.name, u.why+"; its answer is judged")
		request["model"] = t.facts.toolModel()
		request["messages"], what = []any{calling(u.tool)}, "a call of "+u.name
	} else {
		prompt := t.config.Prompt
		if prompt == "" {
			prompt = DefaultPrompt
		}
		t.ledger.note(message, "its answer is judged")
		request["messages"], what = []any{map[string]any{"role": "user", "content": prompt}}, "a message to "+t.facts.model
	}
	if stream {
		request["stream"], request["stream_options"] = true, map[string]any{"include_usage": true}
	}
	if id := t.conversation(); stream && id != "" {
		request["conversation_id"] = id
	}
	return encoded(request), what
}

// conversation returns the id under which an agent answered, for its next turn; "" where
// no agent did.
func (t *Target) conversation() string {
	if t.facts.plain == nil || !contract(t.facts) {
		return ""
	}
	return t.facts.plain.text("conversation_id")
}

func calling(u tool) map[string]any {
	return map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{
		"id": "call_1", "type": "function", "function": map[string]any{"name": u.name, "arguments": string(u.args)},
	}}}
}
