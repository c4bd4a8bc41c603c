package live_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/peerwright/peerwright/internal/wire"
)

// order is what an official client is to do with the tools behind a bridge: list the
// models, call a tool, ask the model of the bridge, or run the loop with a model of its own.
type order struct {
	Op     string `json:"op"`
	Tool   string `json:"tool"`
	Args   string `json:"args"`
	Key    string `json:"key"`
	Stream bool   `json:"stream"`
	Text   string `json:"text"`
	Model  string `json:"model"` // URL of the model server of the loop
}

// yield is what came of it. Of a failure, Error is the name of what is thrown.
type yield struct {
	Models, Results    []string
	Text, Finish       string
	Error, Code, Class string
	Status             int
	Message            string
}

// handyGo is the official client for Go.
func handyGo(url string) func(t *testing.T, q order) yield {
	client := sdk.NewClient(option.WithBaseURL(url+"/v1"), option.WithAPIKey("none"), option.WithHeader("X-Retry", "never"))
	ops := map[string]func(*testing.T, sdk.Client, order) (yield, error){"models": goModels, "call": goCall, "ask": goAskModel, "loop": goLoop}
	return func(t *testing.T, q order) yield {
		t.Helper()
		got, err := ops[q.Op](t, client, q)
		if known, ok := errors.AsType[*sdk.Error](err); ok {
			got.Error, got.Status, got.Code, got.Message = "APIError", known.StatusCode, known.Code, known.Message
			got.Class, _ = wire.Text(wire.Get([]byte(known.RawJSON()), "class"))
		} else if err != nil {
			got.Error, got.Message = "error", err.Error()
		}
		return got
	}
}

func goModels(t *testing.T, client sdk.Client, _ order) (yield, error) {
	page, err := client.Models.List(t.Context())
	if err != nil {
		return yield{}, err
	}
	var got yield
	for _, m := range page.Data {
		got.Models = append(got.Models, m.ID)
	}
	return got, nil
}

// goComplete has a request answered, whole or streamed and put together again.
func goComplete(t *testing.T, client sdk.Client, p sdk.ChatCompletionNewParams, stream bool, o ...option.RequestOption) (sdk.ChatCompletion, error) {
	if !stream {
		got, err := client.Chat.Completions.New(t.Context(), p, o...)
		if err != nil {
			return sdk.ChatCompletion{}, err
		}
		return *got, nil
	}
	chunks := client.Chat.Completions.NewStreaming(t.Context(), p, o...)
	defer chunks.Close()
	var sum sdk.ChatCompletionAccumulator
	for chunks.Next() {
		if !sum.AddChunk(chunks.Current()) {
			t.Errorf("a chunk that does not fit: %s", chunks.Current().RawJSON())
		}
	}
	return sum.ChatCompletion, chunks.Err()
}

func goCall(t *testing.T, client sdk.Client, q order) (yield, error) {
	p := sdk.ChatCompletionNewParams{Model: "any", Messages: []sdk.ChatCompletionMessageParamUnion{{OfAssistant: &sdk.ChatCompletionAssistantMessageParam{
		ToolCalls: []sdk.ChatCompletionMessageToolCallUnionParam{{OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
			ID: "call_1", Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: q.Tool, Arguments: q.Args},
		}}},
	}}}}
	var o []option.RequestOption
	if q.Key != "" {
		o = append(o, option.WithHeader("X-Idempotency-Key", q.Key))
	}
	return goRead(goComplete(t, client, p, q.Stream, o...))
}

func goRead(got sdk.ChatCompletion, err error) (yield, error) {
	if err != nil || len(got.Choices) == 0 {
		return yield{}, err
	}
	y := yield{Text: got.Choices[0].Message.Content, Finish: got.Choices[0].FinishReason}
	for _, c := range got.Choices[0].Message.ToolCalls {
		y.Results = append(y.Results, c.Function.Arguments)
	}
	return y, nil
}

func goAskModel(t *testing.T, client sdk.Client, q order) (yield, error) {
	return goRead(goComplete(t, client, sdk.ChatCompletionNewParams{Model: "m", Messages: []sdk.ChatCompletionMessageParamUnion{sdk.UserMessage(q.Text)}}, q.Stream))
}

// goLoop has a model choose the calls and the bridge make them, until the model has its say.
func goLoop(t *testing.T, client sdk.Client, q order) (yield, error) {
	var list struct {
		Data []sdk.ChatCompletionToolUnionParam
	}
	if err := client.Get(t.Context(), "tools", nil, &list); err != nil {
		return yield{}, err
	}
	brain := sdk.NewClient(option.WithBaseURL(q.Model), option.WithAPIKey("none"))
	p := sdk.ChatCompletionNewParams{Model: "m", Messages: []sdk.ChatCompletionMessageParamUnion{sdk.UserMessage(q.Text)}, Tools: list.Data}
	var results []string
	for range 5 {
		got, err := brain.Chat.Completions.New(t.Context(), p)
		if err != nil {
			return yield{}, err
		}
		message := got.Choices[0].Message
		p.Messages = append(p.Messages, message.ToParam())
		if len(message.ToolCalls) == 0 {
			return yield{Text: message.Content, Results: results}, nil
		}
		made, err := client.Chat.Completions.New(t.Context(), sdk.ChatCompletionNewParams{Model: "any", Messages: p.Messages})
		if err != nil {
			return yield{}, err
		}
		var told []sdk.ChatCompletionMessageParamUnion
		if err := json.Unmarshal([]byte(made.JSON.ExtraFields["tool_messages"].Raw()), &told); err != nil {
			return yield{}, err
		}
		p.Messages = append(p.Messages, told...)
		for _, m := range told {
			results = append(results, m.OfTool.Content.OfString.Value)
		}
	}
	return yield{}, errors.New("the model comes to no end")
}

// handyNode is the npm package openai.
func handyNode(t *testing.T, url string) func(t *testing.T, q order) yield {
	t.Helper()
	needLive(t)
	script := filepath.Join(root(t), ".tools", "openai", "tools.mjs")
	for _, file := range []string{script, filepath.Join(filepath.Dir(script), ".installed")} {
		if _, err := os.Stat(file); err != nil {
			t.Skip("the npm package openai is not there: run scripts/install-peers.sh")
		}
	}
	in, lines := node(t, script, url+"/v1")
	return func(t *testing.T, q order) yield {
		t.Helper()
		line, _ := json.Marshal(q)
		if _, err := in.Write(append(line, '\n')); err != nil {
			t.Fatal(err)
		}
		line, err := lines.ReadBytes('\n')
		var got yield
		if err == nil || errors.Is(err, io.EOF) {
			err = json.Unmarshal(line, &got)
		}
		if err != nil {
			t.Fatalf("the client: %v: %s", err, line)
		}
		return got
	}
}

// TestOfficialClientsAndTools has the official clients for Go and JavaScript do with tools
// what their users do.
func TestOfficialClientsAndTools(t *testing.T) {
	var ran atomic.Int64
	s := desk(&ran)
	s.tools["move_slow"] = tool{writes, func(_ http.ResponseWriter, r *http.Request, _ wire.Message) { <-r.Context().Done() }}
	brain := model{twoCalls}.serve(t)
	plain := bridge(t, nil, "--mcp", s.serve(t), "--timeout", "2s")
	looped := bridge(t, nil, "--mcp", s.serve(t), "--llm", brain)
	for name, client := range map[string]func(*testing.T, string) func(*testing.T, order) yield{
		"Go":         func(_ *testing.T, url string) func(*testing.T, order) yield { return handyGo(url) },
		"JavaScript": handyNode,
	} {
		t.Run(name, func(t *testing.T) {
			handy := client(t, plain.url)
			succeeds(t, handy, brain, name)
			for _, f := range clientFailures(name) {
				f.meets(t, handy, s, name)
			}
			asks(t, client(t, looped.url))
		})
	}
}

func succeeds(t *testing.T, do func(*testing.T, order) yield, brain, name string) {
	t.Helper()
	if got := do(t, order{Op: "models"}); !reflect.DeepEqual(got.Models, []string{"mcp"}) {
		t.Errorf("models: %+v", got)
	}
	for _, stream := range []bool{false, true} {
		got := do(t, order{Op: "call", Tool: "get_weather", Args: "{}", Stream: stream})
		if !reflect.DeepEqual(got.Results, []string{`{"result":"fine"}`}) || got.Finish != "tool_calls" || got.Error != "" {
			t.Errorf("call, stream %v: %+v", stream, got)
		}
	}
	first := do(t, order{Op: "call", Tool: "create_issue", Args: "{}", Key: name})
	if again := do(t, order{Op: "call", Tool: "create_issue", Args: "{}", Key: name}); first.Error != "" || !reflect.DeepEqual(first, again) {
		t.Errorf("the same key: %+v, %+v", first, again)
	}
	got := do(t, order{Op: "loop", Text: "which repositories, and what weather?", Model: brain})
	if got.Text != "2 results, 3 repositories, and it is fine: true" || len(got.Results) != 2 {
		t.Errorf("loop: %+v", got)
	}
}

func asks(t *testing.T, do func(*testing.T, order) yield) {
	t.Helper()
	if got := do(t, order{Op: "models"}); !reflect.DeepEqual(got.Models, []string{"mcp", "m"}) {
		t.Errorf("models: %+v", got)
	}
	for _, stream := range []bool{false, true} {
		if got := do(t, order{Op: "ask", Text: "well?", Stream: stream}); got.Text != "2 results, 3 repositories, and it is fine: true" || got.Finish != "stop" || got.Error != "" {
			t.Errorf("ask, stream %v: %+v", stream, got)
		}
	}
}

// clientFailure is a failure as an official client meets it.
type clientFailure struct {
	order  order
	class  string
	status int
	code   string
	thrown string // by the JavaScript client
	sent   int    // how often the client sends it: what must not be repeated is not
}

const retried = 3 // the clients come again twice by themselves

func clientFailures(name string) []clientFailure {
	read := func(args string) order { return order{Op: "call", Tool: "get_failing", Args: args} }
	move := func(args string) order { return order{Op: "call", Tool: "move_failing", Args: args} }
	keyed := move(status(503, ""))
	keyed.Key = name + " keyed"
	streamed := read(status(403, ""))
	streamed.Stream = true
	return []clientFailure{
		{read(status(401, "")), "auth", 401, "invalid_api_key", "AuthenticationError", 1},
		{read(status(403, "")), "permission", 403, "permission_denied", "PermissionDeniedError", 1},
		{streamed, "permission", 403, "permission_denied", "PermissionDeniedError", 1},
		{read(status(422, "")), "invalid_args", 422, "invalid_args", "UnprocessableEntityError", 1},
		{read("{"), "invalid_args", 422, "invalid_args", "UnprocessableEntityError", 0},
		{order{Op: "call", Tool: "get_nothing", Args: "{}"}, "not_found", 404, "not_found", "NotFoundError", 0},
		{read(status(409, "")), "conflict", 409, "conflict", "ConflictError", 1},
		{read(status(429, "")), "rate_limit", 429, "rate_limit_exceeded", "RateLimitError", retried},
		{move(status(429, "")), "rate_limit", 429, "rate_limit_exceeded", "RateLimitError", 1},
		{read(status(503, "")), "transient", 503, "upstream_unavailable", "InternalServerError", retried},
		{move(status(503, "")), "transient", 503, "upstream_unavailable", "InternalServerError", 1},
		{keyed, "transient", 503, "upstream_unavailable", "InternalServerError", retried},
		{order{Op: "call", Tool: "move_slow", Args: "{}"}, "timeout", 504, "timeout", "InternalServerError", 1},
	}
}

func (f clientFailure) meets(t *testing.T, do func(*testing.T, order) yield, s *script, name string) {
	t.Helper()
	before := s.made()
	got := do(t, f.order)
	if got.Class != f.class || got.Status != f.status || got.Code != f.code || got.Message == "" || name == "JavaScript" && got.Error != f.thrown || got.Error == "" {
		t.Errorf("%+v: %+v", f, got)
	}
	if sent := s.made() - before; sent != f.sent {
		t.Errorf("%+v: sent %d times", f, sent)
	}
	if strings.Contains(got.Message, "goroutine") {
		t.Errorf("%s", got.Message)
	}
}
