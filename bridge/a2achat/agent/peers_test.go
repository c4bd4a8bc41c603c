package agent

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/conformance/peers/a2apeer"
	"github.com/peerwright/peerwright/conformance/peers/live"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
)

// peer serves what builds a handler for its own URL.
func peer(t *testing.T, build func(base string) http.Handler) string {
	t.Helper()
	var handler http.Handler
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	handler = build(s.URL)
	t.Cleanup(s.Close)
	return s.URL
}

// TestPeers talks to real agents at each of their interfaces: the built-in one, and
// those on the SDKs for Go, TypeScript and Python.
func TestPeers(t *testing.T) {
	for name, options := range map[string]a2apeer.Options{
		"built-in": {Step: time.Millisecond}, "built-in without streams": {NoStreaming: true, Step: time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) { everywhere(t, peer(t, a2apeer.New(options).Handler)) })
	}
	for _, p := range live.Peers("../../..") {
		if p.Protocol != "a2a" {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			if ok, why := p.Available(); !ok {
				t.Skip("not run: " + why)
			}
			at, stop, err := p.Start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(stop)
			everywhere(t, at.URL)
		})
	}
}

// everywhere talks to an agent at each interface of its card, with streams and without.
func everywhere(t *testing.T, url string) {
	a := New(Config{ID: "peer", CardURL: url, Timeout: 20 * time.Second})
	defer a.Close()
	card, err := a.Card(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range card.Interfaces {
		for _, blocking := range []bool{false, true} {
			t.Run(i.Version+i.Binding+map[bool]string{true: "/blocking", false: ""}[blocking], func(t *testing.T) {
				t.Parallel()
				a := New(Config{
					ID: "peer", CardURL: url, Want: a2ahttp.Want{Version: i.Version, Binding: i.Binding}, Blocking: blocking, Timeout: 20 * time.Second,
				})
				defer a.Close()
				if card, err := a.Card(t.Context()); err != nil || card.Interface != i {
					t.Fatalf("interface %s, want %s, error %v", card.Interface, i, err)
				}
				talk(t, a)
			})
		}
	}
}

// talk has the agent do what its first word says.
func talk(t *testing.T, a *Agent) {
	for word, want := range map[string]State{
		"message hello": Answered, "hello there": Completed, "input": InputRequired, "fail": Failed, "reject": Rejected,
	} {
		m := Message{MessageID: "m " + word, Parts: []Part{{Text: word}}}
		h := send(t, a, m)
		if h.err != nil || h.outcome.State != want {
			t.Errorf("%s: state %s, error %v (%s)", word, h.outcome.State, h.err, h.outcome.Detail)
			continue
		}
		if len(h.outcome.Warnings) > 0 {
			t.Errorf("%s: warned of %q", word, h.outcome.Warnings)
		}
		if h.text() != h.answer() {
			t.Errorf("%s: told %q, answer %q", word, h.text(), h.answer())
		}
		if said := "hello"; strings.Contains(word, said) && strings.Count(h.text(), said) != 1 {
			t.Errorf("%s: told %q", word, h.text())
		}
		if want != Answered && (h.outcome.TaskID == "" || h.outcome.ContextID == "") {
			t.Errorf("%s: task %q of context %q", word, h.outcome.TaskID, h.outcome.ContextID)
		}
		if want == InputRequired {
			goOn(t, a, h.outcome)
		}
	}
}

// goOn is the second turn of a task that asked for input.
func goOn(t *testing.T, a *Agent, o Outcome) {
	t.Helper()
	h := send(t, a, Message{MessageID: "again", ContextID: o.ContextID, TaskID: o.TaskID, Parts: []Part{{Text: "hello again"}}})
	if h.err != nil || h.outcome.State != Completed || h.outcome.TaskID != o.TaskID || strings.Count(h.text(), "hello again") != 1 {
		t.Errorf("going on: state %s, told %q, error %v (%s)", h.outcome.State, h.text(), h.err, h.outcome.Detail)
	}
}
