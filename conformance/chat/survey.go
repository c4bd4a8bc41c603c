package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// facts are what the survey found, and the answers that several cases judge by.
type facts struct {
	models       answer
	tools        answer
	capabilities answer
	model        string // to be named in requests
	all          []tool
	callable     []tool

	plain, streamed *completion // nil until one was asked for
	visits          []visit     // nil until the tools were called
	keys            int         // how many were made up
}

// refusal is an endpoint that turned the suite away.
type refusal struct {
	what   string
	status int
}

// Error implements error.
func (r refusal) Error() string {
	return fmt.Sprintf("%s was answered with HTTP status %d", r.what, r.status)
}

// HTTPStatus returns the status, by which the command says what the user can do.
func (r refusal) HTTPStatus() int { return r.status }

// errNoEndpoint says that no chat completions are served below the URL.
var errNoEndpoint = errors.New("no chat completions are served there")

// Survey asks what the peer has. It sends no message, and calls no tool.
func (t *Target) Survey(ctx context.Context) (conformance.Survey, error) {
	var f facts
	for _, ask := range []struct {
		url  string
		into *answer
	}{{t.base + "/models", &f.models}, {t.base + "/tools", &f.tools}, {t.root + "/capabilities", &f.capabilities}} {
		var err error
		if *ask.into, err = t.exchange(ctx, t.request(http.MethodGet, ask.url, nil)); err != nil {
			return conformance.Survey{}, fmt.Errorf("GET %s: %w", ask.url, err)
		}
	}
	if err := t.served(ctx, f); err != nil {
		return conformance.Survey{}, err
	}
	f.model = t.modelFor(f)
	f.all = t.readTools(f)
	f.callable = slices.DeleteFunc(slices.Clone(f.all), func(u tool) bool { return u.why == "" || u.args == nil })
	slices.SortStableFunc(f.callable, func(a, b tool) int { return cmp.Compare(b.leads(), a.leads()) })
	t.mu.Lock()
	defer t.mu.Unlock()
	t.facts, t.surveyed = f, true
	name := f.model
	return conformance.Survey{
		Protocol: conformance.Chat, Transport: "http", Target: t.config.URL,
		Name: name, Revision: V1, Features: t.features(f),
	}, nil
}

// served tells whether chat completions are served at all, by a request that nothing
// can come of.
func (t *Target) served(ctx context.Context, f facts) error {
	if status := f.models.status; status == http.StatusUnauthorized || status == http.StatusForbidden {
		return refusal{"GET " + t.base + "/models", status}
	}
	a, err := t.exchange(ctx, t.request(http.MethodPost, t.base+"/chat/completions", []byte("{}")))
	if err != nil {
		return fmt.Errorf("POST %s/chat/completions: %w", t.base, err)
	}
	switch {
	case a.status == http.StatusUnauthorized, a.status == http.StatusForbidden, a.status/100 == 3,
		f.models.status != http.StatusOK && (a.status == http.StatusNotFound || a.status == http.StatusMethodNotAllowed):
		return fmt.Errorf("%w: %w", errNoEndpoint, refusal{"POST " + t.base + "/chat/completions", a.status})
	case f.models.status/100 == 5 && slices.Contains([]int{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}, a.status):
		return refusal{"POST " + t.base + "/chat/completions", a.status} // nobody is behind the gateway
	case a.status == http.StatusOK && a.events == nil && !json.Valid(a.body):
		return fmt.Errorf("%w: POST %s/chat/completions was answered with what is no JSON: %s", errNoEndpoint, t.base, clip(string(a.body)))
	}
	return nil
}

func (t *Target) request(method, url string, body []byte) transport.HTTPRequest {
	h := http.Header{"Accept-Encoding": {transport.Uncoded}}
	if body != nil {
		h.Set("Content-Type", "application/json")
	}
	return transport.HTTPRequest{Method: method, URL: url, Header: h, Body: body}
}

func (t *Target) modelFor(f facts) string {
	if t.config.Model != "" {
		return t.config.Model
	}
	return f.models.text("data", "0", "id")
}

// contract tells whether the peer says that it keeps the canonical contract.
func contract(f facts) bool {
	return f.capabilities.status == http.StatusOK && f.capabilities.text("errors") == "canonical"
}

func (t *Target) features(f facts) map[conformance.Feature]conformance.Offer {
	usable := conformance.Offer{Usable: true}
	has := map[conformance.Feature]conformance.Offer{Completions: usable}
	if f.model == "" && len(f.callable) == 0 {
		has[Completions] = conformance.Offer{Why: "no model is known to ask; name one with --model"}
	}
	if f.models.status == http.StatusOK {
		has[Models] = usable
	}
	if !contract(f) {
		return has
	}
	has[Contract] = usable
	t.inhabitants(f, has)
	if len(f.all) > 0 {
		has[Tools] = usable
		has[CallableTool] = offer(f.callable, "no tool says that it only reads, or none of those has a schema to make arguments for; name one with --allow-tool", func(tool) bool { return true })
		has[SchemaTool] = offer(f.callable, "no tool that may be called has arguments to get wrong", func(u tool) bool { return u.wrong() != nil })
		has[OtherTool] = offer(f.callable, "no tool that may be called has arguments to vary", func(u tool) bool { return u.other() != nil })
	}
	return has
}

// inhabitants tells what stands behind a bridge, by what it says of itself.
func (t *Target) inhabitants(f facts, has map[conformance.Feature]conformance.Offer) {
	usable := conformance.Offer{Usable: true}
	agents, model := f.listed("agents"), string(f.capabilities.at("llm")) != "false"
	if len(agents) == 0 && !model {
		has[OnlyTools] = usable
	}
	if len(agents) > 0 && !model && len(f.listed("upstreams")) == 0 {
		has[OnlyAgents] = usable
	}
	if len(agents) == 0 {
		return
	}
	has[Agents] = usable
	if !slices.Contains(agents, f.model) || len(f.callable) > 0 && t.config.Prompt == "" {
		has[Agents] = conformance.Offer{Why: "no agent was asked; name one with --model, and what to say to it with --prompt"}
	}
}

// listed returns the ids in a list of the capabilities.
func (f facts) listed(name string) (ids []string) {
	for _, one := range elements(f.capabilities.at(name)) {
		id, _ := wire.Text(at(one, "id"))
		ids = append(ids, id)
	}
	return ids
}
