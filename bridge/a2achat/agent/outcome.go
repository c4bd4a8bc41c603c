package agent

import (
	"time"

	"github.com/peerwright/peerwright/internal/errclass"
)

// State is the state of a task, spelled as in 0.2 and 0.3 whatever the version.
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

// Outcome is how a turn ended. Beside an error it holds what was known by then.
type Outcome struct {
	ContextID string // "" when the agent gave none
	TaskID    string // "" for a message without a task
	State     State  // "" when nothing came
	// Answer is the whole of the answer as it stands at the end: artifacts in the order
	// in which the task has them, a message, the message of a status that is part of the
	// answer. Whoever shows nothing before the end takes this in place of the updates.
	Answer []Block
	// Status is the message of the last status. It is told in updates, and stands in
	// Answer, where the task has not failed and nothing else says the same. Of a task
	// that has failed it is the reason.
	Status   []Part
	Warnings []string // what was wrong with the agent's answer and did no harm
}

// Block is one artifact or message of an answer. Texts that stand side by side are one
// part.
type Block struct {
	Source       Source
	ArtifactID   string
	ArtifactName string
	Parts        []Part
}

// StatusText returns the text of Status.
func (o Outcome) StatusText() string { return "" }

// Failure returns what to tell of a task that ended as failed, rejected or canceled, or
// as unknown with nothing said, and false for any other. The message is the agent's own
// where it gave one.
func (o Outcome) Failure(now time.Time) (errclass.Error, bool) { return errclass.Error{}, false }
