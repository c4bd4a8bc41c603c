package live_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// clientsConfig is a bridge with keys, to the scripted agents; those whose names begin
// with "program" tell failures by the HTTP status.
const clientsConfig = `api_keys_env: SEED_KEYS
agents:
  - {id: chat, card_url: NAME/stream/}
  - {id: program, card_url: NAME/stream/, on_error: http_error}
  - {id: block, card_url: NAME/block/}
  - {id: program-block, card_url: NAME/block/, on_error: http_error}
  - {id: gone, card_url: "http://127.0.0.1:1/"}
  - {id: program-gone, card_url: "http://127.0.0.1:1/", on_error: http_error}
`

func clientsBridge(t *testing.T) (*running, *scripted) {
	t.Helper()
	agents := newScripted(t)
	file := filepath.Join(t.TempDir(), "agents.yml")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(clientsConfig, "NAME", agents.URL)), 0o600); err != nil {
		t.Fatal(err)
	}
	return bridge(t, seedEnv(), "--config", file), agents
}

// asked is a request of an official client.
type asked struct {
	Model        string `json:"model"`
	Text         string `json:"text"`
	Stream       bool   `json:"stream"`
	Conversation string `json:"conversation"`
}

// met is what an official client makes of the answer. Of a failure, Error is the name of
// what is thrown.
type met struct {
	Text, Finish        string
	Error, Code, Class  string
	Status              int
	Message, RetryAfter string
}

// official asks by an official client. Each of the clients retries by itself what it may.
type official func(t *testing.T, key string, q asked) met

// goClient is the official client for Go.
func goClient(url string) official {
	return func(t *testing.T, key string, q asked) met {
		t.Helper()
		client := sdk.NewClient(option.WithBaseURL(url+"/v1"), option.WithAPIKey(key), option.WithHeader("X-Conversation-Id", q.Conversation))
		params := sdk.ChatCompletionNewParams{Model: q.Model, Messages: []sdk.ChatCompletionMessageParamUnion{sdk.UserMessage(q.Text)}}
		got, err := goAsk(t, client, params, q.Stream)
		known := new(sdk.Error)
		if errors.As(err, &known) {
			got.Error, got.Status, got.Code, got.Message = "APIError", known.StatusCode, known.Code, known.Message
			if known.Response != nil {
				got.RetryAfter = known.Response.Header.Get("Retry-After")
			}
			var body struct{ Class string }
			_ = json.Unmarshal([]byte(known.RawJSON()), &body) // what has no class has none
			got.Class = body.Class
		} else if err != nil {
			got.Error, got.Message = "error", err.Error()
		}
		return got
	}
}

func goAsk(t *testing.T, client sdk.Client, params sdk.ChatCompletionNewParams, stream bool) (met, error) {
	if !stream {
		answer, err := client.Chat.Completions.New(t.Context(), params)
		if err != nil {
			return met{}, err
		}
		return met{Text: answer.Choices[0].Message.Content, Finish: answer.Choices[0].FinishReason}, nil
	}
	chunks := client.Chat.Completions.NewStreaming(t.Context(), params)
	defer chunks.Close()
	sum := sdk.ChatCompletionAccumulator{}
	for chunks.Next() {
		if !sum.AddChunk(chunks.Current()) {
			t.Error("a chunk does not fit to the others")
		}
	}
	if len(sum.Choices) == 0 {
		return met{}, chunks.Err()
	}
	return met{Text: sum.Choices[0].Message.Content, Finish: sum.Choices[0].FinishReason}, chunks.Err()
}

// nodeClient is the npm package openai: a process for each key.
func nodeClient(t *testing.T, url string) official {
	t.Helper()
	needLive(t)
	script := filepath.Join(root(t), ".tools", "openai", "chat.mjs")
	if _, err := os.Stat(filepath.Join(filepath.Dir(script), ".installed")); err != nil {
		t.Skip("the npm package openai is not there: run scripts/install-peers.sh")
	}
	processes := map[string]func(asked) met{}
	return func(t *testing.T, key string, q asked) met {
		t.Helper()
		if processes[key] == nil {
			processes[key] = startNode(t, script, url, key)
		}
		return processes[key](q)
	}
}

func startNode(t *testing.T, script, url, key string) func(asked) met {
	t.Helper()
	in, lines := node(t, script, url+"/v1", key)
	return func(q asked) met {
		if _, err := io.WriteString(in, marshalled(q)+"\n"); err != nil {
			t.Fatal(err)
		}
		line, err := lines.ReadBytes('\n')
		var m met
		if err == nil {
			err = json.Unmarshal(line, &m)
		}
		if err != nil {
			t.Fatalf("the client: %v: %s", err, line)
		}
		return m
	}
}

// TestOfficialClients has the official clients for Go and JavaScript meet what a user of a
// chat meets: turns that remember, working notes, and each failure, once.
func TestOfficialClients(t *testing.T) {
	b, agents := clientsBridge(t)
	for name, start := range map[string]func(*testing.T) official{
		"Go": func(*testing.T) official { return goClient(b.url) }, "JavaScript": func(t *testing.T) official { return nodeClient(t, b.url) },
	} {
		t.Run(name, func(t *testing.T) {
			client := start(t)
			remembers(t, client, name)
			if got := client(t, seedKey, asked{"chat", "notes", true, "notes"}); got.Text != "_Searching…_\n_Reading…_\n\nFound it." || got.Finish != "stop" {
				t.Errorf("notes: %+v", got)
			}
			for _, f := range metFailures() {
				f.check(t, client, agents)
			}
		})
	}
}

func remembers(t *testing.T, client official, name string) {
	t.Helper()
	for _, stream := range []bool{false, true} {
		conversation := name + map[bool]string{true: " streamed", false: " whole"}[stream]
		for _, want := range []string{"turn 1", "turn 2"} {
			if got := client(t, seedKey, asked{"chat", "count", stream, conversation}); got.Text != want || got.Finish != "stop" || got.Error != "" {
				t.Errorf("%s: %+v, want %q", conversation, got, want)
			}
		}
	}
}

// metFailure is a failure, and what the client is to make of it.
type metFailure struct {
	model, shape string
	key          string
	stream       bool
	text         string // in the chat, or before the failure
	status       int    // of the error; 0 where the failure is told in the chat
	class, retry string
	sent         int // messages that reach the agent
}

func metFailures() []metFailure {
	const busy, large = "The agent chat is rate limiting requests. Try again in about 2s.", "This message is too large for the agent chat. Send a shorter one."
	return []metFailure{
		{model: "chat", shape: "busy", text: busy, sent: 1},
		{model: "chat", shape: "busy", stream: true, text: busy, sent: 1},
		{model: "chat", shape: "large", text: large, sent: 1},
		{model: "chat", shape: "failed", stream: true, text: "The agent chat could not answer (The archive is closed.).", sent: 1},
		{model: "chat", shape: "down", text: "The agent chat is unavailable: it answered with HTTP status 503. Try again later.", sent: 1},
		{model: "gone", shape: "echo", text: "The agent gone is unreachable. Try again later."},
		{model: "gone", shape: "echo", stream: true, text: "The agent gone is unreachable. Try again later."},
		{model: "program", shape: "busy", status: 429, class: "rate_limit", retry: "2", sent: 1},
		{model: "program", shape: "busy", stream: true, status: 429, class: "rate_limit", retry: "2", sent: 1},
		{model: "program-block", shape: "busy", status: 429, class: "rate_limit", retry: "2", sent: 1},
		{model: "program", shape: "large", status: 413, class: "invalid_args", sent: 1},
		{model: "program", shape: "failed", status: 502, class: "transient", sent: 1},
		{model: "program", shape: "down", status: 502, class: "transient", sent: 1},
		{model: "program-gone", shape: "echo", status: 502, class: "transient"},
		{model: "nobody", shape: "echo", status: 404, class: "not_found"},
		{model: "chat", shape: "echo", key: "wrong", status: 401, class: "auth"},
	}
}

func (f metFailure) check(t *testing.T, client official, agents *scripted) {
	t.Helper()
	key, before := seedKey, len(agents.heardOf())
	if f.key != "" {
		key = f.key
	}
	got := client(t, key, asked{f.model, f.shape, f.stream, ""})
	switch {
	case f.status == 0 && (got.Text != f.text || got.Error != "" || got.Finish != "stop"):
		t.Errorf("%+v: %+v", f, got)
	case f.status != 0 && (got.Status != f.status || got.Class != f.class || got.Error == "" || got.RetryAfter != f.retry || got.Message == ""):
		t.Errorf("%+v: %+v", f, got)
	}
	if n := len(agents.heardOf()) - before; n != f.sent {
		t.Errorf("%+v: the message reached the agent %d times", f, n)
	}
}

// TestOfficialClientNames holds the names of what the JavaScript client throws.
func TestOfficialClientNames(t *testing.T) {
	b, _ := clientsBridge(t)
	client := nodeClient(t, b.url)
	for shape, want := range map[asked]string{
		{Model: "program", Text: "busy"}: "RateLimitError", {Model: "nobody", Text: "echo"}: "NotFoundError",
		{Model: "program", Text: "large"}: "APIError", {Model: "program", Text: "down"}: "InternalServerError",
		{Model: "program", Text: "invalid"}: "UnprocessableEntityError",
	} {
		if got := client(t, seedKey, shape); got.Error != want {
			t.Errorf("%+v: %+v, want %s", shape, got, want)
		}
	}
	if got := client(t, "wrong", asked{Model: "chat", Text: "echo"}); got.Error != "AuthenticationError" {
		t.Errorf("%+v", got)
	}
	if got := client(t, seedKey, asked{Model: "program", Text: "cut", Stream: true}); got.Text != "Half" || got.Error != "APIError" {
		t.Errorf("a stream that breaks: %+v", got)
	}
}
