package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/wire"
)

// Session is a case's hand on the peer.
type Session struct {
	target   *Target
	from     int          // where this session's frames begin
	borrowed []wire.Frame // what travelled before, for answers that this case judges by
}

// on makes the Run of a case from a function on a Session.
func on(run func(ctx context.Context, c *conformance.Check, s *Session)) func(context.Context, *conformance.Check, conformance.Peer) {
	return func(ctx context.Context, c *conformance.Check, p conformance.Peer) {
		s, ok := p.(*Session)
		if !ok {
			c.Broken("a case of chat was given a %T", p)
		}
		run(ctx, c, s)
	}
}

// Frames returns what the case judges by.
func (s *Session) Frames() []wire.Frame {
	own := s.target.transcript.Frames(s.from)
	before := slices.DeleteFunc(slices.Clone(s.borrowed), func(f wire.Frame) bool { return f.Seq > s.from })
	return append(before, own...)
}

// Release lets go of the handle; there is nothing to end.
func (s *Session) Release(context.Context, bool) {}

// raw makes one exchange, and leaves it to the case what a refusal means. It may be
// called by several goroutines.
func (s *Session) raw(ctx context.Context, method, url string, body []byte, header ...string) (answer, error) {
	r := s.target.request(method, url, body)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return s.target.exchange(ctx, r)
}

// do makes one exchange. It ends the case when nothing came, or when the peer did not
// look at what was sent.
func (s *Session) do(ctx context.Context, c *conformance.Check, method, url string, body []byte, header ...string) answer {
	what := method + " " + url
	a, err := s.raw(ctx, method, url, body, header...)
	c.Answered(err, what)
	c.TurnedAway(a.status, what)
	return a
}

// get asks for what stands below the base of the API.
func (s *Session) get(ctx context.Context, c *conformance.Check, path string) answer {
	return s.do(ctx, c, http.MethodGet, s.target.base+path, nil)
}

// post sends a chat completion request, of any bytes.
func (s *Session) post(ctx context.Context, c *conformance.Check, body string, header ...string) answer {
	return s.do(ctx, c, http.MethodPost, s.target.base+"/chat/completions", []byte(body), header...)
}

// call is one tool call to be written into a request.
type call struct {
	id, name string
	args     string
	key      string // idempotency_key; "" without
}

// calls writes a request that calls tools.
func (s *Session) calls(stream bool, calls ...call) string {
	list := make([]map[string]any, 0, len(calls))
	for _, one := range calls {
		entry := map[string]any{"id": one.id, "type": "function", "function": map[string]any{"name": one.name, "arguments": one.args}}
		if one.key != "" {
			entry["idempotency_key"] = one.key
		}
		list = append(list, entry)
	}
	return encoded(map[string]any{"model": s.target.facts.toolModel(), "stream": stream, "messages": []any{
		map[string]any{"role": "assistant", "content": nil, "tool_calls": list},
	}})
}

// toolModel is what requests for tools name: an upstream, which no agent is.
func (f facts) toolModel() string {
	if all := f.listed("upstreams"); len(all) > 0 {
		return all[0]
	}
	return "any"
}

// encoded writes what the suite made itself.
func encoded(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("a request that is no JSON: %v", err)) // the suite's own mistake
	}
	return string(raw)
}

// run calls tools, and notes those that are good calls.
func (s *Session) run(ctx context.Context, c *conformance.Check, why string, calls []call, header ...string) answer {
	for _, one := range calls {
		s.target.ledger.note(one.name, why)
	}
	return s.post(ctx, c, s.calls(false, calls...), header...)
}

// borrow adds what travelled for an answer to the frames of this case.
func (s *Session) borrow(a answer) { s.borrowed = append(s.borrowed, a.frames...) }

// newKey makes up an idempotency key that nothing else has.
func (s *Session) newKey() string {
	s.target.mu.Lock()
	defer s.target.mu.Unlock()
	s.target.facts.keys++
	return fmt.Sprintf("peerwright-%x-%d", s.target.config.Now().UnixNano(), s.target.facts.keys)
}
