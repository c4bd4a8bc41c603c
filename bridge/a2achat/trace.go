package a2achat

import (
	"encoding/json"
	"errors"

	"github.com/peerwright/peerwright/bridge/a2achat/agent"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/wire"
)

// traced is a message, or what came of it, as the trace shows it.
type traced struct {
	ContextID string       `json:"contextId,omitempty"`
	TaskID    string       `json:"taskId,omitempty"`
	State     agent.State  `json:"state,omitempty"`
	Parts     []tracedPart `json:"parts,omitempty"`
}

// tracedPart is a part, but for the content of a file.
type tracedPart struct {
	Text string          `json:"text,omitempty"`
	Data json.RawMessage `json:"data,omitempty"`
	File string          `json:"file,omitempty"`
}

// trace shows the message to whoever traces, and returns what shows its end.
func (t *turn) trace(calls *openai.Calls) func(end) {
	if calls == nil {
		return func(end) {}
	}
	m := t.message
	answer := calls.Call("A2A", "SendMessage", marshal(traced{m.ContextID, m.TaskID, "", tracedParts(m.Parts)}))
	return func(e end) {
		if known, ok := errors.AsType[errclass.Error](e.err); ok {
			answer(marshal(known))
		}
		o := e.outcome
		shown := traced{o.ContextID, o.TaskID, o.State, nil}
		for _, b := range o.Answer {
			shown.Parts = append(shown.Parts, tracedParts(b.Parts)...)
		}
		if o.State != "" {
			answer(marshal(shown))
		}
	}
}

func tracedParts(parts []agent.Part) []tracedPart {
	var all []tracedPart
	for _, p := range parts {
		shown := tracedPart{Text: p.Text, Data: p.Data}
		if p.File != nil {
			shown.File = describe(*p.File)
		}
		all = append(all, shown)
	}
	return all
}

// marshal returns v as JSON. What is no JSON, as an agent may send it, is left out.
func marshal(v any) []byte {
	raw, _ := wire.Marshal(v) // it is for reading only
	return raw
}
