package a2achat_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/a2achat"
	"github.com/peerwright/peerwright/bridge/openai"
)

type object = map[string]any

// call is a call that a scripted agent got.
type call struct {
	ID      json.RawMessage
	Method  string
	Header  http.Header
	Params  json.RawMessage
	gone    <-chan struct{} // closed when the caller is gone
	Message struct {
		MessageID, ContextID, TaskID, Kind string
		Parts                              []struct {
			Kind, Text string
			File       struct{ Name, MimeType, Bytes, URI string }
		}
	}
}

// script is an A2A 0.3 agent over JSON-RPC that says what the test has it say.
type script struct {
	*httptest.Server

	card   object
	answer func(w http.ResponseWriter, c call)
	mu     sync.Mutex
	calls  []call
}

// newScript starts an agent. The card is that of one which streams; the test may change
// it before the first call.
func newScript(t *testing.T, answer func(w http.ResponseWriter, c call)) *script {
	t.Helper()
	s := &script{answer: answer}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	s.card = object{
		"name": "Helper", "version": "2.0", "description": "-", "url": s.URL + "/rpc", "protocolVersion": "0.3.0",
		"preferredTransport": "JSONRPC", "capabilities": object{"streaming": true}, "skills": []any{},
		"defaultInputModes": []string{"text/plain"}, "defaultOutputModes": []string{"text/plain"},
	}
	return s
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		if r.URL.Path != "/.well-known/agent-card.json" {
			http.NotFound(w, r)
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		_ = json.NewEncoder(w).Encode(s.card)
		return
	}
	raw, _ := io.ReadAll(r.Body)
	c := call{Header: r.Header, gone: r.Context().Done()}
	var body struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
	}
	_ = json.Unmarshal(raw, &body)
	c.ID, c.Method, c.Params = body.ID, body.Method, body.Params
	params := struct{ Message any }{&c.Message}
	_ = json.Unmarshal(body.Params, &params)
	if c.Method == "tasks/get" {
		c.fail(w, -32001, "Task not found")
		return
	}
	s.mu.Lock()
	s.calls = append(s.calls, c)
	s.mu.Unlock()
	s.answer(w, c)
}

func (s *script) blocking() *script {
	s.card["capabilities"] = object{"streaming": false}
	return s
}

// got returns the calls so far.
func (s *script) got() []call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]call(nil), s.calls...)
}

// context is that of the conversation that the call goes on with, or the one given.
func (c call) context(otherwise string) string {
	if c.Message.ContextID != "" {
		return c.Message.ContextID
	}
	return otherwise
}

// result answers a call with one document.
func (c call) result(w http.ResponseWriter, result any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(object{"jsonrpc": "2.0", "id": c.ID, "result": result})
}

func (c call) fail(w http.ResponseWriter, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(object{"jsonrpc": "2.0", "id": c.ID, "error": object{"code": code, "message": message}})
}

// events answers a call with a stream.
func (c call) events(w http.ResponseWriter, events ...any) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		raw, _ := json.Marshal(object{"jsonrpc": "2.0", "id": c.ID, "result": e})
		_, _ = w.Write([]byte("data: " + string(raw) + "\n\n"))
		w.(http.Flusher).Flush()
	}
}

// say answers either kind of call: with a stream of the events, or with the task.
func (c call) say(w http.ResponseWriter, task object, events ...any) {
	if c.Method == "message/stream" {
		c.events(w, events...)
		return
	}
	c.result(w, task)
}

func parts(texts ...string) []object {
	list := []object{}
	for _, s := range texts {
		list = append(list, object{"kind": "text", "text": s})
	}
	return list
}

func artifact(id string, parts []object) object {
	return object{"artifactId": id, "name": "result", "parts": parts}
}

func task(context, state string, artifacts ...object) object {
	return object{"kind": "task", "id": "task-1", "contextId": context, "status": object{"state": state}, "artifacts": artifacts}
}

func said(state string, texts ...string) object {
	return object{"state": state, "message": object{"kind": "message", "messageId": "m-" + state + strings.Join(texts, ""), "role": "agent", "parts": parts(texts...)}}
}

func statusEvent(context string, status object, final bool) object {
	return object{"kind": "status-update", "taskId": "task-1", "contextId": context, "status": status, "final": final}
}

func artifactEvent(context string, a object, more ...string) object {
	e := object{"kind": "artifact-update", "taskId": "task-1", "contextId": context, "artifact": a}
	for _, m := range more {
		e[m] = true
	}
	return e
}

func completed(context string) object {
	return statusEvent(context, object{"state": "completed"}, true)
}

// echo answers with what it was asked, in the context of the call.
func echo(w http.ResponseWriter, c call) {
	ctx := c.context("ctx-" + c.Message.MessageID)
	text := ""
	for _, p := range c.Message.Parts {
		text += p.Text
	}
	a := artifact("a", parts("echo: "+text))
	c.say(w, task(ctx, "completed", a), artifactEvent(ctx, a), completed(ctx))
}

// bridge is a bridge in front of agents.
type bridge struct {
	*httptest.Server

	backend *a2achat.Backend
	log     *logged
	active  atomic.Int64 // requests that are being answered
}

// logged is a log that can be read while it is written.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newBridge(t *testing.T, o a2achat.Options, server openai.Options) *bridge {
	t.Helper()
	b := &bridge{log: &logged{}}
	if o.Store == nil {
		o.Store = newStore(t)
	}
	o.Log = slog.New(slog.NewTextHandler(b.log, nil))
	var err error
	if b.backend, err = a2achat.New(o); err != nil {
		t.Fatal(err)
	}
	server.Backends = []openai.Backend{b.backend}
	handler, err := openai.New(server)
	if err != nil {
		t.Fatal(err)
	}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.active.Add(1)
		defer b.active.Add(-1)
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		b.Server.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := b.backend.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return b
}

// bridgeTo is a bridge to one agent, helper, with further configuration.
func bridgeTo(t *testing.T, s *script, more ...func(*a2achat.AgentConfig)) *bridge {
	t.Helper()
	c := a2achat.AgentConfig{ID: "helper", CardURL: s.URL}
	for _, m := range more {
		m(&c)
	}
	return newBridge(t, a2achat.Options{Agents: []a2achat.AgentConfig{c}}, openai.Options{})
}

func httpError(c *a2achat.AgentConfig) { c.OnError = a2achat.HTTPError }

// answer is what a client got.
type answer struct {
	status  int
	header  http.Header
	content string
	raw     string
	deltas  []string // the pieces of content of a stream
	finish  string
	done    bool // a stream ended with [DONE]
	id      string
	about   struct {
		Agent           string
		TaskID          string `json:"task_id"`
		State           string
		Notes, Warnings []string
		Error           json.RawMessage
	}
	conversation string
	thrown       bool // there is a member error, with which clients throw the answer away
	failure      struct {
		Class, Message, Code string
		Context              struct{ Outcome string }
	}
}

// ask sends a chat completion request.
func (b *bridge) ask(t *testing.T, body object, header ...string) answer {
	t.Helper()
	a, err := b.try(context.Background(), body, header...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (b *bridge) try(ctx context.Context, body object, header ...string) (answer, error) {
	if _, ok := body["model"]; !ok {
		body["model"] = "helper"
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return answer{}, err
	}
	return b.post(ctx, raw, header...)
}

func (b *bridge) post(ctx context.Context, body []byte, header ...string) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.URL+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	a := answer{status: res.StatusCode, header: res.Header}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		err := a.stream(res.Body)
		return a, err
	}
	all, err := io.ReadAll(res.Body)
	a.raw = string(all)
	a.read(all)
	return a, err
}

// read takes in a document or a chunk.
func (a *answer) read(raw []byte) {
	var d struct {
		ID      string
		Choices []struct {
			Message, Delta struct{ Content string }
			FinishReason   string `json:"finish_reason"`
		}
		ConversationID string          `json:"conversation_id"`
		Peerwright     json.RawMessage `json:"peerwright"`
		Error          json.RawMessage
	}
	_ = json.Unmarshal(raw, &d)
	for _, c := range d.Choices {
		a.content += c.Message.Content + c.Delta.Content
		a.finish += c.FinishReason
		if c.Delta.Content != "" {
			a.deltas = append(a.deltas, c.Delta.Content)
		}
	}
	a.id = d.ID
	if d.ConversationID != "" {
		a.conversation = d.ConversationID
	}
	_ = json.Unmarshal(d.Peerwright, &a.about)
	_ = json.Unmarshal(a.about.Error, &a.failure) // told in the chat
	_ = json.Unmarshal(d.Error, &a.failure)
	a.thrown = a.thrown || len(d.Error) > 0
}

func (a *answer) stream(body io.Reader) error {
	lines := bufio.NewReader(body)
	var raw, content strings.Builder
	defer func() { a.raw, a.content = raw.String(), content.String() }()
	for {
		line, err := lines.ReadString('\n')
		raw.WriteString(line)
		data, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "data: ")
		switch {
		case ok && data == "[DONE]":
			a.done = true
		case ok:
			a.content = ""
			a.read([]byte(data))
			content.WriteString(a.content)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// user is a request with the texts as messages of the user.
func user(texts ...string) object {
	messages := []object{}
	for _, s := range texts {
		messages = append(messages, object{"role": "user", "content": s})
	}
	return object{"messages": messages}
}

func streamed(body object) object {
	body["stream"] = true
	return body
}

func ptr[T any](v T) *T { return &v }
