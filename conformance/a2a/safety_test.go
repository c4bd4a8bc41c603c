package a2a

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/reporters"
)

// What the user gave for one server reaches no other that a card names.
func TestHeadersStayAtTheirOrigin(t *testing.T) {
	secret := http.Header{"Authorization": {"Bearer open-sesame"}}
	stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "" {
			t.Errorf("%s was asked with %q", r.URL.Path, got)
		}
		http.Error(w, "who are you?", http.StatusUnauthorized)
	}))
	t.Cleanup(stranger.Close)
	elsewhere := object{"url": stranger.URL + "/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}

	only := &agent{dialect: rpc10, card: func(card object) { card["supportedInterfaces"] = []any{elsewhere} }}
	_, _, err := survey(t, Config{URL: start(t, only), Options: transport.Options{Header: secret}})
	if !errors.Is(err, a2ahttp.ErrForeignOrigin) || errors.Is(err, transport.ErrUnreachable) || strings.Contains(err.Error(), "sesame") {
		t.Errorf("surveyed: %v", err)
	}

	// One that is asked beside the chosen one, on another port, is asked without.
	also := &agent{dialect: rpc10, card: func(card object) {
		card["supportedInterfaces"] = append(card["supportedInterfaces"].([]any), elsewhere)
	}}
	got, _ := examine(t, Config{URL: start(t, also), Options: transport.Options{Header: secret}})
	if out := got["a2a.discovery.interfaces"]; out.Status != reporters.Passed {
		t.Errorf("interfaces: %s: %+v", out.Status, out.Finding)
	}
}

// An agent that is asked too often, or is away, breaks no rule by saying so.
func TestBeingTurnedAwayIsNoViolation(t *testing.T) {
	for _, d := range []dialect{rpc10, {a2ahttp.V10, a2ahttp.HTTPJSON}} {
		for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
			busy := &agent{dialect: d, streaming: true, push: true, extended: true}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != a2ahttp.WellKnown {
					http.Error(w, "not now", status)
					return
				}
				busy.ServeHTTP(w, r)
			}))
			t.Cleanup(server.Close)
			busy.url, busy.cardPath = server.URL, a2ahttp.WellKnown
			got, _ := examine(t, Config{URL: server.URL})
			for id, out := range got {
				if out.Status == reporters.Failed || out.Status == reporters.Warned {
					t.Errorf("%s %d: %s is %s: %+v", d.binding, status, id, out.Status, out.Finding)
				}
			}
			if out := got["a2a.errors.unknown-task"]; out.Status != reporters.Errored {
				t.Errorf("%s %d: unknown-task is %s: %+v", d.binding, status, out.Status, out.Finding)
			}
		}
	}
}

func TestWebhooks(t *testing.T) {
	for _, test := range []struct {
		agent, given string
		want         []string
	}{
		{"https://agent.example/rpc", "", []string{DefaultWebhook}},
		{"http://127.0.0.1:9000/rpc", "", []string{localWebhook, DefaultWebhook}},
		{"http://[::1]:9000/rpc", "", []string{localWebhook, DefaultWebhook}},
		{"http://localhost/rpc", "", []string{localWebhook, DefaultWebhook}},
		{"http://127.0.0.1.example/rpc", "", []string{DefaultWebhook}},
		{"http://127.0.0.1/rpc", "https://hook.example/x", []string{"https://hook.example/x"}},
	} {
		s := &Session{
			target: NewTarget(Config{Webhook: test.given}),
			conv:   &conversation{client: &a2ahttp.Client{Interface: a2ahttp.Interface{URL: test.agent}}},
		}
		if got := s.webhooks(); !slices.Equal(got, test.want) {
			t.Errorf("for %s given %q: %q", test.agent, test.given, got)
		}
	}
}

// Some agents take no webhook on their own machine; the suite has another for them.
func TestWebhookThatIsTaken(t *testing.T) {
	for _, refused := range []string{localWebhook, DefaultWebhook} {
		a := &agent{dialect: rpc10, push: true}
		a.call = func(op a2ahttp.Op, params json.RawMessage) (any, bool) {
			return refusal{codeInvalidParams, "not that one"}, op == a2ahttp.CreatePushConfig && text(params, "url") == refused
		}
		got, _ := examineFor(t, Config{URL: start(t, a)}, []conformance.Case{pushRoundTrip(), pushDeleteTwice()}, nil)
		for id, out := range got {
			if out.Status != reporters.Passed {
				t.Errorf("without %s, %s is %s: %+v", refused, id, out.Status, out.Finding)
			}
		}
	}
}
