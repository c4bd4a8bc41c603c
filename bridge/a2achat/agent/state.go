package agent

import "strings"

// State is the state of a task, spelled as in 0.2 and 0.3 whatever the version.
//
// https://a2a-protocol.org/v1.0.0/specification/#413-taskstate
type State string

// The states. Completed, Failed, Rejected and Canceled are final. InputRequired and
// AuthRequired wait for the user. Answered is that of a message without a task.
const (
	Submitted     State = "submitted"
	Working       State = "working"
	InputRequired State = "input-required"
	AuthRequired  State = "auth-required"
	Completed     State = "completed"
	Failed        State = "failed"
	Rejected      State = "rejected"
	Canceled      State = "canceled"
	Unknown       State = "unknown" // also of what is no state of any version
	Answered      State = "answered"
)

// stateOf reads a state in the spelling of any version.
func stateOf(text string) State {
	text = strings.ToLower(strings.TrimPrefix(text, "TASK_STATE_"))
	switch s := State(strings.ReplaceAll(text, "_", "-")); s {
	case Submitted, Working, InputRequired, AuthRequired, Completed, Failed, Rejected, Canceled:
		return s
	case "cancelled": // so 0.3 over HTTP+JSON
		return Canceled
	}
	return Unknown
}

// over tells whether the turn is the user's: nothing more comes of the agent by itself.
func (s State) over() bool { return s != "" && s != Submitted && s != Working }

// failed tells whether a task in this state has not done what it was asked.
func (s State) failed() bool { return s == Failed || s == Rejected || s == Canceled }
