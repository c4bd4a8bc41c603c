package loop

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/wire"
)

// identify gives an id to calls that have none, or one that is another's in the round: the
// results go by it.
func (a *answer) identify(round int) {
	seen := map[string]bool{}
	for i := range a.calls {
		c := &a.calls[i]
		for n := i + 1; c.ID == "" || seen[c.ID]; n++ {
			c.ID = fmt.Sprintf("call_%d_%d", round, n)
		}
		seen[c.ID] = true
	}
}

// rename gives calls that are handed to the client ids that nobody can guess and no other
// conversation has, under which the rest of the round is found again.
func (r *run) rename(said *answer, theirs []openai.ToolCall) error {
	for i := range theirs {
		b := make([]byte, 12)
		if _, err := io.ReadFull(r.c.Random, b); err != nil {
			return fmt.Errorf("reading randomness for an id: %w", err)
		}
		made := "call_" + hex.EncodeToString(b)
		for j := range said.calls {
			if said.calls[j].ID == theirs[i].ID {
				said.calls[j].ID = made
			}
		}
		theirs[i].ID = made
	}
	return nil
}

// message is the answer as a message of the next request, with all that the server said: some
// want their reasoning back.
func (a *answer) message() json.RawMessage {
	content := json.RawMessage("null")
	if a.text.Len() > 0 {
		content = wire.Quote(a.text.String())
	}
	var calls []json.RawMessage
	for _, c := range a.calls {
		calls = append(calls, c.message())
	}
	members := []wire.Member{{Name: "role", Value: wire.Quote("assistant")}, {Name: "content", Value: content}}
	members = append(members, a.others...)
	return wire.Object(append(members, wire.Member{Name: "tool_calls", Value: array(calls)}))
}

func (c call) message() json.RawMessage {
	function := wire.Object([]wire.Member{{Name: "name", Value: wire.Quote(c.Name)}, {Name: "arguments", Value: wire.Quote(c.Arguments)}})
	return wire.Object(append([]wire.Member{
		{Name: "id", Value: wire.Quote(c.ID)}, {Name: "type", Value: wire.Quote(c.Type)}, {Name: "function", Value: function},
	}, c.rest...))
}

func toolMessage(r Result) json.RawMessage {
	return wire.Object([]wire.Member{
		{Name: "role", Value: wire.Quote("tool")},
		{Name: "tool_call_id", Value: wire.Quote(r.ID)},
		{Name: "content", Value: wire.Quote(string(r.Content))},
	})
}
