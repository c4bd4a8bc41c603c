package a2a

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// agent is a small sound agent, written apart from any SDK, whose answers a test can
// spoil. A blocking message makes a task that completes with an artifact, any other a
// task that goes on until it is cancelled.
type agent struct {
	dialect
	streaming, push, extended bool
	messageOnly               bool
	live                      string // the state of a task that goes on

	// What a test spoils. Each may be nil.
	call   func(op a2ahttp.Op, params json.RawMessage) (result any, ok bool) // answers in place of the agent; a refusal is an error
	events func(events []any) []any                                          // the events of a stream
	body   func(op a2ahttp.Op, body string) string                           // whatever is written, and each event
	head   func(h http.Header)
	card   func(card object)
	hold   chan struct{}                                               // keeps streams open until it is closed
	params func(op a2ahttp.Op, params json.RawMessage) json.RawMessage // what the agent takes the params for

	any, exact bool   // takes every version; takes no patch
	answersAll bool   // answers notifications
	ascending  bool   // lists the wrong way round
	wrapsGet   bool   // answers GetTask like SendMessage
	oneID      bool   // gives every task the same id
	cardPath   string // "" is the well-known one

	mu    sync.Mutex
	url   string
	n     int
	tasks []*fakeTask
	hooks map[string]object
}

type fakeTask struct {
	id, contextID string
	state         string // in the words of 0.3
	at            int
	history       []any
	artifacts     []any
}

// refusal is an error as the agent thinks of it.
type refusal struct {
	code    int64
	message string
}

func (r refusal) Error() string { return r.message }

func start(t *testing.T, a *agent) string {
	t.Helper()
	a.hooks = map[string]object{}
	if a.live == "" {
		a.live = "working"
	}
	if a.cardPath == "" {
		a.cardPath = a2ahttp.WellKnown
	}
	server := httptest.NewServer(a)
	a.url = server.URL
	t.Cleanup(func() {
		if a.hold != nil {
			close(a.hold)
		}
		server.Close()
	})
	return server.URL
}

func (a *agent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	switch {
	case r.URL.Path == a.cardPath:
		a.serveCard(w)
	case r.URL.Path == "/rpc" && a.binding == a2ahttp.JSONRPC:
		a.serveRPC(w, r, body)
	case strings.HasPrefix(r.URL.Path, "/rest/") && a.binding == a2ahttp.HTTPJSON:
		a.serveREST(w, r, body)
	default:
		http.NotFound(w, r)
	}
}

func (a *agent) serveCard(w http.ResponseWriter) {
	card := object{
		"name": "Scripted", "description": "d", "version": "1", "defaultInputModes": []string{"text/plain"}, "defaultOutputModes": []string{"text/plain"},
		"skills":       []any{object{"id": "s", "name": "S", "description": "d", "tags": []string{}}},
		"capabilities": object{"streaming": a.streaming, "pushNotifications": a.push, "extendedAgentCard": a.extended},
	}
	at := a.url + map[string]string{a2ahttp.JSONRPC: "/rpc", a2ahttp.HTTPJSON: "/rest"}[a.binding]
	if a.version == a2ahttp.V10 {
		card["supportedInterfaces"] = []any{object{"url": at, "protocolBinding": a.binding, "protocolVersion": a.version}}
	} else {
		card["url"], card["preferredTransport"], card["protocolVersion"] = at, a.binding, a.version
	}
	if a.card != nil {
		a.card(card)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "max-age=60")
	w.Header().Set("ETag", `"1"`)
	if a.head != nil {
		a.head(w.Header())
	}
	_, _ = w.Write(encoded(card))
}

func (a *agent) serveRPC(w http.ResponseWriter, r *http.Request, body []byte) {
	m := wire.Parse(body)
	op := opOf(m.Method, a.version)
	id := m.ID
	var result any
	var err error
	switch {
	case len(m.Problems) > 0 && m.Problems[0] == "not valid JSON":
		id, err = wire.NullID, refusal{codeParse, "no JSON"}
	case m.Method == "" || wire.Get(body, "jsonrpc") == nil:
		err = refusal{codeInvalidRequest, "no request"}
	case !id.IsZero() && !id.IsString() && !id.IsNumber():
		id, err = wire.NullID, refusal{codeInvalidRequest, "bad id"}
	default:
		result, err = a.answer(op, r.Header.Get("A2A-Version"), m.Params)
	}
	if id.IsZero() && !a.answersAll {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if events, ok := result.([]any); ok && err == nil {
		a.stream(w, op, events, func(event any) []byte { return wire.Result(id, encode(event)) })
		return
	}
	reply := wire.Result(id, encode(result))
	if err != nil {
		reply = a.rpcError(id, err)
	}
	a.write(w, op, http.StatusOK, "application/json", reply)
}

func (a *agent) rpcError(id wire.ID, err error) []byte {
	refused, ok := err.(refusal) //nolint:errorlint // never wrapped here
	if !ok {
		refused = refusal{-32603, err.Error()}
	}
	var data json.RawMessage
	if reason := a2ahttp.ReasonOf(refused.code); reason != "" && a.version == a2ahttp.V10 {
		data = encode([]any{errorInfo(reason)})
	}
	return wire.Failure(id, refused.code, refused.message, data)
}

func errorInfo(reason string) object {
	return object{"@type": a2ahttp.ErrorInfoType, "reason": reason, "domain": "a2a-protocol.org"}
}

func (a *agent) serveREST(w http.ResponseWriter, r *http.Request, body []byte) {
	op := opAt(r.Method, r.URL.Path)
	result, err := a.answer(op, r.Header.Get("A2A-Version"), restParams(r, op, body))
	if events, ok := result.([]any); ok && err == nil {
		a.stream(w, op, events, encode)
		return
	}
	status, reply := http.StatusOK, encode(result)
	if err != nil {
		refused, _ := err.(refusal) //nolint:errorlint // never wrapped here
		status = http.StatusBadRequest
		if refused.code == a2ahttp.CodeTaskNotFound {
			status = http.StatusNotFound
		}
		fault := object{"code": status, "status": "FAILED", "message": refused.message}
		if reason := a2ahttp.ReasonOf(refused.code); reason != "" {
			fault["details"] = []any{errorInfo(reason)}
		}
		reply = encoded(object{"error": fault})
	}
	a.write(w, op, status, "application/a2a+json", reply)
}

// restParams makes params of JSON-RPC from path, query and body.
func restParams(r *http.Request, op a2ahttp.Op, body []byte) json.RawMessage {
	params := object{}
	_ = json.Unmarshal(body, &params)
	for name, values := range r.URL.Query() {
		params[name] = json.RawMessage(values[0])
		if !json.Valid([]byte(values[0])) {
			params[name] = values[0]
		}
	}
	_, rest, _ := strings.Cut(r.URL.Path, "/tasks/")
	id, config, _ := strings.Cut(rest, "/pushNotificationConfigs")
	id, _, _ = strings.Cut(id, ":")
	switch op {
	case a2ahttp.CreatePushConfig, a2ahttp.GetPushConfig, a2ahttp.ListPushConfigs, a2ahttp.DeletePushConfig:
		params["taskId"] = id
		if config != "" {
			params["id"] = strings.TrimPrefix(config, "/")
		}
	default:
		params["id"] = id
	}
	return encoded(params)
}

func encode(v any) []byte {
	raw, err := wire.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

func (a *agent) write(w http.ResponseWriter, op a2ahttp.Op, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	if a.head != nil {
		a.head(w.Header())
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, a.spoil(op, body))
}

func (a *agent) stream(w http.ResponseWriter, op a2ahttp.Op, events []any, wrap func(any) []byte) {
	if a.events != nil {
		events = a.events(events)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if a.head != nil {
		a.head(w.Header())
	}
	for _, event := range events {
		_, _ = w.Write(wire.AppendEvent(nil, wire.OutEvent{Data: []byte(a.spoil(op, wrap(event)))}))
		w.(http.Flusher).Flush()
	}
	if a.hold != nil {
		<-a.hold
	}
}

func (a *agent) spoil(op a2ahttp.Op, body []byte) string {
	if a.body == nil {
		return string(body)
	}
	return a.body(op, string(body))
}

// answer does what is asked for.
func (a *agent) answer(op a2ahttp.Op, version string, params json.RawMessage) (any, error) {
	if a.version == a2ahttp.V10 && !a.any && (a2ahttp.MajorMinor(version) != a2ahttp.V10 || a.exact && version != a2ahttp.V10) {
		return nil, refusal{a2ahttp.CodeVersionNotSupported, "no such version"}
	}
	if a.params != nil {
		params = a.params(op, params)
	}
	if a.call != nil {
		if result, ok := a.call(op, params); ok {
			err, _ := result.(error)
			return result, err
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch op {
	case a2ahttp.SendMessage:
		return a.send(params)
	case a2ahttp.SendStreamingMessage:
		return a.sendStream(params)
	case a2ahttp.ListTasks:
		return a.list(params)
	case a2ahttp.GetExtendedCard:
		return a.extendedCard()
	case a2ahttp.GetTask, a2ahttp.CancelTask, a2ahttp.SubscribeToTask:
		return a.onTask(op, params)
	case a2ahttp.CreatePushConfig, a2ahttp.GetPushConfig, a2ahttp.ListPushConfigs, a2ahttp.DeletePushConfig:
		return a.onPush(op, params)
	}
	return nil, refusal{codeMethodNotFound, "no such method"}
}

func (a *agent) extendedCard() (any, error) {
	if !a.extended {
		return nil, refusal{a2ahttp.CodeUnsupportedOperation, "no extended card"}
	}
	return nil, refusal{a2ahttp.CodeExtendedAgentCardNotConfigured, "not configured"}
}

func (a *agent) find(id string) *fakeTask {
	i := slices.IndexFunc(a.tasks, func(t *fakeTask) bool { return t.id == id })
	if i < 0 {
		return nil
	}
	return a.tasks[i]
}

func (a *agent) clock() int { a.n++; return a.n }

func stampOf(n int) string {
	return time.Date(2026, 1, 1, 0, 0, n, 0, time.UTC).Format(time.RFC3339)
}

func (a *agent) newID(what string) string { return fmt.Sprintf("%s-%d", what, a.clock()) }
