package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/openai/openai-go/v3"

	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/wire"
)

func TestJoin(t *testing.T) {
	for _, c := range []struct{ before, more, want string }{
		{`"a\n"`, `"\"b"`, `"a\n\"b"`},
		{`"a"`, `null`, `"a"`},
		{`null`, `"b"`, `"b"`},
		{`[1]`, `[]`, `[1]`},
		{`[]`, `[]`, `[]`},
		{`[{"t":"a"}]`, `[{"t":"b"}]`, `[{"t":"a"},{"t":"b"}]`},
		{`{"id":"x","data":"A","n":1}`, `{"id":"x","data":"B","n":2,"m":true}`, `{"data":"AB","n":2,"id":"x","m":true}`},
		{`1.0`, `9007199254740993`, `9007199254740993`},
	} {
		if got := string(openai.Join(json.RawMessage(c.before), json.RawMessage(c.more))); got != c.want {
			t.Errorf("%s and %s are joined to %s, not %s", c.before, c.more, got, c.want)
		}
	}
}

func FuzzJoinMakesJSON(f *testing.F) {
	f.Add(`{"a":[1,"x"]}`, `{"a":[2],"b":null}`)
	f.Add(`"\\"`, `"\""`)
	f.Fuzz(func(t *testing.T, before, more string) {
		a, b := json.RawMessage(strings.TrimSpace(before)), json.RawMessage(strings.TrimSpace(more))
		if !json.Valid(a) || !json.Valid(b) {
			return
		}
		if got := openai.Join(a, b); !json.Valid(got) {
			t.Errorf("%s and %s are joined to %s", a, b, got)
		}
	})
}

// Members of the message that the surface does not know reach the client in either form.
func TestOtherMembersOfTheMessage(t *testing.T) {
	o := chats(func(_ context.Context, _ *openai.Request, reply *openai.Reply) error {
		return errors.Join(
			reply.Delta("reasoning_content", json.RawMessage(`"I think, "`)),
			reply.Delta("reasoning_content", json.RawMessage(`"so I refuse."`)),
			reply.Delta("refusal", json.RawMessage(`"I ca"`)), reply.Delta("refusal", json.RawMessage(`"nnot."`)),
			reply.Finish(openai.FinishStop, openai.Usage{}),
		)
	})
	o.Keys = []string{"k1"}
	c := client(start(t, o))
	got, err := c.Chat.Completions.New(t.Context(), question("x"))
	if err != nil || got.Choices[0].Message.Refusal != "I cannot." || got.Choices[0].Message.JSON.ExtraFields["reasoning_content"].Raw() != `"I think, so I refuse."` {
		t.Errorf("answered %s, %v", got.RawJSON(), err)
	}
	stream := c.Chat.Completions.NewStreaming(t.Context(), question("x"))
	var all sdk.ChatCompletionAccumulator
	reasons := ""
	for stream.Next() {
		chunk := stream.Current()
		all.AddChunk(chunk)
		if len(chunk.Choices) > 0 {
			said, _ := wire.Text([]byte(chunk.Choices[0].Delta.JSON.ExtraFields["reasoning_content"].Raw()))
			reasons += said
		}
	}
	if stream.Err() != nil || all.Choices[0].Message.Refusal != "I cannot." || reasons != "I think, so I refuse." {
		t.Errorf("streamed %q and %q, %v", all.Choices[0].Message.Refusal, reasons, stream.Err())
	}
}

func TestKnownMembersAreNoDeltas(t *testing.T) {
	o := chats(func(_ context.Context, _ *openai.Request, reply *openai.Reply) error {
		for _, name := range []string{"content", "tool_calls", "role"} {
			if reply.Delta(name, json.RawMessage(`"x"`)) == nil {
				return errors.New(name + " is taken")
			}
		}
		return reply.Text("refused")
	})
	if got := post(t, start(t, o), `{"model":"m","messages":[{"role":"user","content":"x"}]}`); got.status != http.StatusOK || !strings.Contains(got.body, "refused") {
		t.Errorf("answered %d %s", got.status, got.body)
	}
}

// What was done before a failure stands beside it, as a status and in a stream.
func TestWhatStandsBesideAFailure(t *testing.T) {
	o := chats(func(_ context.Context, r *openai.Request, reply *openai.Reply) error {
		if r.Stream {
			if err := reply.Text("so far"); err != nil {
				return err
			}
		}
		e := errclass.New(errclass.Conflict, errclass.Bridge, errclass.Failed, "enough", errclass.Call{})
		return openai.Failure{Cause: e, Beside: []wire.Member{{Name: "peerwright", Value: json.RawMessage(`{"calls":[1]}`)}}}
	})
	url := start(t, o)
	for _, stream := range []string{"false", "true"} {
		got := post(t, url, `{"model":"m","stream":`+stream+`,"messages":[{"role":"user","content":"x"}]}`)
		if !strings.HasSuffix(strings.TrimSpace(got.body), `},"peerwright":{"calls":[1]}}`) || !strings.Contains(got.body, `"class":"conflict"`) {
			t.Errorf("stream %s: answered %d %s", stream, got.status, got.body)
		}
	}
}
