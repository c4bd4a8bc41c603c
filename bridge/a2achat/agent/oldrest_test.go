package agent

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// oldREST serves 0.3 over HTTP+JSON by the Go SDK, in the way that this spells it.
func oldREST(base string) http.Handler {
	handler := a2asrv.NewHandler(oldEcho{}, a2asrv.WithLogger(slog.New(slog.DiscardHandler)))
	mux := http.NewServeMux()
	mux.HandleFunc(a2asrv.WellKnownAgentCardPath, func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(object{
			"name": "Go A2A 0.3 over HTTP+JSON", "protocolVersion": "0.3.0", "url": base, "preferredTransport": "HTTP+JSON",
			"capabilities": object{"streaming": true},
		})
	})
	mux.Handle("/v1/", http.StripPrefix("/v1", a2av0.NewRESTHandler(handler)))
	return mux
}

type oldEcho struct{}

// Execute implements a2asrv.AgentExecutor.
func (oldEcho) Execute(_ context.Context, info *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	var heard strings.Builder
	for _, p := range info.Message.Parts {
		heard.WriteString(p.Text())
	}
	return func(yield func(a2a.Event, error) bool) {
		first := a2a.NewArtifactEvent(info, a2a.NewTextPart("You said: "))
		for _, e := range []a2a.Event{
			a2a.NewSubmittedTask(info, info.Message), first,
			a2a.NewArtifactUpdateEvent(info, first.Artifact.ID, a2a.NewTextPart(heard.String())),
			a2a.NewStatusUpdateEvent(info, a2a.TaskStateCompleted, nil),
		} {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Cancel implements a2asrv.AgentExecutor.
func (oldEcho) Cancel(_ context.Context, info *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(info, a2a.TaskStateCanceled, nil), nil)
	}
}

func TestOldREST(t *testing.T) {
	url := peer(t, oldREST)
	for _, blocking := range []bool{false, true} {
		a := New(Config{ID: "peer", CardURL: url, Blocking: blocking, Timeout: 10 * time.Second})
		t.Cleanup(a.Close)
		for range 2 { // the second one knows the spelling
			send(t, a, hello())
		}
		h := send(t, a, hello())
		if h.err != nil || h.text() != "You said: hello" || h.outcome.State != Completed || h.outcome.ContextID == "" {
			t.Errorf("blocking %v: state %s, told %q, context %q, error %v (%s)", blocking, h.outcome.State, h.text(), h.outcome.ContextID, h.err, h.outcome.Detail)
		}
	}
}
