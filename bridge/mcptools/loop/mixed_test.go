package loop_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/bridge/mcptools/loop"
	"github.com/peerwright/peerwright/internal/wire"
)

const own = `{"tools":[{"type":"function","function":{"name":"mine"}}],`

// ask is a request with a tool of the client's and further messages.
func ask(messages ...string) string {
	all := append([]string{`{"role":"user","content":"x"}`}, messages...)
	return own + `"messages":[` + strings.Join(all, ",") + `]}`
}

// resultOf is the client's result of its call.
func resultOf(id string) string { return `{"role":"tool","tool_call_id":"` + id + `","content":"R"}` }

func callOf(id string) string {
	return `{"role":"assistant","content":null,"tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"mine","arguments":"{\"a\":1}"}}]}`
}

// toolMessages lists the ids that results were given to, in the n-th request to the model.
func (m *model) toolMessages(n int) string {
	var ids []string
	wire.EachElement(wire.Get([]byte(m.asked[n]), "messages"), func(v json.RawMessage) bool {
		if id, ok := wire.Text(wire.Get(v, "tool_call_id")); ok {
			ids = append(ids, id)
		}
		return true
	})
	return strings.Join(ids, " ")
}

// A client's own call is handed to it as it is where nothing else was done.
func TestOwnToolsAlone(t *testing.T) {
	m := &model{script: []response{says("tool_calls", calls("mine"))}}
	out := run(t.Context(), client(m.start(t)), ask())
	if out.err != nil || len(out.executed) != 0 || len(out.calls) != 1 || out.calls[0].ID != "mine_id" || out.reason != "tool_calls" {
		t.Errorf("answered %+v, %v", out.recorder, out.err)
	}
}

// Where the model calls ours and the client's in one round, after another of ours, ours are
// made, and whatever the client does with the answer the model learns of all of them.
func TestMixedRounds(t *testing.T) {
	m := &model{script: []response{says("tool_calls", calls("g")), says("tool_calls", calls("mine", "f")), done}}
	l := client(m.start(t))
	out := run(t.Context(), l, ask())
	if out.err != nil || len(out.executed) != 2 || len(out.calls) != 1 || out.calls[0].Name != "mine" || out.reason != "tool_calls" {
		t.Fatalf("%d executed, answered %+v, %v", len(out.executed), out.recorder, out.err)
	}
	id := out.calls[0].ID
	if got := out.extras["tool_messages"]; got != `[{"role":"tool","tool_call_id":"f_id","content":"{\"result\":{\"a\":1}}"}]` {
		t.Errorf("tool_messages are %s", got)
	}
	var beside struct {
		Calls    []json.RawMessage
		Messages []json.RawMessage
	}
	if err := json.Unmarshal([]byte(out.extras["peerwright"]), &beside); err != nil || len(beside.Calls) != 2 || len(beside.Messages) != 4 {
		t.Fatalf("peerwright is %s, %v", out.extras["peerwright"], err)
	}
	var theirs []string
	for _, message := range beside.Messages {
		theirs = append(theirs, string(message))
	}
	for name, c := range map[string]struct {
		caller string
		send   []string
		want   string
	}{
		"a client that takes what stands beside": {"c", append(theirs, resultOf(id)), "g_id f_id " + id},
		"a client that knows nothing of it":      {"c", []string{callOf(id), resultOf(id)}, "g_id f_id " + id},
		"another caller":                         {"d", []string{callOf(id), resultOf(id)}, id},
		"another call":                           {"c", []string{callOf("x"), resultOf("x")}, "x"},
	} {
		next := run(t.Context(), l, ask(c.send...), func(q *loop.Request, _ *recorder) { q.Caller = c.caller })
		if got := m.toolMessages(len(m.asked) - 1); next.err != nil || next.text != "done" || got != c.want {
			t.Errorf("%s: the model is told of %s, not %s; %v", name, got, c.want, next.err)
		}
	}
}

// A round of the client's calls only, after one of ours, is continued the same ways.
func TestOwnToolsAfterOurs(t *testing.T) {
	m := &model{script: []response{says("tool_calls", calls("g")), says("tool_calls", calls("mine")), done}}
	l := client(m.start(t))
	out := run(t.Context(), l, ask())
	id := out.calls[0].ID
	var theirs []string
	wire.EachElement(wire.Get([]byte(out.extras["peerwright"]), "messages"), func(v json.RawMessage) bool {
		theirs = append(theirs, string(v))
		return true
	})
	for name, send := range map[string][]string{"knowing": append(theirs, resultOf(id)), "not knowing": {callOf(id), resultOf(id)}} {
		next := run(t.Context(), l, ask(send...))
		if got := m.toolMessages(len(m.asked) - 1); next.err != nil || got != "g_id "+id {
			t.Errorf("%s: the model is told of %s, %v", name, got, next.err)
		}
	}
}
