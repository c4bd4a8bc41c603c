package mutants

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/peerwright/peerwright/conformance/peers/a2apeer"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// unhurried is an agent whose tasks go on long enough for what is done to them while
// they do.
func unhurried() a2apeer.Options { return a2apeer.Options{Step: 150 * time.Millisecond} }

// agentFault writes an A2A error as the built-in agent does.
func agentFault(id wire.ID, code int64) []byte {
	var data json.RawMessage
	if reason := a2ahttp.ReasonOf(code); reason != "" {
		data = encode([]any{map[string]any{"@type": a2ahttp.ErrorInfoType, "reason": reason, "domain": "a2a-protocol.org"}})
	}
	return wire.Failure(id, code, "it cannot be done", data)
}

// agentRefuses makes a Swap that answers with one error where the built-in agent
// answers with another.
func agentRefuses(method string, from, to int64) Swap {
	return func(request, m wire.Message) [][]byte {
		if request.Method != method || m.Kind != wire.KindError || m.Error.Code != from {
			return keep(m)
		}
		return [][]byte{agentFault(m.ID, to)}
	}
}

// agentHears makes a Hear that gives the built-in agent other params of a method than
// the client sent.
func agentHears(method string, edit func(params map[string]any)) Hear {
	return func(m wire.Message) (told, answer []byte) {
		if m.Method != method || len(m.Params) == 0 || m.Params[0] != '{' {
			return m.Raw, nil
		}
		params := decode(m.Params)
		edit(params)
		return edited(m.Raw, func(request map[string]any) { request["params"] = params }), nil
	}
}

// member returns the object that stands in another under a name; an empty one when
// there is none, which is no part of the other.
func member(o map[string]any, name string) map[string]any {
	if inner, ok := o[name].(map[string]any); ok {
		return inner
	}
	return map[string]any{}
}

// elements returns the objects in the array that stands under a name.
func elements(o map[string]any, name string) (found []map[string]any) {
	all, _ := o[name].([]any)
	for _, e := range all {
		if object, ok := e.(map[string]any); ok {
			found = append(found, object)
		}
	}
	return found
}

// agentAnswers makes a Swap that edits everything in the results of the methods; no
// methods are all. The edit is given each object, the inner ones first.
func agentAnswers(edit func(o map[string]any), methods ...string) Swap {
	return func(request, m wire.Message) [][]byte {
		if m.Kind != wire.KindResult || len(methods) > 0 && !slices.Contains(methods, request.Method) {
			return keep(m)
		}
		result := decode(m.Result)
		eachObject(result, edit)
		return [][]byte{wire.Result(m.ID, encode(result))}
	}
}

func eachObject(v any, edit func(o map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		for _, inner := range v {
			eachObject(inner, edit)
		}
		edit(v)
	case []any:
		for _, inner := range v {
			eachObject(inner, edit)
		}
	}
}

// askAgent puts a request of the mutant's own to the built-in agent.
func askAgent(agent http.Handler, r *http.Request, method string, params any) wire.Message {
	own := r.Clone(r.Context())
	setBody(own, wire.Request(wire.IntID(1), method, encode(params)))
	got := httptest.NewRecorder()
	agent.ServeHTTP(got, own)
	return wire.Parse(got.Body.Bytes())
}

// agentInstead makes a Wrap that answers a method by itself. The answer is given the
// params, and a way to ask the built-in agent; it returns what stands after the id.
func agentInstead(method string, answer func(id wire.ID, params map[string]any, ask func(method string, params any) wire.Message) []byte) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			m, ok := posted(w, r)
			switch {
			case !ok:
			case m.Method != method:
				next.ServeHTTP(w, r)
			default:
				sendJSON(w, answer(m.ID, decode(m.Params), func(method string, params any) wire.Message {
					return askAgent(next, r, method, params)
				}))
			}
		})
	}
}

// sameUnder returns an answer of the built-in agent under another id.
func sameUnder(id wire.ID, answer wire.Message) []byte {
	return edited(answer.Raw, func(response map[string]any) { response["id"] = json.RawMessage(id.String()) })
}

// documents makes a Wrap that edits what the built-in agent answers in one piece; the
// edit returns the status and the body.
func documents(edit func(r *http.Request, status int, body []byte) (int, []byte)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, ":stream") || strings.HasSuffix(r.URL.Path, ":subscribe") {
				next.ServeHTTP(w, r)
				return
			}
			asked := r.Clone(r.Context()) // the agent may change its own
			got := httptest.NewRecorder()
			next.ServeHTTP(got, r)
			status, body := edit(asked, got.Code, got.Body.Bytes())
			for name, values := range got.Header() {
				w.Header()[name] = values
			}
			w.WriteHeader(status)
			_, _ = w.Write(body) // a client that is gone needs no answer
		})
	}
}

// cards makes a Wrap that edits the card.
func cards(edit func(card map[string]any)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		changed := documents(func(_ *http.Request, status int, body []byte) (int, []byte) {
			return status, edited(body, edit)
		})(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == a2ahttp.WellKnown {
				changed.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// memory is what a mutant remembers from one message to another.
type memory[T any] struct {
	mu     sync.Mutex
	things map[string]T
}

func newMemory[T any]() *memory[T] { return &memory[T]{things: map[string]T{}} }

func (m *memory[T]) put(name string, thing T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.things[name] = thing
}

func (m *memory[T]) get(name string) (T, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	thing, ok := m.things[name]
	return thing, ok
}
