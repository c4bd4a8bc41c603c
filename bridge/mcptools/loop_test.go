package mcptools_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/peerwright/peerwright/bridge/mcptools"
	"github.com/peerwright/peerwright/bridge/mcptools/loop"
	"github.com/peerwright/peerwright/internal/wire"
)

// model is an OpenAI-compatible server that calls tools first and speaks then.
type model struct {
	calls []call
	fails bool // at the second request, again and again
	cuts  bool // in the middle of what it says there

	mu    sync.Mutex
	asked []string
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/models" {
		io.WriteString(w, `{"object":"list","data":[{"id":"gpt-x","owned_by":"llm"}]}`)
		return
	}
	asked, _ := io.ReadAll(r.Body)
	m.mu.Lock()
	m.asked = append(m.asked, string(asked))
	first := len(m.asked) == 1
	m.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	switch {
	case first:
		for i, c := range m.calls {
			fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"id":"m%d","type":"function","function":{"name":%q,"arguments":%q}}]}}]}`+"\n\n", i, i, c.name, c.args)
		}
		io.WriteString(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`+"\n\ndata: [DONE]\n\n")
	case m.fails:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusServiceUnavailable)
		io.WriteString(w, "<html>down")
	case m.cuts:
		io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"All"}}]}`+"\n\n"+`data: {"error":{"message":"`+r.Header.Get("Authorization")+` ran out"}}`+"\n\n")
	default:
		for _, word := range []string{"All ", "is ", "well."} {
			fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{"content":%q}}]}`+"\n\n", word)
		}
		io.WriteString(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":3,"total_tokens":8}}`+"\n\ndata: [DONE]\n\n")
	}
}

// withModel is a bridge with the model in front of the servers.
func withModel(t *testing.T, m *model, s *script) *bridge {
	t.Helper()
	llm := httptest.NewServer(m)
	t.Cleanup(llm.Close)
	return start(t, setting{options: func(o *mcptools.Options) {
		o.Loop = loop.New(loop.Config{URL: llm.URL, Model: "standard", Key: "sk-canary-0123456789"})
	}}, at(t, s))
}

// With a model beside it the bridge runs the whole loop: it offers the tools, makes the
// calls that the model chooses, a failure included, and gives its last word.
func TestTheWholeLoop(t *testing.T) {
	var ran atomic.Int64
	m := &model{calls: []call{{name: "create_issue", args: `{"t":1}`}, {name: "create_issue", args: `{"t":2}`}, {name: "get_none", args: `{}`}, {name: "get_nome", args: `{}`}}}
	s := &script{tools: map[string]tool{
		"create_issue": counter(&ran), "get_none": gives(reads, `{"isError":true,"content":[{"type":"text","text":"nothing there"}]}`),
	}}
	b := withModel(t, m, s)
	got := b.post(t, `{"model":"m","messages":[{"role":"user","content":"open two issues"}]}`, "X-Idempotency-Key", "k")
	if got.status != 200 || got.text("choices", "0", "message", "content") != "All is well." || got.text("choices", "0", "finish_reason") != "stop" || ran.Load() != 2 {
		t.Fatalf("%d %s after %d executions", got.status, got.body, ran.Load())
	}
	if len(m.asked) != 2 || !strings.Contains(m.asked[0], `"name":"create_issue"`) || strings.Contains(m.asked[0], `"mcp"`) {
		t.Errorf("offered %q", m.asked[0])
	}
	for _, want := range []string{`issue 1`, `issue 2`, `nothing there`, `"tool_call_id":"m2"`, `there is no tool \\\"get_nome\\\"; did you mean get_none?`} {
		if !strings.Contains(m.asked[1], want) {
			t.Errorf("the model is not told %s: %s", want, m.asked[1])
		}
	}
	if keys := s.heads[0].Get("Idempotency-Key") + " " + s.heads[1].Get("Idempotency-Key"); keys != "k k#2" {
		t.Errorf("forwarded %s", keys)
	}
	if got := b.post(t, body(call{name: "create_issue", args: `{"t":1}`}), "X-Idempotency-Key", "k"); got.result(0) != `{"result":"issue 1"}` {
		t.Errorf("a call in the last message is made without the model: %s", got.body)
	}
}

// The models of the server are listed beside the MCP servers; whoever names one of the
// latter, or none, is given the standard one.
func TestModelsOfTheLoop(t *testing.T) {
	m := &model{}
	b := withModel(t, m, &script{tools: map[string]tool{"get_x": says(reads, "x")}})
	if got := b.get(t, "/v1/models"); got.text("data", "0", "id") != "server1" || got.text("data", "1", "id") != "gpt-x" || got.text("data", "1", "owned_by") != "llm" {
		t.Errorf("the models are %s", got.body)
	}
	for named, want := range map[string]string{`"gpt-x"`: "gpt-x", `"unlisted"`: "unlisted", `"server1"`: "standard", `""`: "standard"} {
		m.asked = nil
		b.post(t, `{"model":`+named+`,"messages":[{"role":"user","content":"x"}]}`)
		if got, _ := wire.Text(wire.Get([]byte(m.asked[0]), "model")); got != want {
			t.Errorf("for %s the model %q is asked, not %q", named, got, want)
		}
	}
}

func TestModelsWithoutAModelServer(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	b := start(t, setting{options: func(o *mcptools.Options) { o.Loop = loop.New(loop.Config{URL: gone.URL}) }}, at(t, &script{}))
	if got := b.get(t, "/v1/models"); got.status != 200 || got.text("data", "0", "id") != "server1" {
		t.Errorf("the models are %d %s", got.status, got.body)
	}
}

// A model that fails after a call was made costs nobody the knowledge of it, and the client
// is told to come again only where that cannot make the call twice.
func TestTheModelFailsAfterACall(t *testing.T) {
	for name, c := range map[string]struct{ tool, key, retry string }{
		"mutation": {"create_issue", "", "false"}, "with a key": {"create_issue", "k", "true"}, "read": {"get_x", "", "true"},
	} {
		var ran atomic.Int64
		m := &model{calls: []call{{name: c.tool, args: `{}`}}, fails: true}
		b := withModel(t, m, &script{tools: map[string]tool{"create_issue": counter(&ran), "get_x": says(reads, "x")}})
		got := b.post(t, `{"messages":[{"role":"user","content":"x"}]}`, "X-Idempotency-Key", c.key, "X-Retry", "never")
		if got.status != 502 && got.status != 503 || got.head.Get("X-Should-Retry") != c.retry || got.text("error", "context", "outcome") != "failed" {
			t.Errorf("%s: answered %d, to retry %s: %s", name, got.status, got.head.Get("X-Should-Retry"), got.body)
		}
		if got.text("peerwright", "calls", "0", "name") != c.tool || got.text("peerwright", "messages", "1", "tool_call_id") != "m0" {
			t.Errorf("%s: the client is not told of the call: %s", name, got.body)
		}
		if got := b.post(t, `{"stream":true,"messages":[{"role":"user","content":"x"}]}`, "X-Retry", "never"); got.status == 200 || !strings.Contains(string(got.body), `"class":"transient"`) {
			t.Errorf("%s: streamed %d %s", name, got.status, got.body)
		}
	}
}

// A stream that a failure ends says in its last event what was done, and nothing after it
// makes it look whole. The key of the model server is in none of it.
func TestTheModelFailsInTheMiddle(t *testing.T) {
	var ran atomic.Int64
	m := &model{calls: []call{{name: "create_issue", args: `{}`}}, cuts: true}
	b := withModel(t, m, &script{tools: map[string]tool{"create_issue": counter(&ran)}})
	got := b.post(t, `{"stream":true,"messages":[{"role":"user","content":"x"}]}`)
	events := strings.Split(string(got.body), "\n\n")
	last := []byte(strings.TrimPrefix(events[len(events)-1], "data: "))
	if class, _ := wire.Text(wire.Path(last, "error", "class")); got.status != 200 || class != "transient" || len(wire.Path(last, "peerwright", "messages")) == 0 || ran.Load() != 1 {
		t.Errorf("streamed %d %s", got.status, got.body)
	}
	for _, no := range []string{"[DONE]", `"finish_reason":"`, "canary"} {
		if strings.Contains(string(got.body), no) {
			t.Errorf("%s is in %s", no, got.body)
		}
	}
}

// The official client sees one answer, whatever was called for it, and its own tools beside ours.
func TestTheLoopWithTheOfficialClient(t *testing.T) {
	for _, stream := range []bool{false, true} {
		m := &model{calls: []call{{name: "get_x", args: `{}`}, {name: "mine", args: `{"q":1}`}}}
		b := withModel(t, m, &script{tools: map[string]tool{"get_x": says(reads, "the x")}})
		c := sdk.NewClient(option.WithBaseURL(b.url+"/v1"), option.WithAPIKey("k"))
		p := sdk.ChatCompletionNewParams{
			Model:    "m",
			Messages: []sdk.ChatCompletionMessageParamUnion{sdk.UserMessage("go")},
			Tools:    []sdk.ChatCompletionToolUnionParam{sdk.ChatCompletionFunctionTool(sdk.FunctionDefinitionParam{Name: "mine"})},
		}
		p.StreamOptions.IncludeUsage = sdk.Bool(true)
		first := complete(t, c, p, stream)
		if first.Choices[0].FinishReason != "tool_calls" || len(first.Choices[0].Message.ToolCalls) != 1 || first.Choices[0].Message.ToolCalls[0].Function.Name != "mine" {
			t.Fatalf("stream %v: handed %s", stream, first.RawJSON())
		}
		p.Messages = append(p.Messages, first.Choices[0].Message.ToParam(), sdk.ToolMessage("my result", first.Choices[0].Message.ToolCalls[0].ID))
		second := complete(t, c, p, stream)
		if second.Choices[0].Message.Content != "All is well." || second.Choices[0].FinishReason != "stop" || second.Usage.TotalTokens != 8 {
			t.Errorf("stream %v: answered %+v", stream, second)
		}
		for _, want := range []string{"the x", "my result"} {
			if !strings.Contains(m.asked[1], want) {
				t.Errorf("stream %v: the model is not told %s: %s", stream, want, m.asked[1])
			}
		}
	}
}

func complete(t *testing.T, c sdk.Client, p sdk.ChatCompletionNewParams, streamed bool) sdk.ChatCompletion {
	t.Helper()
	if !streamed {
		p.StreamOptions = sdk.ChatCompletionStreamOptionsParam{}
		got, err := c.Chat.Completions.New(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return *got
	}
	stream := c.Chat.Completions.NewStreaming(t.Context(), p)
	var all sdk.ChatCompletionAccumulator
	for stream.Next() {
		if !all.AddChunk(stream.Current()) {
			t.Errorf("a chunk that does not fit: %s", stream.Current().RawJSON())
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	return all.ChatCompletion
}

// The official client raises its own exception for a failure of the model server, and does
// not come again after a call that must not be made twice.
func TestTheOfficialClientIsToldOfFailures(t *testing.T) {
	var ran atomic.Int64
	m := &model{calls: []call{{name: "create_issue", args: `{}`}}, fails: true}
	b := withModel(t, m, &script{tools: map[string]tool{"create_issue": counter(&ran)}})
	c := sdk.NewClient(option.WithBaseURL(b.url+"/v1"), option.WithAPIKey("k"), option.WithHeader("X-Retry", "never"))
	_, err := c.Chat.Completions.New(t.Context(), sdk.ChatCompletionNewParams{Model: "m", Messages: []sdk.ChatCompletionMessageParamUnion{sdk.UserMessage("go")}})
	failed, ok := errors.AsType[*sdk.Error](err)
	if !ok || failed.StatusCode < 500 || failed.Code != "upstream_unavailable" || ran.Load() != 1 || len(m.asked) != 2 {
		t.Errorf("the model was asked %d times, %d calls were made: %v", len(m.asked), ran.Load(), err)
	}
}
