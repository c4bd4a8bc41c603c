package bridge

import (
	"context"
	"strings"
	"time"
)

// kindOf returns the kind of a store from its name: what stands before the place.
func kindOf(name string) string {
	kind, _, _ := strings.Cut(name, ":")
	kind, _, _ = strings.Cut(kind, " ")
	return kind
}

// keepHouse forgets conversations that nobody goes on with, a few times in the time that
// they are kept, until the context or the bridge ends.
func (b *Bridge) keepHouse(ctx context.Context) {
	if b.config.Retention <= 0 {
		return
	}
	tick := time.NewTicker(max(b.config.Retention/24, time.Minute))
	defer tick.Stop()
	for {
		b.forget(ctx)
		select {
		case <-tick.C:
		case <-b.done:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (b *Bridge) forget(ctx context.Context) {
	n, err := b.store.Prune(ctx, b.env.Now().Add(-b.config.Retention))
	switch {
	case err != nil && ctx.Err() == nil:
		b.env.Log.Warn("forgetting old conversations", "error", err)
	case n > 0:
		b.env.Log.Info("forgot old conversations and turns", "count", n)
	}
}
