package agent

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/conformance/peers/a2apeer"
	"github.com/peerwright/peerwright/conformance/peers/gopeers"
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

// TestPeers talks to real agents: those on the Go SDK, of 1.0 and of 0.3, and the
// built-in one at each of its interfaces.
func TestPeers(t *testing.T) {
	builtin := func(o a2apeer.Options) func(string) http.Handler { return a2apeer.New(o).Handler }
	plain := builtin(a2apeer.Options{NoStreaming: true, Step: time.Millisecond})
	streams := builtin(a2apeer.Options{Step: time.Millisecond})
	for name, build := range map[string]func(string) http.Handler{
		"built-in": streams, "built-in without streams": plain,
		"a2a-go v2": gopeers.A2A, "a2a-go v0.3": gopeers.A2AOld,
	} {
		t.Run(name, func(t *testing.T) {
			url := peer(t, build)
			a := New(Config{ID: "peer", CardURL: url, Timeout: 20 * time.Second})
			defer a.Close()
			card, err := a.Card(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			interfaces := []a2ahttp.Interface{}
			for _, i := range card.Interfaces {
				if i.Binding != a2ahttp.GRPC {
					interfaces = append(interfaces, i)
				}
			}
			for _, i := range interfaces {
				for _, blocking := range []bool{false, true} {
					t.Run(i.Version+i.Binding+map[bool]string{true: "/blocking", false: ""}[blocking], func(t *testing.T) {
						a := New(Config{ID: "peer", CardURL: url, EndpointURL: i.URL, Blocking: blocking, Timeout: 20 * time.Second})
						defer a.Close()
						talk(t, a)
					})
				}
			}
		})
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
