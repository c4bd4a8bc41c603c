package a2achat_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/a2achat"
	"github.com/peerwright/peerwright/bridge/openai"
)

// What a2a-bridge leaves undone in its answers, one gap a test.

func TestGapStatusMessagesAreRendered(t *testing.T) {
	question := said("input-required", "Which ", "city?")
	failed := said("failed", "No seats left.")
	s := newScript(t, func(w http.ResponseWriter, c call) {
		status, state := question, "input-required"
		if strings.Contains(string(c.Params), "fail") {
			status, state = failed, "failed"
		}
		tk := task("ctx", state)
		tk["status"] = status
		c.say(w, tk, statusEvent("ctx", status, true))
	})
	for _, mode := range []a2achat.StreamMode{a2achat.Auto, a2achat.Blocking} {
		b := bridgeTo(t, s, func(c *a2achat.AgentConfig) { c.StreamMode = mode })
		for _, a := range both(t, b, func() object { return user("ask") }) {
			if a.content != "Which city?" {
				t.Errorf("%s: %q", mode, a.content)
			}
		}
		for _, a := range both(t, b, func() object { return user("fail") }) {
			if a.content != "The agent helper could not answer (No seats left.)." || a.failure.Class == "" {
				t.Errorf("%s: %q", mode, a.content)
			}
		}
	}
}

func TestGapFailureKeepsTheText(t *testing.T) {
	s := newScript(t, func(w http.ResponseWriter, c call) {
		a := artifact("a", parts("Half of it."))
		tk := task("ctx", "failed", a)
		tk["status"] = said("failed", "out of tokens")
		c.say(w, tk, artifactEvent("ctx", a), statusEvent("ctx", said("failed", "out of tokens"), true))
	})
	for _, a := range both(t, bridgeTo(t, s), func() object { return user("hi") }) {
		if a.content != "Half of it.\n\nThe agent helper could not answer (out of tokens)." || a.failure.Class == "" {
			t.Errorf("%q", a.content)
		}
	}
	answers := both(t, bridgeTo(t, s, httpError), func() object { return user("hi") })
	if a := answers[0]; a.status != 502 || !strings.Contains(a.failure.Message, "out of tokens") || !strings.HasSuffix(a.failure.Message, "Half of it.") {
		t.Errorf("%d %s", a.status, a.raw)
	}
	if a := answers[1]; a.content != "Half of it." || a.failure.Class == "" || a.done || a.finish != "" {
		t.Errorf("%s", a.raw)
	}
}

func TestGapMessageResult(t *testing.T) {
	m := object{"kind": "message", "messageId": "m1", "contextId": "ctx", "role": "agent", "parts": parts("Hello ", "there")}
	s := newScript(t, func(w http.ResponseWriter, c call) { c.say(w, m, m) })
	for _, a := range both(t, bridgeTo(t, s), func() object { return user("hi") }) {
		if a.content != "Hello there" || a.about.State != "answered" {
			t.Errorf("%q %s", a.content, a.raw)
		}
	}
}

func TestGapDataAndFilesAreRendered(t *testing.T) {
	all := []object{
		{"kind": "text", "text": "Look:"},
		{"kind": "data", "data": object{"n": json.Number("9007199254740993"), "code": "```"}},
		{"kind": "file", "file": object{"name": "a [1].png", "mimeType": "image/png", "uri": "https://x.example/a(1).png"}},
		{"kind": "file", "file": object{"name": "n.txt", "mimeType": "text/plain", "bytes": "aGk="}},
		{"kind": "text", "text": "That is all."},
	}
	want := "Look:\n\n````json\n{\"code\":\"```\",\"n\":9007199254740993}\n````\n\n" +
		"![a \\[1\\].png](https://x.example/a%281%29.png)\n\n[n.txt](data:text/plain;base64,aGk=)\n\nThat is all."
	s := newScript(t, func(w http.ResponseWriter, c call) {
		a := artifact("a", all)
		c.say(w, task("ctx", "completed", a), artifactEvent("ctx", a), completed("ctx"))
	})
	for _, mode := range []a2achat.StreamMode{a2achat.Auto, a2achat.Blocking} {
		for _, a := range both(t, bridgeTo(t, s, func(c *a2achat.AgentConfig) { c.StreamMode = mode }), func() object { return user("hi") }) {
			if a.content != want {
				t.Errorf("%s: got\n%s\nwant\n%s", mode, a.content, want)
			}
		}
	}
}

func TestGapStreamWithoutEndIsNotWhole(t *testing.T) {
	s := newScript(t, func(w http.ResponseWriter, c call) {
		if c.Method == "message/stream" {
			c.events(w, artifactEvent("ctx", artifact("a", parts("Part one"))), statusEvent("ctx", object{"state": "working"}, false))
		} else {
			c.fail(w, -32601, "no such method")
		}
	})
	a := bridgeTo(t, s, func(c *a2achat.AgentConfig) { c.TimeoutS = ptr(2.0) }).ask(t, streamed(user("hi")))
	if !strings.HasPrefix(a.content, "Part one\n\nThe agent helper stopped mid-answer (") || a.failure.Class == "" {
		t.Errorf("%q", a.content)
	}
}

func TestGapJSONErrorToAStreamCall(t *testing.T) {
	s := newScript(t, func(w http.ResponseWriter, c call) { c.fail(w, -32602, "parts: field required") })
	for _, a := range both(t, bridgeTo(t, s), func() object { return user("hi") }) {
		if a.content != "The agent helper could not answer (parts: field required)." || a.failure.Class != "invalid_args" {
			t.Errorf("%q", a.content)
		}
	}
	for _, a := range both(t, bridgeTo(t, s, httpError), func() object { return user("hi") }) {
		if a.status != 422 || a.failure.Class != "invalid_args" {
			t.Errorf("%d %s", a.status, a.raw)
		}
	}
}

func TestGapLateNotesAreNotMixedIn(t *testing.T) {
	s := newScript(t, func(w http.ResponseWriter, c call) {
		c.events(w, statusEvent("ctx", said("working", "Early"), false), artifactEvent("ctx", artifact("a", parts("One "))),
			statusEvent("ctx", said("working", "Late"), false), artifactEvent("ctx", artifact("a", parts("two")), "append"), completed("ctx"))
	})
	a := bridgeTo(t, s).ask(t, streamed(user("hi")))
	if a.content != "_Early_\n\nOne two" || len(a.about.Notes) != 1 || a.about.Notes[0] != "Late" {
		t.Errorf("%q, beside it %q", a.content, a.about.Notes)
	}
}

func TestGapRetryAfterAsADate(t *testing.T) {
	now := time.Date(2026, 8, 17, 12, 0, 0, 0, time.UTC)
	s := newScript(t, func(w http.ResponseWriter, c call) {
		w.Header().Set("Retry-After", now.Add(90*time.Second).Format(http.TimeFormat))
		w.WriteHeader(429)
	})
	for _, onError := range []a2achat.OnError{a2achat.Message, a2achat.HTTPError} {
		clock := func() time.Time { return now }
		b := newBridge(t, a2achat.Options{Now: clock, Agents: []a2achat.AgentConfig{{ID: "helper", CardURL: s.URL, OnError: onError}}}, openai.Options{Now: clock})
		a := b.ask(t, user("hi"))
		switch {
		case onError == a2achat.Message && !strings.Contains(a.content, "about 90s"):
			t.Errorf("%q", a.content)
		case onError == a2achat.HTTPError && (a.status != 429 || a.header.Get("Retry-After") != "90"):
			t.Errorf("%d, Retry-After %q", a.status, a.header.Get("Retry-After"))
		}
	}
}

func TestGapUsageChunk(t *testing.T) {
	body := streamed(user("hi"))
	body["stream_options"] = object{"include_usage": true}
	a := bridgeTo(t, newScript(t, echo)).ask(t, body)
	if !strings.Contains(a.raw, `"choices":[],"usage":{`) {
		t.Error(a.raw)
	}
}

func TestGapErrorsHaveOneShape(t *testing.T) {
	b := bridgeTo(t, newScript(t, echo))
	for name, body := range map[string]string{
		"no JSON": `{"model":`, "no object": `[]`, "no messages": `{"model":"helper"}`, "nothing": ``,
		"a wrong conversation": `{"model":"helper","conversation_id":{},"messages":[{"role":"user","content":"x"}]}`,
		"a long conversation":  `{"model":"helper","conversation_id":"` + strings.Repeat("x", 2000) + `","messages":[{"role":"user","content":"x"}]}`,
	} {
		a, err := b.post(context.Background(), []byte(body))
		if err != nil || a.status != 400 || a.failure.Class != "invalid_args" {
			t.Errorf("%s: %d %s %v", name, a.status, a.raw, err)
		}
	}
}

func TestGapCredentialsOfTheBridgeAreNotTheClients(t *testing.T) {
	s := newScript(t, func(w http.ResponseWriter, c call) { w.WriteHeader(401) })
	a := bridgeTo(t, s, httpError).ask(t, user("hi"))
	if a.status != 502 || a.failure.Class != "auth" || a.failure.Code == "invalid_api_key" {
		t.Errorf("%d %s", a.status, a.raw)
	}
}
