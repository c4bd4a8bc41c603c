package a2achat

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/peerwright/peerwright/bridge/a2achat/agent"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/errclass"
)

// failure tells what failed in a turn, with a message for the one who asked; nil for
// nothing. Spoke says that something of an answer was written. The error is one that
// only the log is told of.
func failure(id string, e end, spoke bool, now time.Time) (*openai.Failure, error) {
	if e.err == nil {
		known, failed := e.outcome.Failure()
		if !failed {
			return nil, nil
		}
		return told(known, ended(id, e.outcome.State, known.Message)), nil
	}
	known, ok := errors.AsType[errclass.Error](e.err)
	if !ok {
		return nil, e.err
	}
	known.Message = strings.TrimPrefix(known.Message, "agent "+id+": ")
	return told(known, sentence(id, known, spoke, now)), nil
}

func told(e errclass.Error, message string) *openai.Failure {
	e.Message = message
	f := &openai.Failure{Cause: e, Status: status(e)}
	if e.Class == errclass.Auth {
		f.Code = "upstream_auth" // the class's own code accuses the key of the client
	}
	return f
}

// after adds what the agent had said before it failed, which would be lost in an answer
// that holds nothing but the failure.
func after(said string, f *openai.Failure) error {
	if said != "" {
		f.Cause.Message += "\n\nBefore that it said:\n\n" + said
	}
	return *f
}

// ended tells of a task that has not done what it was asked. The words are the agent's.
func ended(id string, state agent.State, words string) string {
	if state == agent.Canceled {
		return fmt.Sprintf("The agent %s canceled the task (%s).", id, words)
	}
	return fmt.Sprintf("The agent %s could not answer (%s).", id, words)
}

// sentence tells of a call that failed. It names the cause and the way out, and no
// address but the one to which a redirect leads.
func sentence(id string, e errclass.Error, spoke bool, now time.Time) string {
	code := e.Context.UpstreamCode
	switch {
	case e.Class == errclass.RateLimit:
		return fmt.Sprintf("The agent %s is rate limiting requests. %s", id, again(e, now))
	case code == http.StatusRequestEntityTooLarge:
		return fmt.Sprintf("This message is too large for the agent %s. Send a shorter one.", id)
	case redirects(e):
		return fmt.Sprintf("The agent %s is not configured rightly: %s.", id, e.Message)
	case e.Class == errclass.Auth, e.Class == errclass.Permission:
		return fmt.Sprintf("The agent %s refused the credentials of the call (%s).", id, e.Message)
	case spoke:
		return fmt.Sprintf("The agent %s stopped mid-answer (%s).", id, e.Message)
	case e.Context.Source == errclass.Transport && e.Context.Outcome == errclass.NotRun:
		return fmt.Sprintf("The agent %s is unreachable. Try again later.", id)
	case e.Class == errclass.Timeout:
		return fmt.Sprintf("The agent %s did not answer in time (%s).", id, e.Message)
	case code >= http.StatusInternalServerError:
		return fmt.Sprintf("The agent %s is unavailable: it answered with HTTP status %d. Try again later.", id, code)
	}
	return fmt.Sprintf("The agent %s could not answer (%s).", id, e.Message)
}

// again tells when to try again.
func again(e errclass.Error, now time.Time) string {
	wait := e.SuggestedBackoff
	if !e.Context.ResetAt.IsZero() {
		wait = e.Context.ResetAt.Sub(now)
	}
	if wait <= 0 {
		return "Try again later."
	}
	return fmt.Sprintf("Try again in about %ds.", (wait+time.Second-1)/time.Second)
}

// redirects tells whether the agent answered with a redirect.
func redirects(e errclass.Error) bool { return e.Context.UpstreamCode/100 == 3 }

// status returns the HTTP status of a failure for a program: that of its class, but for
// those that would accuse the program of what is between the bridge and the agent.
func status(e errclass.Error) int {
	switch {
	case e.Context.UpstreamCode == http.StatusRequestEntityTooLarge:
		return http.StatusRequestEntityTooLarge
	case e.Class == errclass.Auth, e.Class == errclass.Permission, e.Class == errclass.Transient, redirects(e),
		e.Class == errclass.NotFound && e.Context.Source == errclass.Bridge:
		return http.StatusBadGateway
	}
	return errclass.HTTPStatus(e.Class)
}
