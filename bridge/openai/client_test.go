package openai_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/errclass"
)

// client returns the official client on the server at base.
func client(base string) sdk.Client {
	return sdk.NewClient(option.WithBaseURL(base+"/v1"), option.WithAPIKey("k1"))
}

func question(text string) sdk.ChatCompletionNewParams {
	return sdk.ChatCompletionNewParams{Model: "m", Messages: []sdk.ChatCompletionMessageParamUnion{sdk.UserMessage(text)}}
}

func TestOfficialClient(t *testing.T) {
	o := chats(func(_ context.Context, r *openai.Request, reply *openai.Reply) error {
		text := r.Messages[0].Content[0].Text
		for _, word := range strings.SplitAfter(text, " ") {
			if err := reply.Text(word); err != nil {
				return err
			}
		}
		if err := reply.ToolCalls([]openai.ToolCall{{ID: "c1", Name: "f", Arguments: `{"n":1}`}}); err != nil {
			return err
		}
		return reply.Finish(openai.FinishToolCalls, openai.Usage{TotalTokens: 3})
	})
	o.Keys, o.KeepAlive = []string{"k1"}, 10*time.Microsecond
	c, ctx := client(start(t, o)), t.Context()

	page, err := c.Models.List(ctx)
	if err != nil || len(page.Data) != 1 || page.Data[0].ID != "m" {
		t.Errorf("models: %v %v", page, err)
	}
	if m, err := c.Models.Get(ctx, "m"); err != nil || m.OwnedBy != "peerwright" {
		t.Errorf("model: %v %v", m, err)
	}
	got, err := c.Chat.Completions.New(ctx, question("one two déjà vu 👋"))
	if err != nil || got.Choices[0].Message.Content != "one two déjà vu 👋" || got.Choices[0].FinishReason != "tool_calls" || got.Usage.TotalTokens != 3 {
		t.Errorf("chat: %v %v", got, err)
	}
	p := question("one two déjà vu 👋")
	p.StreamOptions.IncludeUsage = sdk.Bool(true)
	stream := c.Chat.Completions.NewStreaming(ctx, p)
	var all sdk.ChatCompletionAccumulator
	for stream.Next() {
		if !all.AddChunk(stream.Current()) {
			t.Errorf("a chunk that does not fit: %s", stream.Current().RawJSON())
		}
	}
	if stream.Err() != nil || all.Usage.TotalTokens != 3 || all.Choices[0].Message.Content != "one two déjà vu 👋" || all.Choices[0].Message.ToolCalls[0].Function.Arguments != `{"n":1}` {
		t.Errorf("stream: %+v %v", all.ChatCompletion, stream.Err())
	}
}

func TestOfficialClientIsToldEachClass(t *testing.T) {
	read := errclass.Call{ReadOnly: true}
	const retries = 2 // of the client's own, unless it is told not to
	for _, tc := range []struct {
		class  errclass.Class
		call   errclass.Call
		status int
		code   string
		sent   int64
	}{
		{errclass.Auth, read, 401, "invalid_api_key", 1},
		{errclass.Permission, read, 403, "permission_denied", 1},
		{errclass.InvalidArgs, read, 422, "invalid_args", 1},
		{errclass.NotFound, read, 404, "not_found", 1},
		{errclass.Conflict, read, 409, "conflict", 1},
		{errclass.RateLimit, errclass.Call{}, 429, "rate_limit_exceeded", 1},
		{errclass.RateLimit, read, 429, "rate_limit_exceeded", 1 + retries},
		{errclass.Transient, errclass.Call{}, 503, "upstream_unavailable", 1},
		{errclass.Transient, read, 503, "upstream_unavailable", 1 + retries},
		{errclass.Timeout, errclass.Call{}, 504, "timeout", 1},
		{errclass.Timeout, read, 504, "timeout", 1 + retries},
	} {
		t.Run(string(tc.class), func(t *testing.T) {
			var sent atomic.Int64
			c := client(start(t, chats(func(context.Context, *openai.Request, *openai.Reply) error {
				sent.Add(1)
				e := failure(tc.class, tc.call)
				e.SuggestedBackoff = min(e.SuggestedBackoff, time.Millisecond)
				return e
			})))
			_, err := c.Chat.Completions.New(t.Context(), question("x"))
			e, ok := errors.AsType[*sdk.Error](err)
			if !ok || e.StatusCode != tc.status || e.Code != tc.code || e.Message != "as the peer said" {
				t.Errorf("%v, want %d %s", err, tc.status, tc.code)
			}
			if sent.Load() != tc.sent {
				t.Errorf("sent %d times, want %d", sent.Load(), tc.sent)
			}
		})
	}
}

func TestOfficialClientIsToldOfACutStream(t *testing.T) {
	c := client(start(t, chats(func(_ context.Context, _ *openai.Request, reply *openai.Reply) error {
		return errors.Join(reply.Text("half"), failure(errclass.Transient, errclass.Call{}))
	})))
	stream := c.Chat.Completions.NewStreaming(t.Context(), question("x"))
	for stream.Next() {
		if r := stream.Current().Choices[0].FinishReason; r != "" {
			t.Errorf("finished by %s", r)
		}
	}
	if err := stream.Err(); err == nil || !strings.Contains(err.Error(), "as the peer said") {
		t.Errorf("error %v", err)
	}
}
