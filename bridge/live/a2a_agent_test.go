package live_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/peerwright/peerwright/internal/wire"
)

type object = map[string]any

// heard is a message that a scripted agent got.
type heard struct {
	id      json.RawMessage
	stream  bool // it came by message/stream
	context string
	text    string
	header  http.Header
	nth     int             // of the messages of its context, from 1
	gone    <-chan struct{} // closed when the caller is gone
}

// scripted are two A2A 0.3 agents over JSON-RPC, at /stream/ and /block/: one has
// message/stream, the other has not. What they answer is chosen by the first word of the
// text. They remember how many messages each context had.
type scripted struct {
	*httptest.Server

	mu       sync.Mutex
	contexts map[string]int
	messages []heard
	asked    map[string]int // for a task, by its id
}

func newScripted(t testing.TB) *scripted {
	t.Helper()
	s := &scripted{contexts: map[string]int{}, asked: map[string]int{}}
	s.Server = httptest.NewUnstartedServer(s)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func (s *scripted) card(agent string) object {
	return object{
		"name": "Scripted", "version": "1", "description": "-", "url": s.URL + "/" + agent + "/", "protocolVersion": "0.3.0",
		"preferredTransport": "JSONRPC", "capabilities": object{"streaming": agent == "stream"}, "skills": []any{},
		"defaultInputModes": []string{"text/plain"}, "defaultOutputModes": []string{"text/plain"},
	}
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	agent, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case path == ".well-known/agent-card.json" && r.Method == http.MethodGet:
		_ = json.NewEncoder(w).Encode(s.card(agent))
	case path == "" && r.Method == http.MethodPost:
		s.call(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (s *scripted) call(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	h := heard{id: wire.Get(raw, "id"), header: r.Header, gone: r.Context().Done()}
	method, _ := wire.Text(wire.Get(raw, "method"))
	switch method {
	case "message/send", "message/stream":
	case "tasks/get":
		id, _ := wire.Text(wire.Path(raw, "params", "id"))
		s.task(w, h, id)
		return
	default:
		h.fail(w, -32601, "Method not found")
		return
	}
	h.stream = method == "message/stream"
	h.context, _ = wire.Text(wire.Path(raw, "params", "message", "contextId"))
	var parts []struct{ Text string }
	_ = json.Unmarshal(wire.Path(raw, "params", "message", "parts"), &parts)
	for _, p := range parts {
		h.text += p.Text
	}
	s.note(&h)
	word, _, _ := strings.Cut(h.text, " ")
	for _, known := range append(shapes(), further()...) {
		if known.name == word {
			known.answer(w, h)
			return
		}
	}
	h.fail(w, -32603, "no shape "+word)
}

// note mints a context for a message that has none, and counts.
func (s *scripted) note(h *heard) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.context == "" {
		h.context = fmt.Sprintf("context-%d", len(s.contexts)+1)
	}
	s.contexts[h.context]++
	h.nth = s.contexts[h.context]
	s.messages = append(s.messages, *h)
}

// task answers tasks/get: "soon" is a task that is done the second time it is asked for.
func (s *scripted) task(w http.ResponseWriter, h heard, id string) {
	s.mu.Lock()
	s.asked[id]++
	n := s.asked[id]
	s.mu.Unlock()
	switch {
	case !strings.HasPrefix(id, "soon"):
		h.fail(w, -32001, "Task not found")
	case n%2 == 1:
		h.result(w, object{"kind": "task", "id": id, "contextId": "context-soon", "status": object{"state": "working"}})
	default:
		h.result(w, object{"kind": "task", "id": id, "contextId": "context-soon", "status": object{"state": "completed"}, "artifacts": []any{artifact("a", "Done by now.")}})
	}
}

// heardOf returns the messages so far.
func (s *scripted) heardOf() []heard {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]heard(nil), s.messages...)
}

func (h heard) result(w http.ResponseWriter, result any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(object{"jsonrpc": "2.0", "id": h.id, "result": result})
}

func (h heard) fail(w http.ResponseWriter, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(object{"jsonrpc": "2.0", "id": h.id, "error": object{"code": code, "message": message}})
}

// events answers with a stream.
func (h heard) events(w http.ResponseWriter, events ...object) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		raw, _ := json.Marshal(object{"jsonrpc": "2.0", "id": h.id, "result": e})
		_, _ = fmt.Fprintf(w, "data: %s\n\n", raw)
		w.(http.Flusher).Flush()
	}
}

// task is a task of the context in a state.
func (h heard) task(status object, artifacts ...object) object {
	user := object{"kind": "message", "role": "user", "messageId": "m", "contextId": h.context, "taskId": "task", "parts": texts(h.text)}
	return object{"kind": "task", "id": "task", "contextId": h.context, "status": status, "artifacts": artifacts, "history": []any{user}}
}

func (h heard) artifact(a object, more ...object) object {
	e := object{"kind": "artifact-update", "taskId": "task", "contextId": h.context, "artifact": a}
	for _, m := range more {
		for name, value := range m {
			e[name] = value
		}
	}
	return e
}

func (h heard) status(status object) object {
	state, _ := status["state"].(string)
	final := state != "working" && state != "submitted"
	return object{"kind": "status-update", "taskId": "task", "contextId": h.context, "status": status, "final": final}
}

// state is a status, with a message where there are words.
func state(name string, words ...string) object {
	if len(words) == 0 {
		return object{"state": name}
	}
	return object{"state": name, "message": object{"kind": "message", "role": "agent", "messageId": "n" + words[0], "parts": texts(words...)}}
}

func texts(words ...string) []object {
	parts := []object{}
	for _, text := range words {
		parts = append(parts, object{"kind": "text", "text": text})
	}
	return parts
}

func artifact(id string, words ...string) object {
	return object{"artifactId": id, "name": "result", "parts": texts(words...)}
}
