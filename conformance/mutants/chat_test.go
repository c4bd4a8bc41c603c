package mutants_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/conformance/chat"
	"github.com/peerwright/peerwright/conformance/mutants"
	"github.com/peerwright/peerwright/conformance/peers/chatpeer"
	"github.com/peerwright/peerwright/reporters"
)

func chatSide() side { return side{protocol: conformance.Chat, suite: chat.Suite()} }

// A server that does not say that it keeps the bridge's contract is not held to it, and
// is held to all else.
func TestAPlainModelServerIsNotHeldToTheContract(t *testing.T) {
	uncounted := map[string]reporters.Status{"chat.schema.usage": reporters.NotVerified, "chat.streaming.usage": reporters.NotVerified}
	for name, c := range map[string]struct {
		options chatpeer.Options
		but     map[string]reporters.Status
	}{
		"that counts tokens": {options: chatpeer.Options{Plain: true}},
		"that counts none":   {chatpeer.Options{Plain: true, NoUsage: true}, uncounted},
	} {
		want := map[string]reporters.Status{}
		for _, m := range chat.Suite().Metas() {
			want[m.ID] = reporters.Passed
			if slices.Contains(m.Needs, chat.Contract) {
				want[m.ID] = reporters.NotApplicable
			}
			if but, ok := c.but[m.ID]; ok {
				want[m.ID] = but
			}
		}
		got := map[string]reporters.Status{}
		for _, r := range chatSide().check(t, mutants.Mutant{ID: name, Chat: c.options}) {
			got[r.id] = r.status
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("a server %s (- expected, + got):\n%s", name, d)
		}
	}
}

// What known servers do otherwise than OpenAI, and the reference does not forbid, is
// warned at most. Who does so stands beside each.
func TestKnownLibertiesFailNobody(t *testing.T) {
	refusals := func(status int, body string) func(http.Handler) http.Handler {
		return mutants.Spoilt(mutants.Everything, func(a *httptest.ResponseRecorder) {
			if a.Code >= 400 {
				a.Code = status
				a.Body.Reset()
				a.Body.WriteString(body)
			}
		})
	}
	inAll := func(pairs ...string) func(http.Handler) http.Handler {
		return mutants.Spoilt(mutants.Everything, replaced(pairs...))
	}
	malformed := []string{
		"chat.errors.malformed-json", "chat.errors.message-type", "chat.errors.missing-messages", "chat.errors.not-an-object",
		"chat.errors.stream-refused-early", "chat.errors.wrong-type",
	}
	for name, c := range map[string]struct {
		before func(http.Handler) http.Handler
		warned []string
	}{
		// llama.cpp: what the JSON parser throws is the server's fault.
		"500 for what is malformed": {refusals(500, `{"error":{"code":500,"message":"parse error","type":"server_error"}}`), append([]string{"chat.errors.unknown-model", "chat.errors.unknown-route"}, malformed...)},
		// llama.cpp, vLLM: the code is the status.
		"codes that are numbers": {refusals(400, `{"error":{"code":400,"message":"no","type":"invalid_request_error","param":null}}`), []string{"chat.errors.members"}},
		// vLLM once: the error is the document.
		"errors that are no member": {refusals(400, `{"object":"error","message":"no","type":"BadRequestError","param":null,"code":400}`), []string{"chat.errors.shape"}},
		// FastAPI, and all that stands on it, where it refuses by itself.
		"details in the place of errors": {refusals(422, `{"detail":[{"loc":["body","messages"],"msg":"field required"}]}`), []string{"chat.errors.shape"}},
		// LM Studio: what is not served is 200 with an error.
		"200 for what is not served": {
			mutants.Spoilt(func(r *http.Request, _ string) bool { return strings.Contains(r.URL.Path, "no-such") }, func(a *httptest.ResponseRecorder) { a.Code = 200 }),
			[]string{"chat.errors.unknown-model", "chat.errors.unknown-route"},
		},
		// vLLM at an abort, DeepSeek when it is short of machines.
		"reasons of its own": {inAll(`"finish_reason":"stop"`, `"finish_reason":"abort"`), []string{"chat.schema.finish-words", "chat.streaming.one-finish"}},
		// Ollama and SGLang once: no reason yet is an empty text.
		"reasons that are empty": {inAll(`"finish_reason":null`, `"finish_reason":""`), nil},
		// LiteLLM: the usage comes beside a choice that says nothing.
		"usage beside a choice": {inAll(`"choices":[]`, `"choices":[{"index":0,"delta":{},"finish_reason":null}]`), []string{"chat.streaming.usage"}},
		// text-generation-inference: the id is an empty text.
		"ids that are empty": {inAll(`"id":"chatcmpl-`, `"id":"","x_id":"`), nil},
		// OpenAI itself: more members, and padding against measuring.
		"obfuscation": {inAll(`"object":"chat.completion.chunk"`, `"object":"chat.completion.chunk","obfuscation":"Xy","service_tier":"default","system_fingerprint":null`), nil},
		// vLLM and others: thoughts beside an empty content.
		"thoughts": {inAll(`"content":"You said`, `"content":null,"reasoning_content":"You said`), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := chatSide().check(t, mutants.Mutant{ID: name, Chat: chatpeer.Options{Plain: true}, Wrap: c.before})
			warned, details := broken(all)
			slices.Sort(c.warned)
			if d := cmp.Diff(c.warned, warned); d != "" {
				t.Errorf("warned (- expected, + got):\n%s\n%s", d, details)
			}
			for _, r := range all {
				if r.status == reporters.Failed || r.status == reporters.Errored {
					t.Errorf("%s is %s: %s %s", r.id, r.status, r.Actual, r.Broken)
				}
			}
		})
	}
}

// An answer that ends in an error is no broken stream: its rules wait for one that does not.
func TestAStreamThatFailsIsNotJudged(t *testing.T) {
	failing := mutants.InStreams(func(e []string) []string {
		return append(e[:1:1], `data: {"error":{"message":"the model is overloaded","type":"server_error","param":null,"code":null}}`+"\n\n")
	})
	for _, r := range chatSide().check(t, mutants.Mutant{ID: "fails", Chat: chatpeer.Options{Plain: true}, Wrap: failing}) {
		judged := strings.HasPrefix(r.id, "chat.streaming.") && r.status != reporters.NotApplicable
		if judged && (r.status != reporters.NotVerified || !strings.Contains(r.Unverified, "overloaded")) {
			t.Errorf("%s is %s: %s %s", r.id, r.status, r.Unverified, r.Actual)
		}
	}
}
