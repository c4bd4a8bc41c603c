package a2achat

import (
	"context"
)

// follow passes on what the agent says until the turn ends. The error says that the
// client is gone, for whom there is nothing more to do: the turn goes on without it. It
// cancels nothing, as no version of A2A takes a connection that ends for a wish to
// cancel: in 1.0 the life of a task is independent of that of any stream, and in 0.2 and
// 0.3 a connection that is gone can be taken up again by tasks/resubscribe.
//
// https://a2a-protocol.org/v1.0.0/specification/#352-streaming
// https://a2a-protocol.org/v0.3.0/specification/#79-tasksresubscribe
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
