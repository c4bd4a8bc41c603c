package mutants

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/peerwright/peerwright/conformance/peers/chatpeer"
)

// chatRefusals are endpoints that refuse wrongly, or list their models wrongly.
func chatRefusals() []Mutant {
	served := func(id, kill, body string) Mutant {
		return Mutant{
			ID: id, Doc: "a bad request is answered with 200: " + body, Kills: []string{kill}, Chat: chatpeer.Options{Plain: true},
			Wrap: spoilt(func(_ *http.Request, said string) bool { return said == body }, become(http.StatusOK, "{}")),
		}
	}
	get := func(id, doc, kill, path, from, to string) Mutant {
		return Mutant{ID: id, Doc: doc, Kills: []string{kill}, Wrap: spoilt(chatAt(path), swapText(from, to))}
	}
	return []Mutant{
		served("half-a-body-served", "chat.errors.malformed-json", `{"model":"m","messages":[`),
		served("list-served", "chat.errors.not-an-object", `["not","a","request"]`),
		served("no-messages-served", "chat.errors.missing-messages", `{"model":"m"}`),
		served("number-served", "chat.errors.wrong-type", `{"model":"m","messages":7}`),
		served("number-as-message-served", "chat.errors.message-type", `{"model":"m","messages":[7]}`),
		served("stream-refused-late", "chat.errors.stream-refused-early", `{"model":"m","stream":true,"messages":7}`),
		{ID: "page-for-browsers", Doc: "every unknown path is a page with 200", Kills: []string{"chat.errors.unknown-route"}, Wrap: spoilt(chatAt("/v1/peerwright-no-such-route"), become(http.StatusOK, "<html>"))},
		{ID: "any-model-is-there", Doc: "any model can be asked for by its id", Kills: []string{"chat.errors.unknown-model"}, Wrap: spoilt(chatAt("/v1/models/peerwright-no-such-model"), become(http.StatusOK, `{"id":"peerwright-no-such-model"}`))},
		{ID: "405-without-allow", Doc: "405 does not say which methods are allowed", Kills: []string{"chat.errors.allow"}, Wrap: spoilt(everything, func(a *httptest.ResponseRecorder) { a.Header().Del("Allow") })},
		{ID: "error-is-text", Doc: "error is text, not an object", Kills: []string{"chat.errors.shape"}, Chat: chatpeer.Options{Plain: true}, Wrap: spoilt(everything, func(a *httptest.ResponseRecorder) {
			if a.Code >= 400 {
				become(a.Code, `{"error":"no"}`)(a)
			}
		})},
		{ID: "error-without-param", Doc: "errors have no param", Kills: []string{"chat.errors.members"}, Chat: chatpeer.Options{Plain: true}, Wrap: inErrors(func(e map[string]any) { delete(e, "param") })},
		get("models-without-object", "the model list is no list", "chat.discovery.models", "/v1/models", `"object":"list"`, `"object":"models"`),
		get("models-made-today", "created of a model is text", "chat.discovery.model-members", "/v1/models", "1700000000", `"today"`),
		get("model-is-another", "a model asked for by its id is another", "chat.discovery.model", "/v1/models/library", "library", "other"),
	}
}

// chatDocuments are endpoints that write a completion wrongly.
func chatDocuments() []Mutant {
	document := func(id, doc, kill, from, to string) Mutant {
		return Mutant{ID: id, Doc: doc, Kills: []string{kill}, Chat: chatpeer.Options{Plain: true}, Wrap: inDocuments(from, to)}
	}
	return []Mutant{
		{ID: "document-is-text", Doc: "a completion is text/plain", Kills: []string{"chat.schema.media-type"}, Wrap: spoilt(everything, func(a *httptest.ResponseRecorder) {
			if a.Header().Get("Content-Type") == "application/json" {
				a.Header().Set("Content-Type", "text/plain")
			}
		})},
		document("created-is-text", "created of a completion is text", "chat.schema.completion", "1700000000", `"today"`),
		document("speaks-as-a-bot", "the message has role bot", "chat.schema.message", `"role":"assistant"`, `"role":"bot"`),
		document("ends-for-no-reason", "finish_reason is null", "chat.schema.finish-reason", `"finish_reason":"stop"`, `"finish_reason":null`),
		document("ends-in-own-words", "finish_reason is a word of its own", "chat.schema.finish-words", `"finish_reason":"stop"`, `"finish_reason":"end_turn"`),
		document("usage-miscounted", "the total is not the sum", "chat.schema.usage", `"total_tokens":7`, `"total_tokens":8`),
	}
}

// chatStreams are endpoints that stream wrongly.
func chatStreams() []Mutant {
	stream := func(id, doc, kill string, edit func(e []string) []string) Mutant {
		return Mutant{ID: id, Doc: doc, Kills: []string{kill}, Chat: chatpeer.Options{Plain: true}, Wrap: inStreams(edit)}
	}
	swap := func(n int, from, to string) func([]string) []string {
		return func(e []string) []string {
			e[n] = strings.ReplaceAll(e[n], from, to)
			return e
		}
	}
	bridge := stream("model-changes", "the second chunk names another model", "chat.streaming.same-model", swap(1, `"model":"library"`, `"model":"other"`))
	result := stream("stream-loses-a-letter", "the result in a stream lacks a letter", "chat.streaming.same-result", swap(1, "shelf of", "shelf o"))
	ended := stream("no-end-of-a-bridge", "a bridge's stream has no finish_reason", "", swap(2, `"finish_reason":"tool_calls"`, `"finish_reason":null`))
	ended.Kills = []string{"chat.streaming.one-finish", "chat.streaming.whole"}
	bridge.Chat, result.Chat, ended.Chat = chatpeer.Options{}, chatpeer.Options{}, chatpeer.Options{}
	return []Mutant{
		{ID: "stream-is-json", Doc: "a stream is said to be JSON", Kills: []string{"chat.streaming.media-type"}, Chat: chatpeer.Options{Plain: true}, Wrap: spoilt(everything, func(a *httptest.ResponseRecorder) {
			if a.Header().Get("Content-Type") == "text/event-stream" {
				a.Header().Set("Content-Type", "application/json")
			}
		})},
		stream("chunk-is-a-completion", "a chunk says that it is a completion", "chat.streaming.chunks", swap(1, "chat.completion.chunk", "chat.completion")),
		stream("id-for-each-chunk", "the second chunk has another id", "chat.streaming.same-id", swap(1, `"id":"chatcmpl-`, `"id":"chatcmpl-x`)),
		stream("role-missing", "no delta says who speaks", "chat.streaming.role-first", swap(0, `"role":"assistant"`, "")),
		stream("finished-twice", "the last choice comes twice", "chat.streaming.one-finish", func(e []string) []string { return append(e[:3:3], e[2:]...) }),
		ended, stream("stream-without-done", "a stream ends without [DONE]", "chat.streaming.done", func(e []string) []string { return e[:len(e)-1] }),
		stream("usage-with-a-choice", "the usage comes in a chunk with a choice", "chat.streaming.usage", swap(3, `"choices":[]`, `"choices":[{"index":0,"delta":{},"finish_reason":null}]`)),
		bridge, result,
	}
}

// chatBridges are bridges that say something wrong of themselves or of a failure.
func chatBridges() []Mutant {
	get := func(id, doc, kill, path, from, to string) Mutant {
		return Mutant{ID: id, Doc: doc, Kills: []string{kill}, Wrap: spoilt(chatAt(path), swapText(from, to))}
	}
	return []Mutant{
		{ID: "half-a-body-422", Doc: "a body that ends in the middle is 422", Kills: []string{"chat.errors.malformed"}, Wrap: spoilt(func(_ *http.Request, body string) bool { return body == `{"model":"m","messages":[` }, func(a *httptest.ResponseRecorder) { a.Code = http.StatusUnprocessableEntity })},
		get("readiness-forgets-a-peer", "a peer is missing in what is ready", "chat.discovery.ready", "/readyz", `"library":"ready"`, ""),
		get("streams-unsaid", "the bridge streams, and says that it does not", "chat.discovery.streaming", "/capabilities", `"streaming":true`, `"streaming":false`),
		{ID: "open-to-pages", Doc: "pages of other sites are served", Kills: []string{"chat.security.origin"}, Wrap: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				r.Header.Del("Origin")
				next.ServeHTTP(w, r)
			})
		}},
		get("health-is-a-word", "health is no status", "chat.discovery.health", "/healthz", "status", "health"),
		get("tool-with-a-dot", "a function has a name that OpenAI refuses", "chat.discovery.tools", "/v1/tools", `"name":"lend_book"`, `"name":"lend.book"`),
		get("auth-unsaid", "the capabilities do not say who is let in", "chat.discovery.capabilities", "/capabilities", `"auth"`, `"guards"`),
		{ID: "upstream-unsaid", Doc: "an upstream has another id in the capabilities", Kills: []string{"chat.discovery.capabilities", "chat.discovery.ready"}, Wrap: spoilt(chatAt("/capabilities"), swapText(`"id":"library"`, `"id":"archive"`))},
		{ID: "action-of-another-class", Doc: "the action does not go with the class", Kills: []string{"chat.errors.envelope"}, Wrap: inErrors(func(e map[string]any) { e["action"] = "retry" })},
		{ID: "always-400", Doc: "every refusal is 400", Kills: []string{"chat.errors.status"}, Wrap: spoilt(saying("peerwright_no_such_tool"), func(a *httptest.ResponseRecorder) {
			if a.Code == http.StatusNotFound {
				a.Code = http.StatusBadRequest
			}
		})},
		{ID: "retries-unsaid", Doc: "x-should-retry is missing", Kills: []string{"chat.errors.should-retry"}, Wrap: spoilt(everything, func(a *httptest.ResponseRecorder) { a.Header().Del("X-Should-Retry") })},
	}
}

// chatAgents are bridges that are wrong about their agents.
func chatAgents() []Mutant {
	agent := func(id, doc, kill string, wrap func(http.Handler) http.Handler) Mutant {
		return Mutant{ID: id, Doc: doc, Kills: []string{kill}, Chat: chatpeer.Options{Agent: true}, Wrap: wrap}
	}
	return []Mutant{
		{ID: "agent-is-no-model", Doc: "an agent of the capabilities is missing in the models", Kills: []string{"chat.discovery.capabilities", "chat.discovery.ready"}, Chat: chatpeer.Options{Agent: true}, Wrap: spoilt(chatAt("/capabilities"), swapText(`"id":"library"`, `"id":"archive"`))},
		agent("no-such-model-without-code", "a model that is not there has another code", "chat.errors.no-such-model", spoilt(saying("peerwright-no-such-model"), swapText("model_not_found", "not_found"))),
		agent("conversation-forgotten", "each turn is a conversation of its own", "chat.lifecycle.conversation", spoilt(saying(`"stream":true`), func(a *httptest.ResponseRecorder) {
			if a.Code == http.StatusOK {
				a.Header().Set("X-Conversation-Id", "another")
			}
		})),
	}
}

// chatTools are bridges that execute calls wrongly.
func chatTools() []Mutant {
	ran := become(http.StatusOK, `{"choices":[]}`)
	result := func(id, doc, kill, from, to string) Mutant {
		return Mutant{ID: id, Doc: doc, Kills: []string{kill}, Wrap: inDocuments(from, to)}
	}
	runs := func(id, doc, kill, text string) Mutant {
		return Mutant{ID: id, Doc: doc, Kills: []string{kill}, Wrap: spoilt(saying(text), func(a *httptest.ResponseRecorder) {
			if a.Code >= 400 {
				ran(a)
			}
		})}
	}
	head := func(id, doc, kill string, edit func(r *http.Request)) Mutant {
		return Mutant{ID: id, Doc: doc, Kills: []string{kill}, Wrap: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				edit(r)
				next.ServeHTTP(w, r)
			})
		}}
	}
	forgets := head("keys-forgotten", "keys are not heeded", "chat.idempotency.same-answer", func(r *http.Request) { r.Header.Del("X-Idempotency-Key") })
	forgets.Kills = []string{"chat.idempotency.concurrent", "chat.idempotency.conflict", "chat.idempotency.failure-kept", "chat.idempotency.replay-marked", "chat.idempotency.same-answer"}
	return []Mutant{
		result("ends-with-stop", "tool results end with stop", "chat.tools.result", `"finish_reason":"tool_calls"`, `"finish_reason":"stop"`),
		result("messages-of-a-user", "tool messages have role user", "chat.tools.messages", `"role":"tool"`, `"role":"user"`),
		{ID: "one-fails-all", Doc: "one call that fails takes the others with it", Kills: []string{"chat.tools.own-outcome"}, Wrap: spoilt(saying("good_2"), become(http.StatusOK, `{"choices":[]}`))},
		runs("unknown-tool-runs", "an unknown tool gives an empty answer", "chat.errors.unknown-tool", "peerwright_no_such_tool"),
		runs("cut-arguments-run", "arguments that are cut are run", "chat.errors.arguments-json", `{\"cut\":`),
		runs("schema-unheeded", "arguments are not validated", "chat.errors.arguments-schema", `{\"author\":{`),
		runs("words-answered", "a request without calls is answered", "chat.errors.no-call", `"content":"hello"`),
		runs("forged-cursor-runs", "a cursor that was made up is taken", "chat.pagination.made-up", "bm90LW91cnM"),
		{ID: "altered-cursor-runs", Doc: "a cursor that was changed is taken", Kills: []string{"chat.pagination.altered"}, Wrap: spoilt(func(_ *http.Request, b string) bool {
			return strings.Contains(b, "pwc1.") && !strings.Contains(b, "bm90LW91cnM") && !strings.Contains(b, "author") && strings.Contains(b, "list_books")
		}, func(a *httptest.ResponseRecorder) {
			if a.Code >= 400 {
				ran(a)
			}
		})},
		runs("cursor-of-another-tool-runs", "a cursor of another tool is taken", "chat.pagination.other-tool", `"name":"list_members"`),
		runs("cursor-with-other-arguments-runs", "a cursor with other arguments is taken", "chat.pagination.other-arguments", `{\"author\":\"another\",\"cursor\"`),
		{ID: "keys-claimed-late", Doc: "calls under one key at once are all made", Kills: []string{"chat.idempotency.concurrent"}, Wrap: claimedLate},
		result("more-unsaid", "the last page says that there is more", "chat.pagination.shape", `\"has_more\":true`, `\"has_more\":false`),
		{ID: "first-page-again", Doc: "the cursor is not heeded", Kills: []string{"chat.pagination.walk"}, Wrap: spoilt(saying("pwc1."), firstPage)},
		forgets,
		{ID: "replay-unmarked", Doc: "a stored answer does not say that it is one", Kills: []string{"chat.idempotency.failure-kept", "chat.idempotency.replay-marked"}, Wrap: spoilt(everything, func(a *httptest.ResponseRecorder) { a.Header().Del("X-Idempotency-Replayed") })},
		{ID: "failure-unmarked", Doc: "a stored failure does not say that it is one", Kills: []string{"chat.idempotency.failure-kept"}, Wrap: spoilt(everything, func(a *httptest.ResponseRecorder) {
			if a.Code >= 400 {
				a.Header().Del("X-Idempotency-Replayed")
			}
		})},
		result("replay-untold", "the calls do not say that they were replayed", "chat.idempotency.member", `"replayed":true`, `"replayed":false`),
		{ID: "conflict-without-code", Doc: "a conflict has another code", Kills: []string{"chat.idempotency.conflict"}, Wrap: inErrors(func(e map[string]any) {
			if e["code"] == "idempotency_conflict" {
				e["code"] = "conflict"
			}
		})},
	}
}

// firstPage makes the second page of the built-in list its first.
func firstPage(a *httptest.ResponseRecorder) {
	again := strings.NewReplacer("book 4", "book 0", "book 5", "book 1", "book 6", "book 2", "book 7", "book 3")
	a.Body = bytes.NewBufferString(again.Replace(a.Body.String()))
}
