package a2achat

import (
	"context"
	"sync"

	"github.com/peerwright/peerwright/bridge/a2achat/agent"
)

// Status is what is known of an agent.
type Status struct {
	ID string `json:"id"`
	// The rest but Reachable and Reason is from the card, and empty while it is not known.
	Name            string `json:"name,omitempty"`
	Version         string `json:"version,omitempty"` // the agent's own
	Binding         string `json:"binding,omitempty"` // JSONRPC or HTTP+JSON
	ProtocolVersion string `json:"protocol_version,omitempty"`
	Streaming       bool   `json:"streaming"` // what the agent is asked for, as it is configured too
	Reachable       bool   `json:"reachable"` // its card was found, or it is known to have none
	Reason          string `json:"reason,omitempty"`
}

// Known returns what is known of the agents, sorted by id, without asking them.
func (b *Backend) Known() []Status {
	all := make([]Status, 0, len(b.agents))
	for _, a := range b.agents {
		card, ok := a.agent.Known()
		s := a.status(card, ok)
		if !ok {
			s.Reason = "its card was not fetched yet"
		}
		all = append(all, s)
	}
	return all
}

// Ready asks every agent for its card, all at once, and returns what is known then, sorted
// by id. An agent that has none, and whose endpoint was configured, is taken to be there.
func (b *Backend) Ready(ctx context.Context) []Status {
	return b.survey(ctx, (*agent.Agent).Check)
}

// survey asks all agents at once.
func (b *Backend) survey(ctx context.Context, ask func(*agent.Agent, context.Context) (agent.Card, error)) []Status {
	all := make([]Status, len(b.agents))
	var asked sync.WaitGroup
	for i, a := range b.agents {
		asked.Go(func() {
			card, err := ask(a.agent, ctx)
			all[i] = a.status(card, err == nil)
			if err != nil {
				all[i].Reason = err.Error()
			}
		})
	}
	asked.Wait()
	return all
}

// Start fetches the cards of the agents, and logs what it finds. An agent that cannot
// be reached is asked again when somebody wants it.
func (b *Backend) Start(ctx context.Context) {
	for _, s := range b.survey(ctx, (*agent.Agent).Card) { // which is kept
		if !s.Reachable {
			b.log.Warn("the agent cannot be reached yet", "agent", s.ID, "reason", s.Reason)
			continue
		}
		b.log.Info("agent", "agent", s.ID, "name", s.Name, "version", s.Version, "binding", s.Binding,
			"protocol_version", s.ProtocolVersion, "streaming", s.Streaming)
	}
}

func (a *endpoint) status(card agent.Card, ok bool) Status {
	return Status{
		ID: a.config.ID, Name: card.Name, Version: card.Version, Binding: card.Interface.Binding,
		ProtocolVersion: card.Interface.Version, Streaming: card.Streaming && a.config.StreamMode != Blocking,
		Reachable: ok,
	}
}
