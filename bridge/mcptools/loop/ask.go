package loop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/wire"
)

// answer is what the model said in one round.
type answer struct {
	text   strings.Builder
	calls  []openai.ToolCall
	reason string
	done   bool
	usage  openai.Usage
}

// ask asks once, and passes text on as it comes. Errors hold neither the key nor what the server said.
func (l *Client) ask(ctx context.Context, body []byte, reply Reply) (*answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(l.c.URL, "/")+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, refuse(errclass.Transient, "the address of the model server cannot be used")
	}
	req.Header.Set("Content-Type", "application/json")
	if l.c.Key != "" {
		req.Header.Set("Authorization", "Bearer "+l.c.Key)
	}
	res, err := l.c.Client.Do(req)
	if err != nil {
		return nil, broken(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		e := errclass.FromHTTP(res.StatusCode, res.Header, l.c.Now(), errclass.Call{ReadOnly: true})
		e.Message, e.Context.Source = "the model server: "+e.Message, errclass.Bridge
		return nil, e
	}
	return l.read(res.Body, reply)
}

func broken(err error) error {
	class, said := errclass.Transient, "the answer of the model server broke off"
	if errors.Is(err, context.DeadlineExceeded) {
		class, said = errclass.Timeout, "the model took too long"
	}
	return refuse(class, said)
}

func (l *Client) read(body io.Reader, reply Reply) (*answer, error) {
	a, events := &answer{}, wire.NewEventReader(io.LimitReader(body, int64(l.c.Size)), l.c.Size)
	for !a.done {
		e, err := events.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, broken(err)
		}
		if err := a.take(e.Data, reply); err != nil {
			return nil, err
		}
	}
	switch {
	case a.reason == "":
		return nil, refuse(errclass.Transient, "the answer of the model was cut off; none of its calls was made")
	case a.reason != openai.FinishToolCalls && a.reason != openai.FinishStop && len(a.calls) > 0:
		return nil, refuse(errclass.InvalidArgs, "the model ran out of tokens or was stopped in the middle of its calls; none was made")
	}
	return a, nil
}

type delta struct {
	Error   json.RawMessage `json:"error"`
	Usage   *openai.Usage   `json:"usage"`
	Choices []struct {
		Reason string `json:"finish_reason"`
		Delta  struct {
			Content string `json:"content"`
			Calls   []struct {
				Index    int    `json:"index"`
				ID       string `json:"id"`
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		} `json:"delta"`
	} `json:"choices"`
}

const maxCalls = 128 // in one round, as OpenAI bounds tools

func (a *answer) take(data []byte, reply Reply) error {
	if string(data) == "[DONE]" || len(data) == 0 {
		a.done = len(data) > 0
		return nil
	}
	var d delta
	if err := json.Unmarshal(data, &d); err != nil || len(d.Error) > 0 && string(d.Error) != "null" {
		return refuse(errclass.Transient, "the model server failed in the middle of its answer")
	}
	if d.Usage != nil {
		a.usage = *d.Usage
	}
	for _, c := range d.Choices {
		a.reason += c.Reason
		a.text.WriteString(c.Delta.Content)
		if err := reply.Text(c.Delta.Content); err != nil {
			return err
		}
		for _, part := range c.Delta.Calls {
			if part.Index < 0 || part.Index >= maxCalls {
				return refuse(errclass.Transient, "the model makes too many calls at once")
			}
			for len(a.calls) <= part.Index {
				a.calls = append(a.calls, openai.ToolCall{Type: "function"})
			}
			call := &a.calls[part.Index]
			call.ID += part.ID
			call.Name += part.Function.Name
			call.Arguments += part.Function.Arguments
		}
	}
	return nil
}

// message is the answer as a message of the next request.
func (a *answer) message() json.RawMessage {
	var calls []json.RawMessage
	for _, c := range a.calls {
		function := wire.Object([]wire.Member{{Name: "name", Value: wire.Quote(c.Name)}, {Name: "arguments", Value: wire.Quote(c.Arguments)}})
		calls = append(calls, wire.Object([]wire.Member{{Name: "id", Value: wire.Quote(c.ID)}, {Name: "type", Value: wire.Quote("function")}, {Name: "function", Value: function}}))
	}
	return wire.Object([]wire.Member{{Name: "role", Value: wire.Quote("assistant")}, {Name: "content", Value: wire.Quote(a.text.String())}, {Name: "tool_calls", Value: array(calls)}})
}

func toolMessage(r Result) json.RawMessage {
	return wire.Object([]wire.Member{{Name: "role", Value: wire.Quote("tool")}, {Name: "tool_call_id", Value: wire.Quote(r.ID)}, {Name: "content", Value: wire.Quote(string(r.Content))}})
}

func array(all []json.RawMessage) json.RawMessage {
	raw, _ := wire.Marshal(append([]json.RawMessage{}, all...)) // all are parts of valid JSON
	return raw
}

func elements(raw json.RawMessage) []json.RawMessage {
	var all []json.RawMessage
	wire.EachElement(raw, func(v json.RawMessage) bool { all = append(all, v); return true })
	return all
}

func namesOf(tools json.RawMessage) map[string]bool {
	names := map[string]bool{}
	for _, t := range elements(tools) {
		name, _ := wire.Text(wire.Path(t, "function", "name"))
		names[name] = true
	}
	return names
}

func foreign(calls []openai.ToolCall, ours map[string]bool) bool {
	for _, c := range calls {
		if !ours[c.Name] {
			return true
		}
	}
	return false
}
