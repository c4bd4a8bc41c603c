// Package chatpeer is the built-in chat endpoint: a small bridge with six tools of its
// own, or with an agent, that keeps the canonical contract of docs/bridge-api.md, or a
// plain model server without any of that. It is what the suite's tests measure a case against.
//
// It imports nothing of this module but errclass, seal, transport and wire.
package chatpeer

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/seal"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// Options say what the peer is. The zero value is the bridge.
type Options struct {
	Plain   bool // a model server that repeats what it is told, without tools
	Agent   bool // a bridge with an agent that repeats what it is told, in the place of tools
	NoUsage bool // tokens are not counted; for a plain model server
	// Loose makes use of what the reference leaves open: in streams CRLF, comments and no
	// space after the colon; members that nobody knows, or that are null; content in parts.
	Loose bool
}

// Peer is one endpoint. It may serve several requests at once.
type Peer struct {
	options Options
	seal    *seal.Sealer
	ids     atomic.Int64
	clock   atomic.Int64

	mu   sync.Mutex
	kept map[string]stored // by idempotency key
}

type stored struct {
	digest string
	outcome
}

// New builds a peer. It starts nothing: Handler serves.
func New(o Options) *Peer {
	return &Peer{options: o, seal: seal.New([]byte("the built-in peer keeps no secrets")), kept: map[string]stored{}}
}

// Handler serves the endpoint, from the root of a server.
func (p *Peer) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", p.chat)
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		write(w, 200, object{"object": "list", "data": []any{model()}})
	})
	mux.HandleFunc("GET /v1/models/{id}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("id") != modelID {
			fail(w, 404, "model_not_found", failure(errclass.NotFound, "no such model"))
			return
		}
		write(w, 200, model())
	})
	if !p.options.Plain {
		p.contract(mux)
	}
	mux.HandleFunc("/v1/chat/completions", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Allow", http.MethodPost)
		fail(w, 405, "invalid_args", failure(errclass.InvalidArgs, "send a POST"))
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		fail(w, 404, "not_found", failure(errclass.NotFound, "nothing is served here"))
	})
	if p.options.Plain {
		return mux
	}
	return guarded(mux)
}

// contract adds the routes of the bridge.
func (p *Peer) contract(mux *http.ServeMux) {
	get := func(path string, body object) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { write(w, 200, body) })
	}
	tools := listing()
	if p.options.Agent {
		tools = []any{}
	}
	get("/v1/tools", object{"object": "list", "data": tools})
	get("/healthz", object{"status": "ok"})
	get("/readyz", object{"status": "ready", "peers": object{modelID: "ready"}})
	get("/capabilities", p.capabilities())
}

// guarded keeps the pages of other sites away.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := transport.CheckCaller(r, nil, nil); err != nil && r.URL.Path != "/healthz" {
			fail(w, 403, "permission_denied", failure(errclass.Permission, err.Error()))
			return
		}
		next.ServeHTTP(w, r)
	})
}

const modelID = "library"

func model() object {
	return object{"id": modelID, "object": "model", "created": 1700000000, "owned_by": "peerwright"}
}

func (p *Peer) capabilities() object {
	here, none := []any{object{"id": modelID, "transport": "http"}}, []any{}
	upstreams, agents := here, none
	if p.options.Agent {
		upstreams, agents = none, here
	}
	return object{
		"streaming": true, "pagination": "cursor", "errors": "canonical", "auth": "bridge-level", "idempotency": object{"store": "memory"},
		"llm": false, "agents": agents, "upstreams": upstreams,
	}
}

type object = map[string]any

func failure(class errclass.Class, message string) errclass.Error {
	return errclass.New(class, errclass.Bridge, errclass.NotRun, message, errclass.Call{})
}

// envelope is the error with OpenAI's own members inside.
func envelope(code string, e errclass.Error) object {
	raw, err := e.MarshalJSON()
	var out struct {
		Error object `json:"error"`
	}
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		panic(err) // an error that cannot be written
	}
	out.Error["type"], out.Error["code"], out.Error["param"] = "invalid_request_error", code, nil
	return object{"error": out.Error}
}

func fail(w http.ResponseWriter, status int, code string, e errclass.Error) {
	should := "false"
	if e.Retryable {
		should = "true"
	}
	w.Header().Set("X-Should-Retry", should)
	write(w, status, envelope(code, e))
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text(v))) // a client that is gone needs no answer
}

func text(v any) string {
	raw, err := wire.Marshal(v)
	if err != nil {
		panic(err) // made of plain values here
	}
	return string(raw)
}

// chat answers one request.
func (p *Peer) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	var q request
	if err == nil {
		err = json.Unmarshal(body, &q)
	}
	if err != nil || len(q.Messages) == 0 {
		fail(w, 400, "invalid_args", failure(errclass.InvalidArgs, "send an object with messages"))
		return
	}
	last := q.Messages[len(q.Messages)-1]
	if p.options.Plain || p.options.Agent {
		p.repeat(w, q, last.Content)
		return
	}
	if len(last.ToolCalls) == 0 {
		fail(w, 422, "invalid_args", failure(errclass.InvalidArgs, "send tool calls in the last message"))
		return
	}
	p.calls(w, r.Header.Get("X-Idempotency-Key"), q, last.ToolCalls)
}

// repeat answers as a model, or as an agent that keeps its conversation.
func (p *Peer) repeat(w http.ResponseWriter, q request, content json.RawMessage) {
	said, _ := wire.Text(content)
	var text any = "You said: " + said
	if p.options.Loose && !q.Stream {
		text = []any{object{"type": "text", "text": text}}
	}
	var extra object
	if p.options.Agent {
		if q.Model != modelID {
			fail(w, 404, "model_not_found", failure(errclass.NotFound, "no such model"))
			return
		}
		id := q.Conversation
		if id == "" {
			id = fmt.Sprintf("conv-%d", p.ids.Add(1))
		}
		w.Header().Set("X-Conversation-Id", id)
		extra = object{"conversation_id": id}
	}
	p.answer(w, q, object{"role": "assistant", "content": text}, "stop", extra)
}

type request struct {
	Conversation  string `json:"conversation_id"`
	Model         string `json:"model"`
	Stream        bool   `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Messages []struct {
		Content   json.RawMessage `json:"content"`
		ToolCalls []toolCall      `json:"tool_calls"`
	} `json:"messages"`
}

type toolCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
	Key string `json:"idempotency_key"`
}
