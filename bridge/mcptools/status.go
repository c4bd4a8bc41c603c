package mcptools

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
)

// Capability is what GET /capabilities tells of one server.
type Capability struct {
	ID           string          `json:"id"`
	Transport    string          `json:"transport"`
	Revision     string          `json:"revision,omitempty"` // "" before the first conversation
	Server       serverName      `json:"server"`
	Capabilities json.RawMessage `json:"capabilities"`
}

type serverName struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Capabilities tells what is known of each server, from its last handshake.
func (b *Backend) Capabilities() []Capability {
	list := make([]Capability, len(b.o.Upstreams))
	for i, u := range b.o.Upstreams {
		s := u.State()
		if s.Capabilities == nil {
			s.Capabilities = json.RawMessage(`{}`)
		}
		list[i] = Capability{u.ID(), s.Transport, s.Revision, serverName{s.Server.Name, s.Server.Version}, s.Capabilities}
	}
	return list
}

// Ready asks every server for a sign of life, at once, and returns why each gave none; nil
// for one that did.
func (b *Backend) Ready(ctx context.Context) map[string]error {
	ready := map[string]error{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, u := range b.o.Upstreams {
		all.Go(func() {
			err := u.Ready(ctx)
			mu.Lock()
			defer mu.Unlock()
			ready[u.ID()] = err
		})
	}
	all.Wait()
	return ready
}

// Close ends every server, once its calls are through or the context ends.
func (b *Backend) Close(ctx context.Context) error {
	failed := make([]error, len(b.o.Upstreams))
	var all sync.WaitGroup
	for i, u := range b.o.Upstreams {
		all.Go(func() { failed[i] = u.Close(ctx) })
	}
	all.Wait()
	b.checks.Wait()
	return errors.Join(failed...)
}
