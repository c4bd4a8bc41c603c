package a2achat_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/peerwright/peerwright/bridge/a2achat"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/conformance/peers/a2apeer"
)

// official is the official client in front of the bridge.
func official(b *bridge, header ...string) sdk.Client {
	o := []option.RequestOption{option.WithBaseURL(b.URL + "/v1"), option.WithAPIKey("unused")}
	for i := 0; i < len(header); i += 2 {
		o = append(o, option.WithHeader(header[i], header[i+1]))
	}
	return sdk.NewClient(o...)
}

func question(text string) sdk.ChatCompletionNewParams {
	return sdk.ChatCompletionNewParams{Model: "helper", Messages: []sdk.ChatCompletionMessageParamUnion{sdk.UserMessage(text)}}
}

func TestOfficialClientTwoTurnsThatRemember(t *testing.T) {
	m := &diary{turns: map[string]int{}}
	client := official(bridgeTo(t, newScript(t, m.answer).blocking()), "X-Conversation-Id", "c1")
	for _, want := range []string{"turn 1 of ctx-1", "turn 2 of ctx-1"} {
		got, err := client.Chat.Completions.New(context.Background(), question("hi"))
		if err != nil || got.Choices[0].Message.Content != want {
			t.Errorf("%+v, %v; want %q", got, err, want)
		}
	}
}

func TestOfficialClientStreamsWorkingNotes(t *testing.T) {
	s := newScript(t, func(w http.ResponseWriter, c call) {
		c.events(w, statusEvent("ctx", said("working", "Searching…"), false),
			artifactEvent("ctx", artifact("a", parts("Found"))), artifactEvent("ctx", artifact("a", parts(" it")), "append"), completed("ctx"))
	})
	client := official(bridgeTo(t, s))
	stream := client.Chat.Completions.NewStreaming(context.Background(), question("hi"))
	sum := sdk.ChatCompletionAccumulator{}
	for stream.Next() {
		if !sum.AddChunk(stream.Current()) {
			t.Fatal("a chunk does not fit to the others")
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	if got := sum.Choices[0].Message.Content; got != "_Searching…_\n\nFound it" {
		t.Errorf("%q", got)
	}
}

// TestOfficialClientMeetsFailuresOnce holds that no failure makes the client send a
// message again, as it does by itself with 409, 429 and 5xx.
func TestOfficialClientMeetsFailuresOnce(t *testing.T) {
	for status, want := range map[int]int{429: 429, 413: 413, 500: 502, 503: 502, 307: 502, 401: 502, 403: 502, 409: 409, 404: 404} {
		s := newScript(t, func(w http.ResponseWriter, c call) {
			if status == 429 || status == 503 {
				w.Header().Set("Retry-After", "0")
			}
			w.WriteHeader(status)
		})
		client := official(bridgeTo(t, s, httpError))
		_, err := client.Chat.Completions.New(context.Background(), question("hi"))
		var known *sdk.Error
		if !errors.As(err, &known) || known.StatusCode != want || known.Message == "" {
			t.Errorf("%d of the agent: %v", status, err)
		}
		if n := len(s.got()); n != 1 {
			t.Errorf("%d of the agent: the message was sent %d times", status, n)
		}
	}
}

func TestOfficialClientSeesAStreamThatBroke(t *testing.T) {
	s := newScript(t, func(w http.ResponseWriter, c call) {
		c.events(w, artifactEvent("ctx", artifact("a", parts("Half"))))
		panic(http.ErrAbortHandler)
	})
	client := official(bridgeTo(t, s, httpError))
	stream := client.Chat.Completions.NewStreaming(context.Background(), question("hi"))
	text := ""
	for stream.Next() {
		for _, c := range stream.Current().Choices {
			text += c.Delta.Content
		}
	}
	if text != "Half" || stream.Err() == nil {
		t.Errorf("%q, %v", text, stream.Err())
	}
}

// TestBuiltInAgent makes the round of what an agent may do, in 1.0 over JSON-RPC, and
// through the SDK's own agent.
func TestBuiltInAgent(t *testing.T) {
	for name, options := range map[string]a2apeer.Options{"streaming": {}, "blocking": {NoStreaming: true}} {
		t.Run(name, func(t *testing.T) {
			peer := httptest.NewServer(a2apeer.New(options).Handler(""))
			defer peer.Close()
			b := newBridge(t, a2achat.Options{Agents: []a2achat.AgentConfig{{ID: "helper", CardURL: peer.URL, ShowProgress: new(bool)}}}, openai.Options{})
			for text, want := range map[string]struct{ content, state, class string }{
				"message please": {"You said: message please", "answered", ""},
				"input":          {"What else?", "input-required", ""},
				"fail":           {"The agent helper could not answer (It did not work.).", "failed", "transient"},
				"reject":         {"The agent helper could not answer (That is not for this agent.).", "rejected", "invalid_args"},
				"hello there":    {"", "completed", ""},
				"data":           {"```json\n", "completed", ""},
				"file":           {"](", "completed", ""},
			} {
				answers := both(t, b, func() object { return user(text) })
				for _, a := range answers {
					if !strings.Contains(a.content, want.content) || a.content == "" || a.about.State != want.state || a.failure.Class != want.class || a.finish != "stop" {
						t.Errorf("%s: %q %s", text, a.content, a.raw)
					}
				}
				if answers[0].content != answers[1].content {
					t.Errorf("%s: %q without a stream, %q with one", text, answers[0].content, answers[1].content)
				}
			}
			b.ask(t, user("input"), "X-Conversation-Id", "c1")
			if a := b.ask(t, user("more"), "X-Conversation-Id", "c1"); a.about.State != "completed" || a.content == "" {
				t.Errorf("the task that waited: %s", a.raw)
			}
		})
	}
}
