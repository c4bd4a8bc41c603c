package openai_test

import (
	"bytes"
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
)

const hello = `{"model":"m","messages":[{"role":"user","content":"hello"}]}`

// envelope is the error of an answer, as a client reads it.
type envelope struct {
	Error struct {
		Message, Type, Code, Class, Action string
		Param                              *string
		Retryable                          bool
		Backoff                            *int `json:"suggested_backoff_ms"`
		Context                            struct{ Source, Outcome string }
	}
}

func readEnvelope(t *testing.T, body string) envelope {
	t.Helper()
	var e envelope
	if err := json.Unmarshal([]byte(body), &e); err != nil || e.Error.Message == "" {
		t.Fatalf("no envelope: %v in %q", err, body)
	}
	return e
}

func failure(class errclass.Class, call errclass.Call) errclass.Error {
	return errclass.New(class, errclass.Upstream, errclass.Failed, "as the peer said", call)
}

func TestEveryClassHasItsStatusAndWords(t *testing.T) {
	read := errclass.Call{ReadOnly: true}
	wait := failure(errclass.RateLimit, read)
	wait.SuggestedBackoff = 2500 * time.Millisecond
	for _, tc := range []struct {
		name       string
		err        error
		status     int
		kind, code string
		retry      string
		after, ms  string
	}{
		{"auth", failure(errclass.Auth, read), 401, "invalid_request_error", "invalid_api_key", "false", "", ""},
		{"permission", failure(errclass.Permission, read), 403, "permission_error", "permission_denied", "false", "", ""},
		{"invalid_args", failure(errclass.InvalidArgs, read), 422, "invalid_request_error", "invalid_args", "false", "", ""},
		{"not_found", failure(errclass.NotFound, read), 404, "invalid_request_error", "not_found", "false", "", ""},
		{"conflict", failure(errclass.Conflict, read), 409, "conflict_error", "conflict", "false", "", ""},
		{"key", openai.Failure{Cause: failure(errclass.Conflict, read), Code: "idempotency_conflict"}, 409, "conflict_error", "idempotency_conflict", "false", "", ""},
		{"rate_limit", wait, 429, "rate_limit_error", "rate_limit_exceeded", "true", "3", "2500"},
		{"rate_limit, wrapped", errors.Join(errors.New("calling"), wait), 429, "rate_limit_error", "rate_limit_exceeded", "true", "3", "2500"},
		{"rate_limit of a mutation", failure(errclass.RateLimit, errclass.Call{}), 429, "rate_limit_error", "rate_limit_exceeded", "false", "", ""},
		{"transient", failure(errclass.Transient, read), 503, "api_error", "upstream_unavailable", "true", "1", "1000"},
		{"transient mutation", failure(errclass.Transient, errclass.Call{}), 503, "api_error", "upstream_unavailable", "false", "", ""},
		{"timeout", failure(errclass.Timeout, errclass.Call{}), 504, "api_error", "timeout", "false", "", ""},
		{"a status of its own", openai.Failure{Cause: failure(errclass.Transient, read), Status: 502}, 502, "api_error", "upstream_unavailable", "true", "1", "1000"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			base := start(t, chats(func(_ context.Context, _ *openai.Request, reply *openai.Reply) error {
				reply.Header().Set("X-Of-The-Backend", "kept")
				return tc.err
			}))
			for _, body := range []string{hello, `{"stream":true,` + hello[1:]} {
				got := post(t, base, body)
				e := readEnvelope(t, got.body).Error
				if got.status != tc.status || e.Type != tc.kind || e.Code != tc.code || e.Message != "as the peer said" {
					t.Errorf("%d %+v, want %d, %s, %s", got.status, e, tc.status, tc.kind, tc.code)
				}
				for name, want := range map[string]string{
					"X-Should-Retry": tc.retry, "Retry-After": tc.after, "Retry-After-Ms": tc.ms,
					"Content-Type": "application/json", "X-Of-The-Backend": "kept",
				} {
					if got.header.Get(name) != want {
						t.Errorf("header %s is %q, want %q", name, got.header.Get(name), want)
					}
				}
			}
		})
	}
}

func TestWaitIsToldEvenWhereTheCallIsNotToBeRepeated(t *testing.T) {
	now := time.Unix(1000, 0)
	e := failure(errclass.RateLimit, errclass.Call{})
	e.Context.ResetAt = now.Add(7 * time.Second)
	o := chats(func(context.Context, *openai.Request, *openai.Reply) error { return e })
	o.Now = func() time.Time { return now }
	got := post(t, start(t, o), hello)
	if got.header.Get("Retry-After") != "7" || got.header.Get("X-Should-Retry") != "false" {
		t.Errorf("headers %v, want Retry-After 7 and no retry", got.header)
	}
}

func TestMalformedRequestsAreToldWhatIsWrong(t *testing.T) {
	base := start(t, chats(echo))
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	for _, tc := range []struct{ name, body, param, says string }{
		{"nothing", ``, "", "empty"},
		{"blank", " \n", "", "empty"},
		{"no JSON", `{"model":`, "", "no JSON"},
		{"no JSON at a byte", `{"model":"m",}`, "", "at byte 14"},
		{"two documents", hello + hello, "", "no JSON"},
		{"bytes that are no text", "{\"model\":\"\xff\"}", "", "UTF-8"},
		{"array", `[]`, "", "no JSON object"},
		{"string", `"hello"`, "", "no JSON object"},
		{"null", `null`, "", "no JSON object"},
		{"too deep", `{"model":"m","messages":` + deep + `}`, "", "no JSON"},
		{"no messages", `{"model":"m"}`, "messages", "missing"},
		{"null messages", `{"model":"m","messages":null}`, "messages", "array"},
		{"messages of a wrong type", `{"model":"m","messages":"hello"}`, "messages", "array"},
		{"no message", `{"model":"m","messages":[]}`, "messages", "empty"},
		{"message of a wrong type", `{"model":"m","messages":["hello"]}`, "messages[0]", "object"},
		{"no role", `{"model":"m","messages":[{"content":"x"}]}`, "messages[0].role", "missing"},
		{"role of a wrong type", `{"model":"m","messages":[{"role":1}]}`, "messages[0].role", "string"},
		{"content of a wrong type", `{"model":"m","messages":[{"role":"user","content":"a"},{"role":"user","content":{}}]}`, "messages[1].content", "array of parts"},
		{"part of a wrong type", `{"model":"m","messages":[{"role":"user","content":["a"]}]}`, "messages[0].content[0]", "object"},
		{"part without type", `{"model":"m","messages":[{"role":"user","content":[{"text":"a"}]}]}`, "messages[0].content[0].type", "missing"},
		{"part without text", `{"model":"m","messages":[{"role":"user","content":[{"type":"text"}]}]}`, "messages[0].content[0].text", "missing"},
		{"text of a wrong type", `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":[]}]}]}`, "messages[0].content[0].text", "string"},
		{"calls of a wrong type", `{"model":"m","messages":[{"role":"assistant","tool_calls":{}}]}`, "messages[0].tool_calls", "array"},
		{"call without function", `{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"1"}]}]}`, "messages[0].tool_calls[0].function.name", "missing"},
		{"function of a wrong type", `{"model":"m","messages":[{"role":"assistant","tool_calls":[{"function":"f"}]}]}`, "messages[0].tool_calls[0].function", "object"},
		{"arguments of a wrong type", `{"model":"m","messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":{}}}]}]}`, "messages[0].tool_calls[0].function.arguments", "string"},
		{"model of a wrong type", `{"model":1,` + hello[len(`{"model":"m",`):], "model", "string"},
		{"no model", `{` + hello[len(`{"model":"m",`):], "model", "missing"},
		{"stream of a wrong type", `{"stream":"yes",` + hello[1:], "stream", "true nor false"},
		{"stream_options of a wrong type", `{"stream_options":[],` + hello[1:], "stream_options", "object"},
		{"include_usage of a wrong type", `{"stream_options":{"include_usage":1},` + hello[1:], "stream_options.include_usage", "true nor false"},
		{"several answers", `{"n":2,` + hello[1:], "n", "one answer"},
		{"n of a wrong type", `{"n":"1",` + hello[1:], "n", "number"},
		{"user of a wrong type", `{"user":{},` + hello[1:], "user", "string"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := post(t, base, tc.body)
			e := readEnvelope(t, got.body).Error
			param := ""
			if e.Param != nil {
				param = *e.Param
			}
			if got.status != 400 || e.Class != "invalid_args" || e.Context.Outcome != "not_run" || e.Retryable {
				t.Errorf("%d %s, want 400, invalid_args, not_run", got.status, got.body)
			}
			if param != tc.param || !strings.Contains(e.Message, tc.says) {
				t.Errorf("param %q, message %q; want %q and %q", param, e.Message, tc.param, tc.says)
			}
		})
	}
}

func TestRefusedBeforeTheBodyIsRead(t *testing.T) {
	o := chats(echo)
	o.Limit = 1000
	base := start(t, o)
	chatURL := base + "/v1/chat/completions"
	long := `{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("x", 1000) + `"}]}`
	for _, tc := range []struct {
		name, method, url, body string
		header                  []string
		status                  int
		class, code             string
	}{
		{"too long", "POST", chatURL, long, nil, 413, "invalid_args", "invalid_args"},
		{"another type", "POST", chatURL, hello, []string{"Content-Type", "text/plain"}, 415, "invalid_args", "invalid_args"},
		{"a form", "POST", chatURL, "a=b", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "invalid_args", "invalid_args"},
		{"packed", "POST", chatURL, hello, []string{"Content-Encoding", "gzip"}, 415, "invalid_args", "invalid_args"},
		{"another method", "GET", chatURL, "", nil, 405, "invalid_args", "invalid_args"},
		{"another method of models", "DELETE", base + "/v1/models/m", "", nil, 405, "invalid_args", "invalid_args"},
		{"no such path", "GET", base + "/v2", "", nil, 404, "not_found", "not_found"},
		{"the root", "GET", base + "/", "", nil, 404, "not_found", "not_found"},
		{"a path below", "POST", chatURL + "/", hello, nil, 404, "not_found", "not_found"},
		{"no such model", "GET", base + "/v1/models/x", "", nil, 404, "not_found", "model_not_found"},
		{"no such model to chat with", "POST", chatURL, `{"model":"x"` + hello[len(`{"model":"m"`):], nil, 404, "not_found", "model_not_found"},
		{"a page of another site", "POST", chatURL, hello, []string{"Origin", "https://evil.example"}, 403, "permission", "permission_denied"},
		{"a name bent to this host", "POST", chatURL, hello, []string{"Host", "evil.example"}, 403, "permission", "permission_denied"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := send(t, tc.method, tc.url, tc.body, tc.header...)
			e := readEnvelope(t, got.body).Error
			if got.status != tc.status || e.Class != tc.class || e.Code != tc.code || e.Context.Outcome != "not_run" {
				t.Errorf("%d %s, want %d, %s, %s", got.status, got.body, tc.status, tc.class, tc.code)
			}
			if tc.status == 405 && got.header.Get("Allow") == "" {
				t.Error("405 without Allow")
			}
		})
	}
	t.Run("a charset beside the type", func(t *testing.T) {
		if got := post(t, base, hello, "Content-Type", "application/json; charset=utf-8"); got.status != 200 {
			t.Errorf("%d %s", got.status, got.body)
		}
	})
}

func TestBodyWithoutALengthIsBoundedToo(t *testing.T) {
	o := chats(echo)
	o.Limit = 1000
	base := start(t, o)
	endless := io.MultiReader(strings.NewReader(`{"model":"`), io.LimitReader(letters{}, 10<<20))
	res, err := http.Post(base+"/v1/chat/completions", "application/json", endless)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var b bytes.Buffer
	_, _ = b.ReadFrom(res.Body)
	if res.StatusCode != 413 || readEnvelope(t, b.String()).Error.Class != "invalid_args" {
		t.Errorf("%d %s, want 413", res.StatusCode, b.String())
	}
}

// letters is an endless text.
type letters struct{}

func (letters) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

func TestFaultsOfTheBridgeAreNotShown(t *testing.T) {
	const secret = "dial tcp 10.0.0.7: with password=hunter2hunter2"
	for name, chat := range map[string]func(context.Context, *openai.Request, *openai.Reply) error{
		"an error": func(context.Context, *openai.Request, *openai.Reply) error { return errors.New(secret) },
		"a panic":  func(context.Context, *openai.Request, *openai.Reply) error { panic(secret) },
		"an extra that is no JSON": func(_ context.Context, _ *openai.Request, reply *openai.Reply) error {
			reply.Extra("bad", func() {})
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			var log lines
			o := chats(chat)
			o.Log = log.logger()
			base := start(t, o)
			for range 2 { // and the process goes on
				got := post(t, base, hello)
				e := readEnvelope(t, got.body).Error
				if got.status != 500 || e.Code != "internal_error" || e.Type != "server_error" || e.Retryable || e.Context.Outcome != "unknown" {
					t.Errorf("%d %s", got.status, got.body)
				}
				if strings.Contains(got.body, "10.0.0.7") || got.header.Get("X-Should-Retry") != "false" {
					t.Errorf("%v %s", got.header, got.body)
				}
			}
			text := log.wait(t, 2)
			if strings.Contains(text, "hunter2") || !strings.Contains(text, `"level":"ERROR"`) {
				t.Errorf("log: %s", text)
			}
			if name != "an extra that is no JSON" && !strings.Contains(text, "10.0.0.7") {
				t.Errorf("the log does not say why: %s", text)
			}
		})
	}
}

func TestRoutesOfOthersAnswerInTheEnvelope(t *testing.T) {
	o := chats(echo)
	o.Keys = []string{"a-key"}
	now := time.Unix(0, 0)
	o.Routes = []openai.Route{
		{Pattern: "GET /v1/tools", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if openai.IdentityOf(r.Context()).Caller == "" {
				t.Error("a route is not told who asks")
			}
			openai.WriteError(w, now, failure(errclass.Timeout, errclass.Call{}))
		})},
		{Pattern: "GET /open/", Open: true, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, r.URL.Path)
		})},
		{Pattern: "GET /panics", Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("here") })},
	}
	base := start(t, o)
	key := []string{"X-API-Key", "a-key"}
	if got := send(t, "GET", base+"/v1/tools", ""); got.status != 401 {
		t.Errorf("without a key: %d", got.status)
	}
	if got := send(t, "GET", base+"/v1/tools", "", key...); got.status != 504 || readEnvelope(t, got.body).Error.Code != "timeout" {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := send(t, "GET", base+"/open/a/b", ""); got.status != 200 || got.body != "/open/a/b" {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := send(t, "GET", base+"/open/", "", key...); got.status != 404 {
		t.Errorf("a prefix without what follows it: %d", got.status)
	}
	if got := send(t, "GET", base+"/panics", "", key...); got.status != 500 || readEnvelope(t, got.body).Error.Code != "internal_error" {
		t.Errorf("%d %s", got.status, got.body)
	}
}
