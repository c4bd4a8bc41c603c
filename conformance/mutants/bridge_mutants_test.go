package mutants_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peerwright/peerwright/bridge"
	"github.com/peerwright/peerwright/bridge/a2achat"
	"github.com/peerwright/peerwright/conformance/chat"
	"github.com/peerwright/peerwright/conformance/mutants"
)

// bridgeMutant is the bridge itself with one thing wrong, by an option or by what stands
// before it.
type bridgeMutant struct {
	id, doc string
	kills   []string
	agent   bool // an agent is behind it, and no tools
	option  func(*bridge.Config)
	before  func(http.Handler) http.Handler
	twice   bool // two bridges that share nothing answer in turns
}

func bridgeMutants() []bridgeMutant {
	return slices.Concat(bridgeErrors(), bridgeCursors(), bridgeKeys(), bridgeStreams(), bridgeSurroundings())
}

const (
	completions = "/v1/chat/completions"
	keyHeader   = "X-Idempotency-Key"
	replayed    = "X-Idempotency-Replayed"
)

// bridgeErrors tell failures wrongly.
func bridgeErrors() []bridgeMutant {
	return []bridgeMutant{
		{id: "not-found-is-400", doc: "what is not found is answered with 400", kills: []string{"chat.errors.status"}, before: mutants.Spoilt(mutants.Everything, func(a *httptest.ResponseRecorder) {
			if a.Code == http.StatusNotFound {
				a.Code = http.StatusBadRequest
			}
		})},
		{id: "malformed-is-422", doc: "a malformed request is answered with 422", kills: []string{"chat.errors.malformed"}, before: mutants.Spoilt(mutants.Everything, func(a *httptest.ResponseRecorder) {
			if a.Code == http.StatusBadRequest {
				a.Code = http.StatusUnprocessableEntity
			}
		})},
		{id: "retry-header-lost", doc: "x-should-retry does not reach the client", kills: []string{"chat.errors.should-retry"}, before: without("X-Should-Retry")},
		{id: "outcome-unsaid", doc: "errors do not say what became of the call", kills: []string{
			"chat.errors.arguments-json", "chat.errors.arguments-schema", "chat.errors.envelope", "chat.errors.malformed", "chat.errors.no-call", "chat.errors.unknown-tool",
			"chat.pagination.altered", "chat.pagination.made-up", "chat.pagination.other-arguments", "chat.pagination.other-tool",
		}, before: mutants.InErrors(func(e map[string]any) { delete(e, "context") })},
		{id: "class-renamed", doc: "invalid_args has another name", kills: []string{
			"chat.errors.arguments-json", "chat.errors.arguments-schema", "chat.errors.envelope", "chat.errors.malformed", "chat.errors.no-call", "chat.errors.status",
			"chat.pagination.altered", "chat.pagination.made-up", "chat.pagination.other-arguments", "chat.pagination.other-tool",
		}, before: mutants.InErrors(func(e map[string]any) {
			if e["class"] == "invalid_args" {
				e["class"] = "bad_request"
			}
		})},
		{id: "refusals-ran", doc: "what was refused is said to have failed", kills: []string{
			"chat.errors.arguments-json", "chat.errors.arguments-schema", "chat.errors.malformed", "chat.errors.no-call", "chat.errors.unknown-tool",
			"chat.pagination.altered", "chat.pagination.made-up", "chat.pagination.other-arguments", "chat.pagination.other-tool",
		}, before: mutants.InErrors(func(e map[string]any) {
			if context, ok := e["context"].(map[string]any); ok && context["outcome"] == "not_run" {
				context["outcome"] = "unknown"
			}
		})},
		{id: "code-of-a-model-lost", agent: true, doc: "a model that is not there has no code of its own", kills: []string{"chat.errors.no-such-model"}, before: mutants.InErrors(func(e map[string]any) {
			if e["code"] == "model_not_found" {
				e["code"] = "not_found"
			}
		})},
	}
}

// bridgeCursors lead through pages wrongly.
func bridgeCursors() []bridgeMutant {
	return []bridgeMutant{
		{id: "any-cursor-will-do", doc: "a cursor that is not known is taken for the last one", kills: []string{"chat.pagination.altered", "chat.pagination.made-up"}, before: anyCursor},
		{id: "cursor-dropped", doc: "the cursor does not reach the tool", kills: []string{
			"chat.pagination.altered", "chat.pagination.made-up", "chat.pagination.other-arguments", "chat.pagination.other-tool", "chat.pagination.walk",
		}, before: func(next http.Handler) http.Handler {
			argument := regexp.MustCompile(`,?\\"cursor\\":\\"pwc1\.[\w-]+\\"`)
			return rewritten(next, func(body string) string { return argument.ReplaceAllString(body, "") })
		}},
		{id: "last-page-is-no-list", doc: "the last page is a plain result", kills: []string{"chat.pagination.walk"}, before: mutants.Spoilt(mutants.Saying("pwc1."), replaced(
			`\"pagination\":{\"has_more\":false,\"cursor\":null}`, `\"books\":[]`, `{\"data\":[`, `{\"result\":[`))},
		{id: "more-without-a-cursor", doc: "the first page says that there is no more", kills: []string{"chat.pagination.shape"}, before: mutants.Spoilt(mutants.Everything, replaced(`\"has_more\":true`, `\"has_more\":false`))},
	}
}

// anyCursor puts the last cursor that was given in the place of one that never was.
func anyCursor(next http.Handler) http.Handler {
	ours := regexp.MustCompile(`pwc1\.[\w-]+`)
	var mu sync.Mutex
	var given []string
	seen := mutants.Spoilt(mutants.Everything, func(a *httptest.ResponseRecorder) {
		mu.Lock()
		defer mu.Unlock()
		given = append(given, ours.FindAllString(a.Body.String(), -1)...)
	})
	return rewritten(seen(next), func(body string) string {
		mu.Lock()
		defer mu.Unlock()
		return ours.ReplaceAllStringFunc(body, func(cursor string) string {
			if slices.Contains(given, cursor) || len(given) == 0 {
				return cursor
			}
			return given[len(given)-1]
		})
	})
}

// bridgeKeys repeat calls.
func bridgeKeys() []bridgeMutant {
	unkept := []string{
		"chat.idempotency.concurrent", "chat.idempotency.conflict", "chat.idempotency.failure-kept", "chat.idempotency.replay-marked", "chat.idempotency.same-answer",
	}
	return []bridgeMutant{
		{id: "key-header-lost", doc: "the header with the key does not reach the bridge", kills: unkept, before: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				r.Header.Del(keyHeader)
				next.ServeHTTP(w, r)
			})
		}},
		{id: "keys-forgotten-at-once", doc: "results are kept for a nanosecond", kills: append([]string{"chat.idempotency.member"}, unkept...), option: func(c *bridge.Config) { c.KeyTTL = time.Nanosecond }},
		{id: "two-bridges-two-stores", doc: "two bridges that share no store answer in turns", twice: true, kills: append([]string{"chat.idempotency.member", "chat.pagination.walk"}, unkept...)},
		{id: "replay-header-lost", doc: "the header of a replay does not reach the client", kills: []string{"chat.idempotency.failure-kept", "chat.idempotency.replay-marked"}, before: without(replayed)},
		{id: "conflict-is-an-answer", doc: "one key for other arguments gets the stored answer", kills: []string{"chat.idempotency.conflict"}, before: mutants.Spoilt(mutants.Everything, func(a *httptest.ResponseRecorder) {
			if a.Code == http.StatusConflict {
				a.Code = http.StatusOK
			}
		})},
	}
}

// bridgeStreams cut streams, or send none.
func bridgeStreams() []bridgeMutant {
	typed := func(a *httptest.ResponseRecorder) {
		if strings.HasPrefix(a.Header().Get("Content-Type"), "text/event-stream") {
			a.Header().Set("Content-Type", "text/plain")
		}
	}
	return []bridgeMutant{
		{id: "done-lost", doc: "the end of a stream does not reach the client", kills: []string{"chat.streaming.done", "chat.streaming.whole"}, before: mutants.InStreams(func(e []string) []string { return e[:len(e)-1] })},
		{id: "done-lost-of-an-agent", agent: true, doc: "the end of an agent's stream does not reach the client", kills: []string{"chat.streaming.done", "chat.streaming.whole"}, before: mutants.InStreams(func(e []string) []string { return e[:len(e)-1] })},
		{id: "usage-lost", doc: "the usage that was asked for does not reach the client", kills: []string{"chat.streaming.whole"}, before: mutants.InStreams(func(e []string) []string { return append(e[:len(e)-2:len(e)-2], e[len(e)-1]) })},
		{id: "end-comes-twice", agent: true, doc: "the chunk with finish_reason comes twice", kills: []string{"chat.streaming.one-finish", "chat.streaming.whole"}, before: mutants.InStreams(func(e []string) []string { return slices.Insert(e, len(e)-2, e[len(e)-3]) })},
		{id: "stream-is-text", doc: "a stream is said to be plain text", kills: []string{"chat.discovery.streaming", "chat.streaming.media-type", "chat.streaming.same-result"}, before: mutants.Spoilt(mutants.Everything, typed)},
		{id: "no-streams", doc: "every answer is one document", kills: []string{"chat.discovery.streaming", "chat.streaming.media-type", "chat.streaming.same-result"}, before: func(next http.Handler) http.Handler {
			return rewritten(next, func(body string) string { return strings.ReplaceAll(body, `"stream":true`, `"stream":false`) })
		}},
		{id: "piece-lost", doc: "a piece of a result is lost in a stream", kills: []string{"chat.streaming.same-result"}, before: mutants.InStreams(func(e []string) []string {
			for i := range e {
				e[i] = strings.ReplaceAll(e[i], "📚", "")
			}
			return e
		})},
	}
}

// bridgeSurroundings are wrong about who is there.
func bridgeSurroundings() []bridgeMutant {
	return []bridgeMutant{
		{id: "open-to-all-pages", doc: "it is configured to serve the pages of every site", kills: []string{"chat.security.origin"}, option: func(c *bridge.Config) { c.AllowOrigins = []string{"*"} }},
		{id: "conversation-lost", agent: true, doc: "the id of the conversation does not reach the client", kills: []string{"chat.lifecycle.conversation"}, before: without("X-Conversation-Id")},
		{id: "conversation-not-heard", agent: true, doc: "the id of the conversation does not reach the bridge", kills: []string{"chat.lifecycle.conversation"}, before: func(next http.Handler) http.Handler {
			return rewritten(next, func(body string) string { return strings.Replace(body, `"conversation_id"`, `"conversation"`, 1) })
		}},
	}
}

// without takes a header out of every answer.
func without(name string) func(http.Handler) http.Handler {
	return mutants.Spoilt(mutants.Everything, func(a *httptest.ResponseRecorder) { a.Header().Del(name) })
}

// replaced replaces text in an answer, if the first of it is there.
func replaced(pairs ...string) func(*httptest.ResponseRecorder) {
	return func(a *httptest.ResponseRecorder) {
		if body := a.Body.String(); strings.Contains(body, pairs[0]) {
			a.Body = bytes.NewBufferString(strings.NewReplacer(pairs...).Replace(body))
		}
	}
}

// rewritten changes the bodies of completion requests.
func rewritten(next http.Handler, edit func(body string) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == completions && r.Body != nil {
			raw, err := io.ReadAll(r.Body)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			body := edit(string(raw))
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		}
		next.ServeHTTP(w, r)
	})
}

// start runs the mutant and returns its address.
func (m bridgeMutant) start(t *testing.T) string {
	t.Helper()
	c := bridge.Config{Upstreams: []bridge.UpstreamConfig{shelf(t)}}
	if m.agent {
		c = bridge.Config{Agents: []a2achat.AgentConfig{agent(t)}}
	}
	if m.option != nil {
		m.option(&c)
	}
	h := inFrontOf(t, startBridge(t, c))
	if m.twice {
		both := []http.Handler{h, inFrontOf(t, startBridge(t, c))}
		var turn atomic.Int64
		h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { both[turn.Add(1)%2].ServeHTTP(w, r) })
	}
	if m.before != nil {
		h = m.before(h)
	}
	return listening(t, h)
}

// What stands before the bridge in these tests spoils nothing by itself.
func TestTheBridgeBehindAProxy(t *testing.T) {
	for _, m := range []bridgeMutant{{before: mutants.Spoilt(mutants.Everything, func(*httptest.ResponseRecorder) {})}, {agent: true}} {
		all := putThrough(t, chat.Suite(), chat.NewTarget(chat.Config{URL: m.start(t), AllowTools: allowed(), Now: time.Now}))
		if ids, details := broken(all); len(ids) > 0 {
			t.Errorf("with an agent %v: %q are broken:\n%s", m.agent, ids, details)
		}
	}
}

func TestEveryMutantOfTheBridgeIsFound(t *testing.T) {
	for _, m := range bridgeMutants() {
		t.Run(m.id, func(t *testing.T) {
			t.Parallel()
			ids, details := broken(putThrough(t, chat.Suite(), chat.NewTarget(chat.Config{URL: m.start(t), AllowTools: allowed(), Now: time.Now})))
			if d := cmp.Diff(slices.Sorted(slices.Values(m.kills)), ids); d != "" {
				t.Errorf("%s: found by other cases than declared (- declared, + found):\n%s\n%s", m.doc, d, details)
			}
		})
	}
}
