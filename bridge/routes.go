package bridge

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/peerwright/peerwright/bridge/a2achat"
	"github.com/peerwright/peerwright/bridge/mcptools"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/redact"
)

func (b *Bridge) routes() []openai.Route {
	routes := []openai.Route{
		{Pattern: "GET /readyz", Handler: http.HandlerFunc(b.serveReady)},
		{Pattern: "GET /capabilities", Handler: http.HandlerFunc(b.serveCapabilities)},
	}
	if b.tools != nil {
		return append(routes, b.tools.Route())
	}
	return append(routes, openai.Route{Pattern: "GET /v1/tools", Handler: http.HandlerFunc(noTools)})
}

func noTools(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{"object": "list", "data": []any{}})
}

// readyTime bounds how long /readyz waits for the peers.
const readyTime = 10 * time.Second

type readiness struct {
	Status string            `json:"status"` // ready, or not ready
	Peers  map[string]string `json:"peers"`  // ready, or why not, by id
}

func (b *Bridge) serveReady(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyTime)
	defer cancel()
	found := readiness{Status: "ready", Peers: map[string]string{}}
	for _, id := range b.ids() {
		found.Peers[id] = "ready"
	}
	status := http.StatusOK
	for id, err := range b.unready(ctx) {
		found.Status, found.Peers[id], status = "not ready", clean(b.env.Redact, err.Error()), http.StatusServiceUnavailable
	}
	answer(w, status, found)
}

// unready asks every peer for a sign of life, and returns why those that gave none did not.
func (b *Bridge) unready(ctx context.Context) map[string]error {
	away := map[string]error{}
	if b.tools != nil {
		for id, err := range b.tools.Ready(ctx) {
			if err != nil {
				away[id] = err
			}
		}
	}
	if b.agents != nil {
		for _, s := range b.agents.Ready(ctx) {
			if !s.Reachable {
				away[s.ID] = unreachable(s.Reason)
			}
		}
	}
	return away
}

// unreachable is why an agent gave no sign of life.
type unreachable string

func (u unreachable) Error() string { return string(u) }

// ids lists the peers in the order of the configuration.
func (b *Bridge) ids() []string {
	var ids []string
	for _, a := range b.config.Agents {
		ids = append(ids, a.ID)
	}
	for _, u := range b.config.Upstreams {
		ids = append(ids, u.ID)
	}
	return ids
}

// Capabilities is what GET /capabilities tells: what this bridge can do as it runs.
type Capabilities struct {
	Streaming   bool                  `json:"streaming"`
	Pagination  string                `json:"pagination"`
	Errors      string                `json:"errors"`
	Auth        string                `json:"auth"`
	Idempotency Idempotency           `json:"idempotency"`
	LLM         bool                  `json:"llm"`
	Upstreams   []mcptools.Capability `json:"upstreams"`
	Agents      []a2achat.Status      `json:"agents"`
}

// Idempotency says where the results of calls with a key are kept.
type Idempotency struct {
	Store string `json:"store"` // memory, sqlite or mongodb
}

// Capabilities tells what this bridge can do, without asking any peer.
func (b *Bridge) Capabilities() Capabilities {
	c := Capabilities{
		Streaming: true, Pagination: "cursor", Errors: "canonical", Auth: "bridge-level",
		Idempotency: Idempotency{Store: kindOf(b.store.Name())}, LLM: b.config.LLM != nil,
		Upstreams: []mcptools.Capability{}, Agents: []a2achat.Status{},
	}
	if b.config.AllowAuthPassthrough {
		c.Auth = "bridge-level or passthrough"
	}
	if b.tools != nil {
		c.Upstreams = b.tools.Capabilities()
	}
	if b.agents != nil {
		c.Agents = b.agents.Known()
	}
	return c
}

func (b *Bridge) serveCapabilities(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, b.Capabilities())
}

func answer(w http.ResponseWriter, status int, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		status, raw = http.StatusInternalServerError, []byte(`{}`) // nothing that is given here fails
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(raw, '\n')) // the client is gone
}

func clean(r *redact.Redactor, text string) string { return string(r.Text([]byte(text))) }
