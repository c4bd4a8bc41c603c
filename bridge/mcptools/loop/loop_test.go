package loop_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/mcptools/loop"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/wire"
)

func noWait(ctx context.Context, _ time.Duration) error { return ctx.Err() }

func TestLoop(t *testing.T) {
	m := &model{script: []response{says("tool_calls", `{"role":"assistant","content":"hm "}`, calls("f")), done}}
	out := run(t.Context(), client(m.start(t)), hello)
	if out.err != nil || out.text != "hm done" || out.reason != "stop" || len(out.executed) != 1 || out.usage.TotalTokens != 4 {
		t.Fatalf("answered %+v, %v", out.recorder, out.err)
	}
	want := `[{"role":"user","content":"x"},{"role":"assistant","content":"hm ","tool_calls":[{"id":"f_id","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"f_id","content":"{\"result\":{\"a\":1}}"}]`
	if got := string(wire.Get([]byte(m.asked[1]), "messages")); got != want {
		t.Errorf("the model was told\n%s\nnot\n%s", got, want)
	}
	for _, want := range []string{`"seed":7`, `"model":"m"`, `"stream":true`, `"include_usage":true`, `"tools":[{"type":"function","function":{"name":"f"`} {
		if !strings.Contains(m.asked[1], want) {
			t.Errorf("%s is not in %s", want, m.asked[1])
		}
	}
	if out.extras["peerwright"] != `{"calls":[{"id":"f_id"}]}` {
		t.Errorf("the client is told %s", out.extras["peerwright"])
	}
}

func TestModelOfTheRequest(t *testing.T) {
	for name, c := range map[string]struct{ body, configured, want string }{
		"named":       {`{"model":"a","messages":[]}`, "d", `"a"`},
		"empty":       {`{"model":"","messages":[]}`, "d", `"d"`},
		"none":        {`{"messages":[]}`, "d", `"d"`},
		"none at all": {`{"messages":[]}`, "", ``},
	} {
		m := &model{script: []response{done}}
		l := client(m.start(t), func(o *loop.Config) { o.Model = c.configured })
		out := run(t.Context(), l, c.body, func(q *loop.Request, _ *recorder) { q.Model, _ = wire.Text(wire.Get(q.Body, "model")) })
		if got := string(wire.Get([]byte(m.asked[0]), "model")); out.err != nil || got != c.want {
			t.Errorf("%s: the model is %s, not %s; %v", name, got, c.want, out.err)
		}
	}
}

// Calls come in every form that servers give them.
func TestCallsOfOneRound(t *testing.T) {
	for name, c := range map[string]struct {
		said response
		ids  string
	}{
		"parallel":       {says("tool_calls", calls("f", "g", "f")), "f_id g_id call_1_3"},
		"one after one":  {says("tool_calls", `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]}`, `{"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":"{}"}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}`), "a b"},
		"one index":      {says("tool_calls", `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}`, `{"tool_calls":[{"index":0,"id":"b","function":{"name":"f","arguments":"{}"}}]}`), "a b"},
		"repeated":       {says("tool_calls", `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}`, `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"}"}}]}`), "a"},
		"without ids":    {says("stop", `{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}},{"index":1,"function":{"name":"f","arguments":"{}"}}]}`), "call_1_1 call_1_2"},
		"an id of ours":  {says("stop", `{"tool_calls":[{"index":0,"id":"call_1_2","function":{"name":"f","arguments":"{}"}},{"index":1,"function":{"name":"f","arguments":"{}"}}]}`), "call_1_2 call_1_3"},
		"no such tool":   {says("tool_calls", calls("nobody")), "nobody_id"},
		"as a document":  {response{head: map[string]string{"Content-Type": "application/json; charset=utf-8"}, body: `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"total_tokens":2}}`}, "a b"},
		"without [DONE]": {response{body: strings.TrimSuffix(says("tool_calls", calls("f")).body, "data: [DONE]\n\n")}, "f_id"},
		"without end":    {response{body: strings.TrimSuffix(says("tool_calls", calls("f")).body, "\n\n")}, "f_id"},
	} {
		m := &model{script: []response{c.said, done}}
		out := run(t.Context(), client(m.start(t)), hello)
		var ids []string
		for _, call := range out.executed {
			ids = append(ids, call.ID)
			if !json.Valid([]byte(call.Arguments)) {
				t.Errorf("%s: the arguments are %s", name, call.Arguments)
			}
		}
		if out.err != nil || out.text != "done" || strings.Join(ids, " ") != c.ids || out.usage.TotalTokens != 4 {
			t.Errorf("%s: executed %q, answered %+v, %v", name, ids, out.recorder, out.err)
		}
	}
}

// What the model says beside text and calls reaches the client, and goes back to the model.
func TestOtherMembersOfTheAnswer(t *testing.T) {
	m := &model{script: []response{
		says("tool_calls", `{"reasoning_content":"I "}`, `{"reasoning_content":"think"}`, `{"refusal":null,"x_new":[1]}`,
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"},"extra_content":{"signature":"s"}}]}`),
		says("stop", `{"content":[{"type":"thinking","thinking":"t"},{"type":"text","text":"so"}]}`, `{"refusal":"No"}`, `{"refusal":"."}`),
	}}
	out := run(t.Context(), client(m.start(t)), hello)
	if out.err != nil || out.text != "so" {
		t.Fatalf("answered %q, %v", out.text, out.err)
	}
	for name, want := range map[string]string{"reasoning_content": `"I think"`, "x_new": `[1]`, "refusal": `"No."`, "content_parts": `[{"type":"thinking","thinking":"t"}]`} {
		if got := string(out.others[name]); got != want {
			t.Errorf("%s is %s, not %s", name, got, want)
		}
	}
	for _, want := range []string{`"reasoning_content":"I think"`, `"extra_content":{"signature":"s"}`} {
		if !strings.Contains(m.asked[1], want) {
			t.Errorf("the model is not told %s: %s", want, m.asked[1])
		}
	}
}

// A choice that demands a call holds for the first round: it would be obeyed for ever.
func TestToolChoice(t *testing.T) {
	for choice, want := range map[string]string{
		`"required"`: ``,
		`{"type":"function","function":{"name":"f"}}`: ``,
		`"auto"`: `"auto"`, `"none"`: `"none"`,
		`{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function"}]}}`: `{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function"}]}}`,
	} {
		m := &model{script: []response{says("tool_calls", calls("f")), says("tool_calls", calls("f")), done}}
		out := run(t.Context(), client(m.start(t)), strings.Replace(hello, "{", `{"tool_choice":`+choice+`,`, 1))
		if out.err != nil || len(m.asked) != 3 {
			t.Fatalf("%s: %d rounds, %v", choice, len(m.asked), out.err)
		}
		for i, want := range []string{choice, want, want} {
			if got := string(wire.Get([]byte(m.asked[i]), "tool_choice")); got != want {
				t.Errorf("%s: in round %d it is %s, not %s", choice, i+1, got, want)
			}
		}
	}
}

// A tool of the client's that has the name of ours is ours if it is the same, and else refused.
func TestToolsOfOneName(t *testing.T) {
	with := func(parameters string) string {
		return strings.Replace(hello, "{", `{"tools":[{"type":"function","function":{"name":"mine"}},{"type":"function","function":{"name":"f","parameters":`+parameters+`}}],`, 1)
	}
	m := &model{script: []response{says("tool_calls", calls("f")), done}}
	out := run(t.Context(), client(m.start(t)), with(`{"properties":{}, "type":"object"}`))
	if out.err != nil || len(out.executed) != 1 || strings.Count(m.asked[0], `"name":"f"`) != 1 || !strings.Contains(m.asked[0], `"name":"mine"`) {
		t.Errorf("the same: %d executed, offered %s, %v", len(out.executed), m.asked, out.err)
	}
	out = run(t.Context(), client(m.start(t)), with(`{"type":"object","properties":{"x":{}}}`))
	f, _ := errors.AsType[openai.Failure](out.err)
	if f.Cause.Class != errclass.InvalidArgs || f.Cause.Context.Outcome != errclass.NotRun || f.Param != "tools[1].function.name" {
		t.Errorf("another: %v of %q", out.err, f.Param)
	}
}
