package openai

import (
	"encoding/json"
	"slices"

	"github.com/peerwright/peerwright/internal/wire"
)

// Delta puts a member into the message of the answer that this package does not know, such
// as refusal, or the reasoning_content of many model servers. In a stream it stands in the
// delta of a chunk of its own; in a document the pieces are put together by Join. The value
// is JSON. Content, tool calls and role have methods of their own, and are refused.
func (r *Reply) Delta(name string, value json.RawMessage) error {
	switch name {
	case "content", "tool_calls", "role":
		return errOwnMethod
	}
	return r.put(func(to sink) error { return to.delta(name, value) })
}

func (s *stream) delta(name string, value json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.role()
	s.begin()
	s.buf = appendString(append(s.buf, '{'), name)
	s.buf = append(append(s.buf, ':'), value...)
	s.rest(`},"logprobs":null,"finish_reason":null}]`)
	return s.send()
}

func (d *document) delta(name string, value json.RawMessage) error {
	d.others = JoinMember(d.others, wire.Member{Name: name, Value: slices.Clone(value)})
	return nil
}

// JoinMember returns the members with one more, joined with that of the same name.
func JoinMember(members []wire.Member, one wire.Member) []wire.Member {
	for i := range members {
		if members[i].Name == one.Name {
			members[i].Value = Join(members[i].Value, one.Value)
			return members
		}
	}
	return append(members, one)
}

// Join puts two pieces of a member of a streamed message together: texts and arrays follow
// each other, objects are joined member by member, and of all else the later counts. A null
// says nothing.
//
// https://platform.openai.com/docs/api-reference/chat-streaming
func Join(before, more json.RawMessage) json.RawMessage {
	switch {
	case len(more) == 0 || isNull(more):
		return before
	case len(before) == 0 || before[0] != more[0]:
		return more
	}
	switch more[0] {
	case '"': // escapes are whole on either side: both are JSON
		return slices.Concat(before[:len(before)-1], more[1:])
	case '[':
		return joinArrays(before, more)
	case '{':
		members := wire.Fields(before)
		for _, m := range wire.Fields(more) {
			if m.Name == "type" || m.Name == "id" || m.Name == "index" { // they are repeated, not continued
				members = slices.DeleteFunc(members, func(old wire.Member) bool { return old.Name == m.Name })
			}
			members = JoinMember(members, m)
		}
		return wire.Object(members)
	}
	return more
}

func joinArrays(before, more json.RawMessage) json.RawMessage {
	var all []json.RawMessage
	for _, list := range []json.RawMessage{before, more} {
		wire.EachElement(list, func(v json.RawMessage) bool {
			all = append(all, v)
			return true
		})
	}
	raw, err := wire.Marshal(all)
	if err != nil || all == nil {
		return more
	}
	return raw
}
