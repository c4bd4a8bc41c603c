package loop

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/wire"
)

// answer is what the model said in one round.
type answer struct {
	l       *Client
	reply   Reply
	text    strings.Builder
	others  []wire.Member // further members of the message
	calls   []call
	reason  string
	usage   openai.Usage
	stopped error // why reading was stopped
}

// call is one that the model makes, in pieces.
type call struct {
	openai.ToolCall
	index int
	rest  []wire.Member // members that are not known here, which the server may want back
}

// maxCalls is how many calls one round may have, as OpenAI bounds tools.
const maxCalls = 128

// take reads a chunk of a stream, or a whole document.
//
// https://platform.openai.com/docs/api-reference/chat-streaming
func (a *answer) take(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	var chunk struct {
		Error   json.RawMessage `json:"error"`
		Usage   *openai.Usage   `json:"usage"`
		Choices []struct {
			Index          int
			Reason         string `json:"finish_reason"`
			Delta, Message json.RawMessage
		} `json:"choices"`
	}
	if err := json.Unmarshal(data, &chunk); err != nil {
		return trouble(errclass.Transient, "the model server sent something that is no chat completion")
	}
	if len(chunk.Error) > 0 && string(chunk.Error) != "null" {
		return a.l.midStream(chunk.Error)
	}
	if chunk.Usage != nil {
		a.usage = *chunk.Usage
	}
	for _, c := range chunk.Choices {
		if c.Index != 0 {
			continue // one answer was asked for
		}
		if c.Reason != "" {
			a.reason = c.Reason
		}
		for _, message := range []json.RawMessage{c.Delta, c.Message} {
			if err := a.add(message); err != nil {
				return err
			}
		}
	}
	return nil
}

// add takes the members of a message, or of a piece of one.
func (a *answer) add(message json.RawMessage) error {
	for _, m := range wire.Fields(message) {
		var err error
		switch {
		case m.Name == "role" || string(m.Value) == "null":
		case m.Name == "content":
			err = a.content(m.Value)
		case m.Name == "tool_calls":
			err = a.pieces(elements(m.Value))
		default:
			a.others = openai.JoinMember(a.others, m)
			err = a.reply.Delta(m.Name, m.Value)
		}
		if err != nil {
			return err //nolint:wrapcheck // what the reply says of the client
		}
	}
	return nil
}

// content is a text, or the parts that some servers make of it. Parts that are no text
// reach the client as content_parts.
func (a *answer) content(value json.RawMessage) error {
	if said, ok := wire.Text(value); ok {
		a.text.WriteString(said)
		return a.reply.Text(said) //nolint:wrapcheck // what the reply says of the client
	}
	for _, part := range elements(value) {
		said, ok := wire.Text(wire.Get(part, "text"))
		a.text.WriteString(said)
		err := a.reply.Text(said)
		if !ok {
			err = a.reply.Delta("content_parts", array([]json.RawMessage{part}))
		}
		if err != nil {
			return err //nolint:wrapcheck // what the reply says of the client
		}
	}
	return nil
}

func (a *answer) pieces(list []json.RawMessage) error {
	for i, raw := range list {
		var piece struct {
			Index    *int
			ID, Type string
			Function struct{ Name, Arguments string }
		}
		if err := json.Unmarshal(raw, &piece); err != nil {
			return trouble(errclass.Transient, "the model server sent a call that cannot be read")
		}
		if piece.Index != nil {
			i = *piece.Index
		}
		c := a.call(i, piece.ID)
		if c == nil {
			return trouble(errclass.Transient, fmt.Sprintf("the model makes more than %d calls at once", maxCalls))
		}
		if piece.ID != "" {
			c.ID = piece.ID
		}
		if c.Name != piece.Function.Name { // some servers repeat it in each piece
			c.Name += piece.Function.Name
		}
		c.Arguments += piece.Function.Arguments
		c.keep(raw)
	}
	return nil
}

// call returns the call at the index. Some servers give all the same one: another id is
// another call.
func (a *answer) call(index int, id string) *call {
	for i := range slices.Backward(a.calls) {
		if c := &a.calls[i]; c.index == index && (id == "" || c.ID == "" || c.ID == id) {
			return c
		}
	}
	if len(a.calls) >= maxCalls {
		return nil
	}
	a.calls = append(a.calls, call{ToolCall: openai.ToolCall{Type: "function"}, index: index})
	return &a.calls[len(a.calls)-1]
}

func (c *call) keep(piece json.RawMessage) {
	for _, m := range wire.Fields(piece) {
		switch m.Name {
		case "index", "id", "type", "function":
		default:
			c.rest = openai.JoinMember(c.rest, m)
		}
	}
}

// flaw tells why the calls cannot be made, or the answer is none.
func (a *answer) flaw() error {
	switch {
	case a.reason == "":
		return trouble(errclass.Transient, "the answer of the model was cut off; none of the calls in it was made")
	case a.reason != openai.FinishToolCalls && a.reason != openai.FinishStop && len(a.calls) > 0:
		return bound("loop_cut", fmt.Sprintf("the model was stopped in the middle of its calls (finish_reason %s); none of them was made", word(a.reason)))
	case slices.ContainsFunc(a.calls, func(c call) bool { return c.Name == "" }):
		return trouble(errclass.Transient, "the model server sent a call without the name of a function; none was made")
	}
	return nil
}
