package gopeers

import (
	"context"
	"iter"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// How long a task takes that was asked for with "slow", and any other that completes:
// long enough to be subscribed to and cancelled.
const (
	slow  = 2 * time.Second
	usual = 400 * time.Millisecond
)

// A2A serves an agent of A2A 1.0 over JSON-RPC and HTTP+JSON; base is the URL that
// it is reached at.
func A2A(base string) http.Handler {
	handler := a2asrv.NewHandler(executor{}, a2asrv.WithLogger(slog.New(slog.DiscardHandler)),
		a2asrv.WithCapabilityChecks(&a2a.AgentCapabilities{Streaming: true}))
	card := &a2a.AgentCard{
		Name: "Go A2A peer", Description: "Answers anything.", Version: "1.0.0",
		SupportedInterfaces: []*a2a.AgentInterface{
			a2a.NewAgentInterface(base+"/rpc", a2a.TransportProtocolJSONRPC),
			a2a.NewAgentInterface(base+"/rest", a2a.TransportProtocolHTTPJSON),
		},
		Capabilities:      a2a.AgentCapabilities{Streaming: true},
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.AgentSkill{{ID: "echo", Name: "Echo", Description: "Says it back.", Tags: []string{"echo"}}},
	}
	mux := http.NewServeMux()
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(card))
	mux.Handle("/rpc", a2asrv.NewJSONRPCHandler(handler))
	mux.Handle("/rest/", http.StripPrefix("/rest", a2asrv.NewRESTHandler(handler)))
	return mux
}

type executor struct{}

// Execute implements a2asrv.AgentExecutor: the first word says what to do.
func (executor) Execute(ctx context.Context, info *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		word, _, _ := strings.Cut(words(info.Message), " ")
		if word == "message" {
			yield(a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart("You said: "+words(info.Message))), nil)
			return
		}
		if info.StoredTask == nil && !yield(a2a.NewSubmittedTask(info, info.Message), nil) {
			return
		}
		for _, event := range script(ctx, info, word) {
			if !yield(event, nil) {
				return
			}
		}
	}
}

// script is what follows the task.
func script(ctx context.Context, info *a2asrv.ExecutorContext, word string) []a2a.Event {
	update := func(state a2a.TaskState) a2a.Event { return a2a.NewStatusUpdateEvent(info, state, nil) }
	switch word {
	case "input":
		return []a2a.Event{update(a2a.TaskStateWorking), update(a2a.TaskStateInputRequired)}
	case "fail":
		return []a2a.Event{update(a2a.TaskStateWorking), update(a2a.TaskStateFailed)}
	case "reject":
		return []a2a.Event{update(a2a.TaskStateRejected)}
	}
	if !lasted(ctx, length(word)) {
		return nil
	}
	answer := a2a.NewArtifactEvent(info, a2a.NewTextPart("You said: "+words(info.Message)))
	return []a2a.Event{update(a2a.TaskStateWorking), answer, update(a2a.TaskStateCompleted)}
}

// length is how long a task takes that completes.
func length(word string) time.Duration {
	if word == "slow" {
		return slow
	}
	return usual
}

// lasted waits d, and tells whether nothing came between.
func lasted(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// Cancel implements a2asrv.AgentExecutor.
func (executor) Cancel(_ context.Context, info *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(info, a2a.TaskStateCanceled, nil), nil)
	}
}

func words(m *a2a.Message) string {
	var b strings.Builder
	for _, p := range m.Parts {
		b.WriteString(p.Text())
	}
	return b.String()
}
