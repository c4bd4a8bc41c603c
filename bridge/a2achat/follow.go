package a2achat

import (
	"context"
)

// follow passes on what the agent says until the turn ends. The error says that the
// client is gone, for whom there is nothing more to do: the turn goes on without it. It
// cancels nothing, as no version of A2A takes a connection that ends for a wish to
// cancel; see agent.CancelOnDisconnect.
func (t *turn) follow(ctx context.Context, v *voice) (end, error) {
	for {
		select {
		case u := <-t.updates:
			if err := v.update(u); err != nil {
				close(t.gone)
				return end{}, err
			}
		case e := <-t.ended:
			return e, nil
		case <-ctx.Done():
			close(t.gone)
			return end{}, context.Cause(ctx)
		}
	}
}
