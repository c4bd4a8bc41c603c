package agent

import (
	"strings"

	"github.com/peerwright/peerwright/internal/errclass"
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
	// Detail is the error that Send returned with the addresses that are in it, and
	// without secrets: for the operator's log. It is "" without one.
	Detail string
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
func (o Outcome) StatusText() string {
	var text strings.Builder
	for _, p := range o.Status {
		text.WriteString(p.Text)
	}
	return text.String()
}

// Failure returns what to tell of a task that ended as failed, rejected or canceled, or
// as unknown with nothing said, and false for any other. The message is the agent's own
// where it gave one.
func (o Outcome) Failure() (errclass.Error, bool) {
	class, outcome := errclass.Transient, errclass.Failed
	switch o.State {
	case Failed:
	case Rejected: // the agent has decided not to do it
		class, outcome = errclass.InvalidArgs, errclass.NotRun
	case Canceled:
		class = errclass.Conflict
	case Unknown:
		if len(o.Answer) > 0 {
			return errclass.Error{}, false
		}
		outcome = errclass.Unknown
	default:
		return errclass.Error{}, false
	}
	text := strings.TrimSpace(o.StatusText())
	if text == "" {
		text = "the task ended as " + string(o.State) + ", and the agent did not say why"
	}
	return errclass.New(class, errclass.Upstream, outcome, text, errclass.Call{}), true
}

func (m *model) outcome() Outcome {
	o := Outcome{
		ContextID: m.contextID, TaskID: m.taskID, State: m.state, Answer: m.answer(), Warnings: m.warnings,
	}
	if m.status != nil {
		o.Status = content(nil).with(m.status.parts).parts()
	}
	return o
}
