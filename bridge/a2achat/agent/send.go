package agent

import (
	"context"
	"errors"
	"net/http"
)

// Send sends a message, and tells what the agent says until its turn is over: the task
// is final or waits for the user. It returns how that ended, which may be a failure of
// the task: see Outcome.Failure.
//
// The updates are told in order by the calling goroutine. An error of on ends the turn
// and is returned. Any other error is an errclass.Error, its message free of secrets:
// the agent refused the call, could not be reached, or broke off; then the updates told
// so far are not the whole answer. The end of the context ends the turn, and leaves the
// task to go on: see Cancel.
func (a *Agent) Send(ctx context.Context, m Message, on func(Update) error) (Outcome, error) {
	return Outcome{}, errors.ErrUnsupported
}

// Cancel asks the agent to cancel a task. The error is an errclass.Error; of a task
// that is not known or has ended its class is not_found or conflict. The header is that
// of Message.
func (a *Agent) Cancel(ctx context.Context, taskID string, header http.Header) error {
	return errors.ErrUnsupported
}
