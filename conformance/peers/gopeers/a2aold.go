package gopeers

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2asrv"
	"github.com/a2aproject/a2a-go/a2asrv/eventqueue"
)

// A2AOld serves an agent of A2A 0.3 over JSON-RPC; base is the URL that it is
// reached at.
func A2AOld(base string) http.Handler {
	handler := a2asrv.NewHandler(oldExecutor{}, a2asrv.WithLogger(slog.New(slog.DiscardHandler)))
	card := &a2a.AgentCard{
		Name: "Go A2A 0.3 peer", Description: "Answers anything.", Version: "1.0.0", ProtocolVersion: "0.3.0",
		URL: base + "/rpc", PreferredTransport: a2a.TransportProtocolJSONRPC,
		Capabilities:      a2a.AgentCapabilities{Streaming: true},
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.AgentSkill{{ID: "echo", Name: "Echo", Description: "Says it back.", Tags: []string{"echo"}}},
	}
	mux := http.NewServeMux()
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(card))
	mux.Handle("/rpc", a2asrv.NewJSONRPCHandler(handler))
	return mux
}

type oldExecutor struct{}

// Execute implements a2asrv.AgentExecutor: the first word says what to do.
func (oldExecutor) Execute(ctx context.Context, info *a2asrv.RequestContext, queue eventqueue.Queue) error {
	word, _, _ := strings.Cut(oldWords(info.Message), " ")
	if word == "message" {
		return write(ctx, queue, a2a.NewMessage(a2a.MessageRoleAgent, a2a.TextPart{Text: "You said: " + oldWords(info.Message)}))
	}
	update := func(state a2a.TaskState) a2a.Event {
		event := a2a.NewStatusUpdateEvent(info, state, nil)
		event.Final = state.Terminal() || state == a2a.TaskStateInputRequired
		return event
	}
	var events []a2a.Event
	if info.StoredTask == nil {
		events = append(events, a2a.NewSubmittedTask(info, info.Message))
	}
	switch word {
	case "input":
		events = append(events, update(a2a.TaskStateWorking), update(a2a.TaskStateInputRequired))
	case "fail":
		events = append(events, update(a2a.TaskStateWorking), update(a2a.TaskStateFailed))
	case "reject":
		events = append(events, update(a2a.TaskStateRejected))
	default:
		events = append(events, update(a2a.TaskStateWorking))
		if err := write(ctx, queue, events...); err != nil {
			return err
		}
		if !lasted(ctx, length(word)) {
			return nil
		}
		events = []a2a.Event{a2a.NewArtifactEvent(info, a2a.TextPart{Text: "You said: " + oldWords(info.Message)}), update(a2a.TaskStateCompleted)}
	}
	return write(ctx, queue, events...)
}

// Cancel implements a2asrv.AgentExecutor.
func (oldExecutor) Cancel(ctx context.Context, info *a2asrv.RequestContext, queue eventqueue.Queue) error {
	event := a2a.NewStatusUpdateEvent(info, a2a.TaskStateCanceled, nil)
	event.Final = true
	return write(ctx, queue, event)
}

func write(ctx context.Context, queue eventqueue.Queue, events ...a2a.Event) error {
	for _, event := range events {
		if err := queue.Write(ctx, event); err != nil {
			return fmt.Errorf("writing an event: %w", err)
		}
	}
	return nil
}

func oldWords(m *a2a.Message) string {
	var b strings.Builder
	for _, p := range m.Parts {
		switch part := p.(type) {
		case a2a.TextPart:
			b.WriteString(part.Text)
		case *a2a.TextPart:
			b.WriteString(part.Text)
		}
	}
	return b.String()
}
