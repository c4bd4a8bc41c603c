// Package chatpeer is the built-in chat endpoint: a small bridge with four tools of its
// own that keeps the canonical contract of docs/bridge-api.md, or a plain model server
// without any of that. It is what the suite's tests measure a case against.
//
// It imports nothing of this module but errclass, seal and wire.
package chatpeer

import (
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/seal"
	"github.com/peerwright/peerwright/internal/wire"
)

// Options say what the peer is. The zero value is the bridge.
type Options struct {
	Plain   bool // a model server that repeats what it is told, without tools
	NoUsage bool // tokens are not counted
	// Loose makes use of what the reference leaves open: CRLF in streams, comments, more
	// members than are known.
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
	result json.RawMessage
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
		mux.HandleFunc("GET /v1/tools", func(w http.ResponseWriter, _ *http.Request) {
			write(w, 200, object{"object": "list", "data": listing()})
		})
		mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { write(w, 200, object{"status": "ok"}) })
		mux.HandleFunc("GET /capabilities", func(w http.ResponseWriter, _ *http.Request) { write(w, 200, capabilities()) })
	}
	mux.HandleFunc("/v1/chat/completions", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Allow", http.MethodPost)
		fail(w, 405, "invalid_args", failure(errclass.InvalidArgs, "send a POST"))
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		fail(w, 404, "not_found", failure(errclass.NotFound, "nothing is served here"))
	})
	return mux
}

const modelID = "library"

func model() object {
	return object{"id": modelID, "object": "model", "created": 1700000000, "owned_by": "peerwright"}
}

func capabilities() object {
	return object{
		"streaming": true, "pagination": "cursor", "errors": "canonical", "auth": "bridge-level", "idempotency": object{"store": "memory"},
		"llm": false, "agents": []any{}, "upstreams": []any{object{"id": "library", "transport": "http"}},
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
	if p.options.Plain {
		said, _ := wire.Text(last.Content)
		p.answer(w, q, object{"role": "assistant", "content": "You said: " + said}, "stop", nil)
		return
	}
	if len(last.ToolCalls) == 0 {
		fail(w, 422, "invalid_args", failure(errclass.InvalidArgs, "send tool calls in the last message"))
		return
	}
	p.calls(w, r.Header.Get("X-Idempotency-Key"), q, last.ToolCalls)
}

type request struct {
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
