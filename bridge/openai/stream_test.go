package openai_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/wire"
)

var streamed = `{"stream":true,` + hello[1:]

// chunk is one event of a stream, as a client reads it.
type chunk struct {
	ID, Object, Model string
	Created           int64
	Choices           []struct {
		Delta struct {
			Role, Content string
			ToolCalls     []struct {
				Index    int
				ID, Type string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		FinishReason *string `json:"finish_reason"`
	}
	Usage *openai.Usage
	Error *struct{ Class string }
	Tally json.RawMessage
}

// chunks reads the events of a stream, and tells whether it ended with [DONE].
func chunks(t *testing.T, body string) (list []chunk, done bool) {
	t.Helper()
	events := wire.NewEventReader(strings.NewReader(body), 0)
	for {
		e, err := events.Next()
		if errors.Is(err, io.EOF) {
			return list, done
		}
		if err != nil {
			t.Fatal(err)
		}
		if done {
			t.Fatalf("%q after [DONE]", e.Raw)
		}
		if !e.Dispatched {
			continue
		}
		if done = string(e.Data) == "[DONE]"; done {
			continue
		}
		var c chunk
		if err := json.Unmarshal(e.Data, &c); err != nil {
			t.Fatalf("%v in %q", err, e.Data)
		}
		list = append(list, c)
	}
}

// content joins the text of a stream.
func content(list []chunk) string {
	var b strings.Builder
	for _, c := range list {
		for _, choice := range c.Choices {
			b.WriteString(choice.Delta.Content)
		}
	}
	return b.String()
}

func TestStreamHasTheShapeOfOpenAI(t *testing.T) {
	base := start(t, chats(func(_ context.Context, _ *openai.Request, reply *openai.Reply) error {
		for _, s := range []string{"a", "", "b\r\n\n", "c"} {
			if err := reply.Text(s); err != nil {
				return err
			}
		}
		reply.Extra("tally", map[string]int{"x": 1})
		return reply.Finish(openai.FinishLength, openai.Usage{PromptTokens: 1, CompletionTokens: 2, TotalTokens: 3})
	}))
	for _, usage := range []bool{false, true} {
		body := streamed
		if usage {
			body = `{"stream_options":{"include_usage":true},` + streamed[1:]
		}
		got := post(t, base, body)
		for name, want := range map[string]string{
			"Content-Type": "text/event-stream", "Cache-Control": "no-cache", "X-Accel-Buffering": "no",
		} {
			if got.header.Get(name) != want {
				t.Errorf("%s: %q, want %q", name, got.header.Get(name), want)
			}
		}
		list, done := chunks(t, got.body)
		if !done || content(list) != "ab\r\n\nc" || list[0].Choices[0].Delta.Role != "assistant" {
			t.Errorf("done %v, %q", done, got.body)
		}
		reasons, last := 0, len(list)-1
		for i, c := range list {
			if c.ID != list[0].ID || c.ID == "" || c.Created != list[0].Created || c.Created == 0 || c.Model != "m" || c.Object != "chat.completion.chunk" {
				t.Errorf("chunk %d: %+v", i, c)
			}
			if len(c.Choices) == 0 {
				if !usage || i != last || c.Usage == nil || c.Usage.TotalTokens != 3 {
					t.Errorf("chunk %d: %+v", i, c)
				}
				continue
			}
			if r := c.Choices[0].FinishReason; r != nil {
				reasons++
				if *r != "length" || string(c.Tally) != `{"x":1}` {
					t.Errorf("chunk %d: %s, %s", i, *r, c.Tally)
				}
			}
		}
		if reasons != 1 || usage != (len(list[last].Choices) == 0) {
			t.Errorf("%d reasons to finish in %q", reasons, got.body)
		}
	}
}

func TestToolCallsAreNumberedThroughTheStream(t *testing.T) {
	chat := func(_ context.Context, _ *openai.Request, reply *openai.Reply) error {
		for _, calls := range [][]openai.ToolCall{
			{{ID: "1", Name: "f", Arguments: `{"a":9007199254740993}`}, {ID: "2", Type: "function", Name: "g", Arguments: "{}"}},
			nil,
			{{ID: "3", Name: "h", Arguments: "\xff\n"}},
		} {
			if err := reply.ToolCalls(calls); err != nil {
				return err
			}
		}
		return reply.Finish(openai.FinishToolCalls, openai.Usage{})
	}
	base := start(t, chats(chat))
	list, done := chunks(t, post(t, base, streamed).body)
	got := []string{}
	for _, c := range list {
		for _, call := range c.Choices[0].Delta.ToolCalls {
			if call.Index != len(got) || call.Type != "function" {
				t.Errorf("%+v", call)
			}
			got = append(got, call.ID+call.Function.Name+call.Function.Arguments)
		}
	}
	if want := "1f{\"a\":9007199254740993} 2g{} 3h\uFFFD\n"; strings.Join(got, " ") != want || !done {
		t.Errorf("%q, want %q", got, want)
	}
	var doc struct {
		Choices []struct {
			Message struct {
				Content   *string
				ToolCalls []openai.ToolCall `json:"tool_calls"`
			}
		}
	}
	whole := post(t, base, hello)
	if err := json.Unmarshal([]byte(whole.body), &doc); err != nil || doc.Choices[0].Message.Content != nil || len(doc.Choices[0].Message.ToolCalls) != 3 {
		t.Errorf("%v %s", err, whole.body)
	}
}

func TestTextIsTheSameHoweverItIsCut(t *testing.T) {
	for _, text := range []string{
		"plain", "", "é", "déjà vu ⟦€⟧ and 👩‍👩‍👧 and \u2028", "\x00\x01\x1f\x7f\"\\/<>&", "```go\r\nfunc\t()\r\n```\r\n",
		"no text: \xff\xfe\xc3 \xe2\x28\xa1 \xf0\x9f\x98", "\xf0\x9f", "\xed\xa0\x80",
	} {
		for size := 1; size <= 5; size++ {
			base := start(t, chats(func(_ context.Context, _ *openai.Request, reply *openai.Reply) error {
				for rest := text; rest != ""; rest = rest[min(size, len(rest)):] {
					if err := reply.Text(rest[:min(size, len(rest))]); err != nil {
						return err
					}
				}
				return nil
			}))
			whole := wholeContent(t, base)
			if got := content(mustChunks(t, base)); got != whole || got != string([]rune(text)) {
				t.Errorf("%q in pieces of %d: %q in a stream, %q in a document", text, size, got, whole)
			}
		}
	}
}

func mustChunks(t *testing.T, base string) []chunk {
	t.Helper()
	list, done := chunks(t, post(t, base, streamed).body)
	if !done {
		t.Error("no [DONE]")
	}
	return list
}

func wholeContent(t *testing.T, base string) string {
	t.Helper()
	var doc struct {
		Choices []struct{ Message struct{ Content string } }
	}
	got := post(t, base, hello)
	if err := json.Unmarshal([]byte(got.body), &doc); err != nil || len(doc.Choices) != 1 {
		t.Fatalf("%v %s", err, got.body)
	}
	return doc.Choices[0].Message.Content
}

func TestLongTextIsCarriedWhole(t *testing.T) {
	text := strings.Repeat("déjà € and some ascii\n", 5<<20/20)
	for name, size := range map[string]int{"at once": len(text), "in pieces of 7": 7} {
		t.Run(name, func(t *testing.T) {
			base := start(t, chats(func(_ context.Context, r *openai.Request, reply *openai.Reply) error {
				if r.Stream && size < 100 {
					return reply.Text(text[:1<<20]) // an event for each 7 bytes is another test
				}
				for rest := text; rest != ""; rest = rest[min(size, len(rest)):] {
					if err := reply.Text(rest[:min(size, len(rest))]); err != nil {
						return err
					}
				}
				return nil
			}))
			if got := wholeContent(t, base); got != text {
				t.Errorf("the document has %d bytes of %d", len(got), len(text))
			}
			if got := content(mustChunks(t, base)); got != text && size == len(text) {
				t.Errorf("the stream has %d bytes of %d", len(got), len(text))
			}
		})
	}
}

func TestFailureInAStreamLeavesItCut(t *testing.T) {
	for name, chat := range map[string]func(context.Context, *openai.Request, *openai.Reply) error{
		"an error": func(_ context.Context, _ *openai.Request, reply *openai.Reply) error {
			return errors.Join(reply.Text("half of"), failure(errclass.Timeout, errclass.Call{}))
		},
		"a panic": func(_ context.Context, _ *openai.Request, reply *openai.Reply) error {
			_ = reply.Text("half of")
			panic("here")
		},
	} {
		t.Run(name, func(t *testing.T) {
			var log lines
			o := chats(chat)
			o.Log = log.logger()
			base := start(t, o)
			got := post(t, base, streamed)
			list, done := chunks(t, got.body)
			last := list[len(list)-1]
			if got.status != 200 || done || content(list) != "half of" || last.Error == nil {
				t.Errorf("%d %s", got.status, got.body)
			}
			for _, c := range list {
				if len(c.Choices) > 0 && c.Choices[0].FinishReason != nil {
					t.Errorf("a reason to finish in %s", got.body)
				}
			}
			if class := last.Error.Class; !strings.Contains(log.wait(t, 1), `"class":"`+class+`"`) {
				t.Errorf("the log does not say %s", class)
			}
		})
	}
}

// stream opens a stream whose body is to be read piece by piece.
func openStream(t *testing.T, ctx context.Context, base string) (*http.Response, *bufio.Reader) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/chat/completions", strings.NewReader(streamed))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res, bufio.NewReader(res.Body)
}

func TestEventsAreSentAtOnce(t *testing.T) {
	next := make(chan string)
	base := start(t, chats(func(_ context.Context, _ *openai.Request, reply *openai.Reply) error {
		for s := range next {
			if err := reply.Text(s); err != nil {
				return err
			}
		}
		return nil
	}))
	go func() { next <- "one" }()
	_, body := openStream(t, t.Context(), base)
	for _, s := range []string{"one", "two", "three"} {
		if s != "one" {
			next <- s
		}
		for {
			line, err := body.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(line, `"content":"`+s+`"`) {
				break
			}
		}
	}
	close(next)
}

func TestSilenceIsFilledWithComments(t *testing.T) {
	said := make(chan struct{})
	o := chats(func(_ context.Context, _ *openai.Request, reply *openai.Reply) error {
		if reply.Begun() {
			return errors.New("begun before anything was sent")
		}
		reply.Header().Set("X-Conversation-Id", "c1")
		<-said
		if !reply.Begun() {
			return errors.New("not begun after a comment")
		}
		reply.Header().Set("X-Too-Late", "yes")
		return failure(errclass.Transient, errclass.Call{})
	})
	o.KeepAlive = time.Millisecond
	base := start(t, o)
	res, body := openStream(t, t.Context(), base)
	for range 3 {
		for _, want := range []string{": keep-alive\n", "\n"} {
			if line, err := body.ReadString('\n'); err != nil || line != want {
				t.Fatalf("%q, %v; want %q", line, err, want)
			}
		}
	}
	close(said)
	rest, err := io.ReadAll(body)
	if err != nil || res.StatusCode != 200 || res.Header.Get("X-Conversation-Id") != "c1" || res.Header.Get("X-Too-Late") != "" {
		t.Errorf("%d %v %v", res.StatusCode, res.Header, err)
	}
	if list, done := chunks(t, string(rest)); done || len(list) != 1 || list[0].Error == nil || list[0].Error.Class != "transient" {
		t.Errorf("%q", rest)
	}
}

func TestCommentsAndPiecesDoNotMix(t *testing.T) {
	o := chats(func(_ context.Context, _ *openai.Request, reply *openai.Reply) error {
		for range 2000 {
			reply.Header().Set("X-A", "b")
			if err := reply.Text("é"); err != nil {
				return err
			}
		}
		return nil
	})
	o.KeepAlive = time.Microsecond
	base := start(t, o)
	if got := content(mustChunks(t, base)); got != strings.Repeat("é", 2000) {
		t.Errorf("%d bytes", len(got))
	}
}

func TestTheClientsLeaveEndsTheChat(t *testing.T) {
	for name, body := range map[string]string{"stream": streamed, "document": hello} {
		t.Run(name, func(t *testing.T) {
			begun, ended := make(chan struct{}), make(chan error, 1)
			var log lines
			o := chats(func(ctx context.Context, r *openai.Request, reply *openai.Reply) error {
				if r.Stream {
					_ = reply.Text("x")
				}
				close(begun)
				<-ctx.Done()
				ended <- reply.Text("y")
				return ctx.Err()
			})
			o.Log = log.logger()
			base := start(t, o)
			ctx, leave := context.WithCancel(t.Context())
			req, _ := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/chat/completions", strings.NewReader(body))
			go func() {
				if res, err := http.DefaultClient.Do(req); err == nil {
					_, _ = io.Copy(io.Discard, res.Body)
					res.Body.Close()
				}
			}()
			<-begun
			leave()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("writing to nobody: %v", err)
			}
			if text := log.wait(t, 1); !strings.Contains(text, `"status":499`) || strings.Contains(text, "ERROR") {
				t.Errorf("log: %s", text)
			}
		})
	}
}

func TestAnAnswerEndsOnce(t *testing.T) {
	again := make(chan error, 3)
	base := start(t, chats(func(_ context.Context, _ *openai.Request, reply *openai.Reply) error {
		if err := reply.Finish(openai.FinishStop, openai.Usage{}); err != nil {
			return err
		}
		again <- reply.Text("more")
		again <- reply.ToolCalls([]openai.ToolCall{{}})
		again <- reply.Finish(openai.FinishStop, openai.Usage{})
		return nil
	}))
	for range 3 {
		defer func() {
			if err := <-again; err == nil {
				t.Error("something was written after the end")
			}
		}()
	}
	if got := post(t, base, streamed); strings.Count(got.body, "[DONE]") != 1 || strings.Contains(got.body, "more") {
		t.Errorf("%s", got.body)
	}
}
