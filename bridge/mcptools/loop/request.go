package loop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/wire"
)

// begin reads the request. All members of the client's are kept but those that the loop sets.
func (l *Client) begin(q Request, execute Execute, reply Reply) (*run, error) {
	r := &run{Client: l, q: q, execute: execute, reply: reply, theirs: map[string]bool{}}
	model := json.RawMessage(nil)
	for _, m := range wire.Fields(q.Body) {
		switch m.Name {
		case "messages", "tools", "stream", "stream_options":
		case "model":
			model = m.Value
		case "tool_choice":
			r.choice = m.Value
		default:
			r.fixed = append(r.fixed, m)
		}
	}
	if q.Model == "" {
		q.Model = l.c.Model
	}
	if q.Model != "" {
		model = wire.Quote(q.Model)
	}
	if len(model) > 0 {
		r.fixed = append(r.fixed, wire.Member{Name: "model", Value: model})
	}
	tools, err := r.tools()
	if err != nil {
		return nil, err
	}
	if len(tools) > 0 {
		r.fixed = append(r.fixed, wire.Member{Name: "tools", Value: array(tools)})
	}
	r.messages = l.kept.restore(q.Caller, elements(wire.Get(q.Body, "messages")), l.c.Now())
	return r, nil
}

// tools are ours and the client's. One that the client has from our list is ours; another
// of the same name cannot be told from it by the model.
func (r *run) tools() ([]json.RawMessage, error) {
	all := elements(r.q.Functions)
	ours := map[string]json.RawMessage{}
	for _, t := range all {
		ours[nameOf(t)] = t
	}
	for i, t := range elements(wire.Get(r.q.Body, "tools")) {
		name := nameOf(t)
		if same, ok := ours[name]; ok && name != "" {
			if sameParameters(t, same) {
				continue
			}
			return nil, openai.Failure{
				Cause: errclass.New(errclass.InvalidArgs, errclass.Bridge, errclass.NotRun,
					fmt.Sprintf("the tool %q is not that of the bridge, which has the same name; give it another name, or leave it out to have the bridge's called", name), errclass.Call{}),
				Param: fmt.Sprintf("tools[%d].function.name", i),
			}
		}
		r.theirs[name] = true
		all = append(all, t)
	}
	return all, nil
}

func nameOf(tool json.RawMessage) string {
	if name, ok := wire.Text(wire.Path(tool, "function", "name")); ok {
		return name
	}
	name, _ := wire.Text(wire.Path(tool, "custom", "name"))
	return name
}

func sameParameters(a, b json.RawMessage) bool {
	var one, other any
	for raw, into := range map[*any]json.RawMessage{&one: wire.Path(a, "function", "parameters"), &other: wire.Path(b, "function", "parameters")} {
		d := json.NewDecoder(bytes.NewReader(into))
		d.UseNumber()
		if d.Decode(raw) != nil {
			return false
		}
	}
	return reflect.DeepEqual(one, other)
}

// body is the next request to the model.
func (r *run) body() (json.RawMessage, error) {
	size := 0
	for _, list := range [][]json.RawMessage{r.messages, r.added} {
		for _, m := range list {
			size += len(m) + 1
		}
	}
	if size > r.c.Total {
		return nil, r.tooLong(size)
	}
	members := slices.Concat(r.fixed, []wire.Member{{Name: "messages", Value: array(r.messages, r.added...)}})
	if r.choice != nil {
		members = append(members, wire.Member{Name: "tool_choice", Value: r.choice})
	}
	return wire.Object(append(members,
		wire.Member{Name: "stream", Value: json.RawMessage("true")},
		wire.Member{Name: "stream_options", Value: json.RawMessage(`{"include_usage":true}`)})), nil
}

// tooLong is told before the model server is, which would cut the stream.
func (r *run) tooLong(size int) error {
	said := fmt.Sprintf("the conversation with the model has %d bytes, of %d that are allowed", size, r.c.Total)
	if len(r.added) > 0 {
		return bound("loop_size", said+"; the results of the calls that the model made are too long")
	}
	e := errclass.New(errclass.InvalidArgs, errclass.Bridge, errclass.NotRun, said, errclass.Call{})
	return openai.Failure{Cause: e, Status: http.StatusRequestEntityTooLarge, Param: "messages"}
}

// afterFirst is what tool_choice is once a call was made: one that demands a call would
// demand it for ever.
//
// https://platform.openai.com/docs/api-reference/chat/create#chat-create-tool_choice
func afterFirst(choice json.RawMessage) json.RawMessage {
	if kind, _ := wire.Text(wire.Get(choice, "type")); kind == "allowed_tools" {
		if list := wire.Path(choice, "allowed_tools", "tools"); list != nil {
			return wire.Object([]wire.Member{
				{Name: "type", Value: wire.Quote(kind)},
				{Name: kind, Value: wire.Object([]wire.Member{{Name: "mode", Value: wire.Quote("auto")}, {Name: "tools", Value: list}})},
			})
		}
	}
	if word, ok := wire.Text(choice); ok && word != "required" {
		return choice // auto and none hold
	}
	return nil
}

func array(list []json.RawMessage, more ...json.RawMessage) json.RawMessage {
	out := append(json.RawMessage{}, '[')
	for i, v := range append(list[:len(list):len(list)], more...) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']')
}

func elements(raw json.RawMessage) []json.RawMessage {
	var all []json.RawMessage
	wire.EachElement(raw, func(v json.RawMessage) bool {
		all = append(all, v)
		return true
	})
	return all
}
