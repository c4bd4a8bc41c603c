package a2achat

import (
	"context"
	"sync"

	"github.com/peerwright/peerwright/internal/store"
)

// gates let one turn of a conversation through at a time. The zero value is ready.
type gates struct {
	mu  sync.Mutex
	all map[store.SessionKey]*gate
}

type gate struct {
	inside chan struct{} // has room for one
	users  int           // who is inside or waits; the last one takes the gate away
}

// enter waits until nobody is inside. The returned function leaves; it is called once.
// The error is the cause of the end of the context.
func (g *gates) enter(ctx context.Context, key store.SessionKey) (leave func(), err error) {
	at := g.join(key)
	select {
	case at.inside <- struct{}{}:
		return func() {
			<-at.inside
			g.part(key, at)
		}, nil
	case <-ctx.Done():
		g.part(key, at)
		return nil, context.Cause(ctx)
	}
}

func (g *gates) join(key store.SessionKey) *gate {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.all == nil {
		g.all = map[store.SessionKey]*gate{}
	}
	at, ok := g.all[key]
	if !ok {
		at = &gate{inside: make(chan struct{}, 1)}
		g.all[key] = at
	}
	at.users++
	return at
}

func (g *gates) part(key store.SessionKey, at *gate) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if at.users--; at.users == 0 {
		delete(g.all, key)
	}
}
