package a2achat_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/bridge/a2achat"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/store"
)

// The behaviours that a2a-bridge documents and tests, over real sockets.

func TestNewestTurnOnly(t *testing.T) {
	s := newScript(t, echo)
	b := bridgeTo(t, s)
	body := object{"messages": []object{
		{"role": "user", "content": "first"},
		{"role": "assistant", "content": "answer"},
		{"role": "user", "content": "second"},
	}}
	if a := b.ask(t, body); a.content != "echo: second" || a.status != 200 {
		t.Errorf("got %d %q", a.status, a.content)
	}
	if c := s.got()[0]; len(c.Message.Parts) != 1 || c.Message.Parts[0].Text != "second" {
		t.Errorf("the agent got %s", c.Params)
	}
}

func TestTextPartsAreJoinedWithNothing(t *testing.T) {
	s := newScript(t, echo)
	content := []object{{"type": "text", "text": "one "}, {"type": "text", "text": ""}, {"type": "text", "text": "two"}}
	a := bridgeTo(t, s).ask(t, object{"messages": []object{{"role": "user", "content": content}}})
	if a.content != "echo: one two" || len(s.got()[0].Message.Parts) != 1 {
		t.Errorf("got %q", a.content)
	}
}

func TestNoUserTextIsAnError(t *testing.T) {
	s := newScript(t, echo)
	b := bridgeTo(t, s)
	for name, messages := range map[string][]object{
		"no user":      {{"role": "assistant", "content": "hello"}},
		"empty":        {{"role": "user", "content": ""}},
		"empty list":   {{"role": "user", "content": []object{}}},
		"only nothing": {{"role": "user", "content": []object{{"type": "text", "text": ""}}}},
	} {
		a := b.ask(t, object{"messages": messages})
		if a.status != 400 || a.failure.Class != "invalid_args" || a.failure.Context.Outcome != "not_run" {
			t.Errorf("%s: %d %s", name, a.status, a.raw)
		}
	}
	if n := len(s.got()); n != 0 {
		t.Errorf("%d messages reached the agent", n)
	}
}

func TestContextIsOmittedThenEchoed(t *testing.T) {
	s := newScript(t, echo)
	b := bridgeTo(t, s)
	for range 3 {
		b.ask(t, user("hello"), "X-Conversation-Id", "c1")
	}
	calls := s.got()
	if strings.Contains(string(calls[0].Params), "contextId") {
		t.Errorf("the first message has a context: %s", calls[0].Params)
	}
	minted := "ctx-" + calls[0].Message.MessageID
	if calls[1].Message.ContextID != minted || calls[2].Message.ContextID != minted {
		t.Errorf("contexts %q, %q, want %q", calls[1].Message.ContextID, calls[2].Message.ContextID, minted)
	}
}

func TestMessageIDsAreUnique(t *testing.T) {
	s := newScript(t, echo)
	b := bridgeTo(t, s)
	for range 20 {
		b.ask(t, user("hello"))
	}
	seen := map[string]bool{}
	for _, c := range s.got() {
		if seen[c.Message.MessageID] || c.Message.MessageID == "" {
			t.Errorf("message id %q again", c.Message.MessageID)
		}
		seen[c.Message.MessageID] = true
	}
}

func TestSeparateConversationsHaveSeparateContexts(t *testing.T) {
	s := newScript(t, echo)
	b := bridgeTo(t, s)
	for _, id := range []string{"c1", "c2", "c1", "c2"} {
		b.ask(t, user("hello"), "X-Conversation-Id", id)
	}
	c := s.got()
	if c[2].Message.ContextID == c[3].Message.ContextID || c[2].Message.ContextID == "" {
		t.Errorf("contexts %q and %q", c[2].Message.ContextID, c[3].Message.ContextID)
	}
}

// both asks twice, without a stream and with one.
func both(t *testing.T, b *bridge, ask func() object) []answer {
	t.Helper()
	return []answer{b.ask(t, ask()), b.ask(t, streamed(ask()))}
}

func TestArtifactsAreSeparatedAndPartsAreNot(t *testing.T) {
	first := artifact("one", parts("[", "THE X]\n\nAn", " need", ""))
	second := artifact("two", parts("Second"))
	s := newScript(t, func(w http.ResponseWriter, c call) {
		c.say(w, task("ctx", "completed", first, artifact("none", parts("")), second),
			artifactEvent("ctx", first), artifactEvent("ctx", artifact("none", parts(""))), artifactEvent("ctx", second), completed("ctx"))
	})
	for join, want := range map[string]string{
		"\n\n": "[THE X]\n\nAn need\n\nSecond",
		"<hr>": "[THE X]\n\nAn need<hr>Second",
		"":     "[THE X]\n\nAn needSecond",
	} {
		for _, mode := range []a2achat.StreamMode{a2achat.Auto, a2achat.Blocking} {
			b := bridgeTo(t, s, func(c *a2achat.AgentConfig) { c.ArtifactJoin, c.StreamMode = &join, mode })
			for _, a := range both(t, b, func() object { return user("hi") }) {
				if a.content != want {
					t.Errorf("join %q, %s: %q, want %q", join, mode, a.content, want)
				}
			}
		}
	}
}

func TestTextVerbatimAndGateIsCompleted(t *testing.T) {
	gate := "[AGENT NAME]\n\nThis needs a *subscription*.  \n<a href=\"x\">Go</a> & \u2028 \\ \" \x7f\t"
	s := newScript(t, func(w http.ResponseWriter, c call) {
		a := artifact("a", parts(gate))
		c.say(w, task("ctx", "completed", a), artifactEvent("ctx", a), completed("ctx"))
	})
	for _, a := range both(t, bridgeTo(t, s), func() object { return user("hi") }) {
		if a.content != gate || a.finish != "stop" {
			t.Errorf("got %q", a.content)
		}
	}
}

func TestInputRequiredRenders(t *testing.T) {
	s := newScript(t, func(w http.ResponseWriter, c call) {
		a := artifact("a", parts("Which city?"))
		c.say(w, task("ctx", "input-required", a), artifactEvent("ctx", a), statusEvent("ctx", object{"state": "input-required"}, true))
	})
	for _, a := range both(t, bridgeTo(t, s), func() object { return user("hi") }) {
		if a.content != "Which city?" || a.about.State != "input-required" || a.failure.Class != "" {
			t.Errorf("got %q, %s", a.content, a.raw)
		}
	}
}

func TestFailuresRenderInChat(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter, c call)
		want   []string
		status int // under http_error
	}{
		"JSON-RPC error":      {func(w http.ResponseWriter, c call) { c.fail(w, -32603, "the model is down") }, []string{"could not answer", "the model is down"}, 502},
		"failed without text": {func(w http.ResponseWriter, c call) { c.result(w, task("ctx", "failed")) }, []string{"could not answer", "failed"}, 502},
		"no result":           {func(w http.ResponseWriter, c call) { c.result(w, nil) }, []string{"could not answer"}, 502},
		"rate limited": {func(w http.ResponseWriter, c call) {
			w.Header().Set("Retry-After", "2")
			w.WriteHeader(429)
		}, []string{"rate limiting", "about 2s"}, 429},
		"too large":  {func(w http.ResponseWriter, c call) { w.WriteHeader(413) }, []string{"too large"}, 413},
		"redirected": {func(w http.ResponseWriter, c call) { w.Header().Set("Location", "/rpc/"); w.WriteHeader(307) }, []string{"redirect", "307", "slash", "endpoint_url"}, 502},
		"down":       {func(w http.ResponseWriter, c call) { w.WriteHeader(500) }, []string{"unavailable", "500"}, 502},
	} {
		s := newScript(t, c.answer).blocking()
		for _, a := range both(t, bridgeTo(t, s), func() object { return user("hi") }) {
			if a.status != 200 || a.finish != "stop" || a.failure.Class == "" || a.thrown {
				t.Errorf("%s in chat: %d %s", name, a.status, a.raw)
			}
			for _, word := range c.want {
				if !strings.Contains(a.content, word) {
					t.Errorf("%s in chat: %q does not say %q", name, a.content, word)
				}
			}
		}
		for _, a := range both(t, bridgeTo(t, s, httpError), func() object { return user("hi") }) {
			if a.status != c.status || a.failure.Class == "" || a.content != "" {
				t.Errorf("%s as an HTTP error: %d %s", name, a.status, a.raw)
			}
			if c.status == 429 && a.header.Get("Retry-After") != "2" {
				t.Errorf("Retry-After %q", a.header.Get("Retry-After"))
			}
		}
		if n := len(s.got()); n != 4 {
			t.Errorf("%s: 4 messages were sent %d times", name, n)
		}
	}
}

func TestUnreachableLeaksNothing(t *testing.T) {
	s := newScript(t, echo)
	host := strings.TrimPrefix(s.URL, "http://")
	s.Close()
	direct := func(c *a2achat.AgentConfig) { c.EndpointURL = s.URL + "/secret-path" }
	for _, a := range both(t, bridgeTo(t, s, direct), func() object { return user("hi") }) {
		if a.status != 200 || !strings.Contains(a.content, "unreachable") || strings.Contains(a.raw, host) || strings.Contains(a.raw, "secret-path") {
			t.Errorf("%d %s", a.status, a.raw)
		}
	}
	if a := bridgeTo(t, s, direct, httpError).ask(t, user("hi")); a.status != 502 || strings.Contains(a.raw, host) {
		t.Errorf("%d %s", a.status, a.raw)
	}
}

func TestCompletionShape(t *testing.T) {
	a := bridgeTo(t, newScript(t, echo)).ask(t, user("hi"))
	if !strings.HasPrefix(a.id, "chatcmpl-") || a.finish != "stop" {
		t.Error(a.raw)
	}
	for _, member := range []string{`"object":"chat.completion"`, `"model":"helper"`, `"role":"assistant"`, `"usage":{"prompt_tokens":0`} {
		if !strings.Contains(a.raw, member) {
			t.Errorf("%s is missing in %s", member, a.raw)
		}
	}
}

func TestBlockingAgentStreams(t *testing.T) {
	s := newScript(t, echo).blocking()
	a := bridgeTo(t, s).ask(t, streamed(user("hi")))
	if !a.done || a.finish != "stop" || len(a.deltas) != 1 || a.deltas[0] != "echo: hi" {
		t.Errorf("%+v", a)
	}
	if s.got()[0].Method != "message/send" {
		t.Errorf("method %s", s.got()[0].Method)
	}
}

func TestStreamModeBlocking(t *testing.T) {
	s := newScript(t, echo)
	b := bridgeTo(t, s, func(c *a2achat.AgentConfig) { c.StreamMode = a2achat.Blocking })
	if a := b.ask(t, streamed(user("hi"))); a.content != "echo: hi" || s.got()[0].Method != "message/send" {
		t.Errorf("%s, %q", s.got()[0].Method, a.content)
	}
}

func TestNotesPrecedeTheAnswer(t *testing.T) {
	s := newScript(t, func(w http.ResponseWriter, c call) {
		c.events(w, statusEvent("ctx", said("working", " Searching… "), false), statusEvent("ctx", said("working", ""), false),
			statusEvent("ctx", said("working", "Handing off…"), false),
			artifactEvent("ctx", artifact("a", parts("Found "))), artifactEvent("ctx", artifact("a", parts("it.")), "append"), completed("ctx"))
	})
	none := ""
	for name, c := range map[string]struct {
		set  func(*a2achat.AgentConfig)
		want string
	}{
		"as they are":  {func(*a2achat.AgentConfig) {}, "_Searching…_\n_Handing off…_\n\nFound it."},
		"wrapped":      {func(c *a2achat.AgentConfig) { c.ProgressPrefix, c.ProgressSuffix = ptr("> "), &none }, "> Searching…\n> Handing off…\n\nFound it."},
		"not shown":    {func(c *a2achat.AgentConfig) { c.ShowProgress = ptr(false) }, "Found it."},
		"not streamed": {func(c *a2achat.AgentConfig) {}, "Found it."},
	} {
		body := user("hi")
		if name != "not streamed" {
			body = streamed(body)
		}
		a := bridgeTo(t, s, c.set).ask(t, body)
		if a.content != c.want {
			t.Errorf("%s: %q, want %q", name, a.content, c.want)
		}
		if want := map[bool]int{true: 2}[name == "not streamed"]; len(a.about.Notes) != want {
			t.Errorf("%s: notes beside the answer: %q", name, a.about.Notes)
		}
	}
}

func TestTurnsAreRecorded(t *testing.T) {
	s := newScript(t, echo)
	kept := newStore(t)
	b := newBridge(t, a2achat.Options{Store: kept, Agents: []a2achat.AgentConfig{{
		ID: "helper", CardURL: s.URL, MessageIDHeader: "X-Message-Id",
	}}}, openai.Options{})
	b.ask(t, user("one"), "X-Conversation-Id", "c1", "X-Message-Id", "m-77")
	b.ask(t, streamed(user("two")), "X-Conversation-Id", "c1")
	turns, err := a2achat.Turns(context.Background(), kept, store.TurnFilter{Conversation: "c1"})
	if err != nil || len(turns) != 2 {
		t.Fatalf("%+v, %v", turns, err)
	}
	if one := turns[0]; one.Task != "task-1" || one.Message != "m-77" || one.State != "completed" || one.Context == "" || one.At.IsZero() || one.Agent != "helper" {
		t.Errorf("%+v", one)
	}
	if turns[1].Context != turns[0].Context || turns[1].Message != "" {
		t.Errorf("%+v", turns[1])
	}
}

func TestStoreFailureCostsNoAnswer(t *testing.T) {
	s := newScript(t, echo)
	kept := &sick{Store: newStore(t)}
	kept.reads.Store(true)
	kept.writes.Store(true)
	b := newBridge(t, a2achat.Options{Store: kept, Agents: []a2achat.AgentConfig{{ID: "helper", CardURL: s.URL}}}, openai.Options{})
	for range 2 {
		for _, a := range both(t, b, func() object { return user("hi") }) {
			if a.content != "echo: hi" {
				t.Errorf("%d %s", a.status, a.raw)
			}
		}
		b.ask(t, user("hi"), "X-Conversation-Id", "c1")
	}
	if !strings.Contains(b.log.String(), "the disk is full") {
		t.Error("the log does not say that the store failed")
	}
	calls := s.got()
	if last := calls[len(calls)-1]; last.Message.ContextID == "" {
		t.Error("the conversation was forgotten while the store failed")
	}
}

func TestStreamThatDiesTellsTheUser(t *testing.T) {
	s := newScript(t, func(w http.ResponseWriter, c call) {
		c.events(w, artifactEvent("ctx", artifact("a", parts("Half an"))))
		panic(http.ErrAbortHandler)
	})
	a := bridgeTo(t, s).ask(t, streamed(user("hi")))
	if !strings.HasPrefix(a.content, "Half an\n\nThe agent helper stopped mid-answer (") || a.finish != "stop" || !a.done || a.failure.Class == "" || a.thrown {
		t.Errorf("%q %s", a.content, a.raw)
	}
	a = bridgeTo(t, s, httpError).ask(t, streamed(user("hi")))
	if a.content != "Half an" || a.finish != "" || a.done || a.failure.Class == "" {
		t.Errorf("as an HTTP error: %q %s", a.content, a.raw)
	}
}

func TestCallerIsForwardedWithASignature(t *testing.T) {
	s := newScript(t, echo)
	set := func(c *a2achat.AgentConfig) {
		c.Caller = &a2achat.CallerConfig{IDHeader: "X-Caller-Id", AuthHeader: "X-Caller-Auth", SecretEnv: "SECRET"}
	}
	c := a2achat.AgentConfig{ID: "helper", CardURL: s.URL}
	set(&c)
	env := func(string) (string, bool) { return "the key", true }
	b := newBridge(t, a2achat.Options{Agents: []a2achat.AgentConfig{c}, Env: env}, openai.Options{})
	b.ask(t, user("hi"), "X-Caller-Id", "user-7", "X-Caller-Auth", "forged")
	b.ask(t, user("hi"), "X-Caller-Auth", "forged")
	mac := hmac.New(sha256.New, []byte("the key"))
	fmt.Fprint(mac, "user-7")
	want := hex.EncodeToString(mac.Sum(nil))[:16]
	calls := s.got()
	if got := calls[0].Header; got.Get("X-Caller-Id") != "user-7" || got.Get("X-Caller-Auth") != want {
		t.Errorf("%q %q, want %q", got.Get("X-Caller-Id"), got.Get("X-Caller-Auth"), want)
	}
	if got := calls[1].Header; got.Get("X-Caller-Id") != "" || got.Get("X-Caller-Auth") != "" {
		t.Errorf("a signature of the client's reached the agent: %q", got)
	}
}

func TestModelsAndUnknownModel(t *testing.T) {
	one, two := newScript(t, echo), newScript(t, echo)
	b := newBridge(t, a2achat.Options{Agents: []a2achat.AgentConfig{{ID: "zeta", CardURL: one.URL}, {ID: "alpha", CardURL: two.URL}}}, openai.Options{})
	res, err := http.Get(b.URL + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	list, err := io.ReadAll(res.Body)
	if at, zt := bytes.Index(list, []byte(`"alpha"`)), bytes.Index(list, []byte(`"zeta"`)); err != nil || at < 0 || zt < at {
		t.Errorf("%s, %v", list, err)
	}
	unknown := user("hi")
	unknown["model"] = "nobody"
	if a := b.ask(t, unknown); a.status != 404 || a.failure.Code != "model_not_found" {
		t.Errorf("%d %s", a.status, a.raw)
	}
	for _, id := range []string{"alpha", "zeta"} {
		body := user("hi " + id)
		body["model"] = id
		if a := b.ask(t, body); a.content != "echo: hi "+id {
			t.Errorf("%d %s", a.status, a.raw)
		}
	}
	if len(one.got()) != 1 || len(two.got()) != 1 {
		t.Error("a message went to the wrong agent")
	}
}

func TestStaticHeadersAreSent(t *testing.T) {
	s := newScript(t, echo)
	b := newBridge(t, a2achat.Options{
		Agents: []a2achat.AgentConfig{{
			ID: "helper", CardURL: s.URL,
			StaticHeaders: map[string]string{"X-Tenant": "news"}, StaticHeadersEnv: map[string]string{"Authorization": "TOKEN"},
		}},
		Env: func(name string) (string, bool) { return "Bearer canary-4711", name == "TOKEN" },
	}, openai.Options{})
	b.ask(t, user("hi"))
	if h := s.got()[0].Header; h.Get("X-Tenant") != "news" || h.Get("Authorization") != "Bearer canary-4711" {
		t.Errorf("%q", h)
	}
	if strings.Contains(b.log.String(), "canary-4711") {
		t.Error("the log holds a secret")
	}
}
