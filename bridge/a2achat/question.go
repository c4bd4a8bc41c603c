package a2achat

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/peerwright/peerwright/bridge/a2achat/agent"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/errclass"
)

// question is what the user says in a turn: the newest message of the user, and nothing
// of what stands before it. The agent keeps its own transcript.
type question struct {
	parts    []agent.Part
	warnings []string // what of the request is not sent, though nobody asked for it to be left out
}

// ask takes the question from the messages. Texts that stand side by side are one part,
// joined with nothing; everything else keeps its place among them. An older message is
// never taken in the place of the newest.
func ask(messages []openai.Message) (question, error) {
	at := newest(messages)
	if at < 0 {
		return question{}, wrong("messages", "There is no message of the user. Send one with the role user.")
	}
	var q question
	for i, part := range messages[at].Content {
		p, err := read(part)
		if err != nil {
			return q, wrong(fmt.Sprintf("messages[%d].content[%d]", at, i), "%s", err)
		}
		q.add(p)
	}
	if len(q.parts) == 0 {
		return q, wrong(fmt.Sprintf("messages[%d].content", at), "The newest message of the user is empty. Send its text, an image or a file.")
	}
	for _, m := range messages {
		if m.Role == "system" || m.Role == "developer" {
			q.warnings = []string{"The system message was not sent: an agent has instructions of its own."}
		}
	}
	return q, nil
}

// background refuses what no user asks.
func (a *endpoint) background(h http.Header) error {
	if a.config.TaskHeader == "" {
		return nil
	}
	name := strings.TrimSpace(h.Get(a.config.TaskHeader))
	if name == "" || isPlaceholder(name) {
		return nil
	}
	e := errclass.New(errclass.InvalidArgs, errclass.Bridge, errclass.NotRun,
		"This is a background task of the client ("+name+"), and was not sent to the agent. Choose another model for such tasks.", errclass.Call{})
	return openai.Failure{Cause: e, Param: a.config.TaskHeader}
}

// newest returns the index of the newest message of the user, -1 without one.
func newest(messages []openai.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == "user" {
			return i
		}
	}
	return -1
}

// add appends a part. A text that is empty says nothing.
func (q *question) add(p agent.Part) {
	last := len(q.parts) - 1
	switch {
	case p.File == nil && p.Text == "":
	case p.File == nil && last >= 0 && q.parts[last].File == nil:
		q.parts[last].Text += p.Text
	default:
		q.parts = append(q.parts, p)
	}
}

// files tells whether there is more than text in the question.
func (q question) files() bool {
	for _, p := range q.parts {
		if p.File != nil {
			return true
		}
	}
	return false
}

// taken tells what of the question the agent does not take. Nothing is left out in
// silence: an answer to half a question looks like one to the whole.
func (q question) taken(card agent.Card) error {
	var refused []string
	for _, p := range q.parts {
		if p.File != nil && !takes(card, *p.File) {
			refused = append(refused, describe(*p.File))
		}
	}
	if refused == nil {
		return nil
	}
	accepts := "text only"
	if len(card.InputModes) > 0 {
		accepts = strings.Join(card.InputModes, ", ")
	}
	message := fmt.Sprintf("The agent does not take %s, so nothing was sent. It takes %s. Send the message without it.",
		strings.Join(refused, ", "), accepts)
	e := errclass.New(errclass.InvalidArgs, errclass.Bridge, errclass.NotRun, message, errclass.Call{})
	return openai.Failure{Cause: e, Param: "messages"}
}

// takes tells whether the agent takes the file. One by its address, whose type nobody
// says, is taken where anything of its family is.
func takes(card agent.Card, f agent.File) bool {
	if f.MediaType != "" {
		return card.Takes(f.MediaType)
	}
	for _, mode := range card.InputModes {
		if !strings.HasPrefix(mode, "text") {
			return true
		}
	}
	return false
}

// describe names a file as its sender knows it.
func describe(f agent.File) string {
	kind := f.MediaType
	if kind == "" {
		kind = "a file"
	}
	if f.Name == "" {
		return kind
	}
	return fmt.Sprintf("%s (%s)", kind, f.Name)
}

// wrong is a request that is wrong in itself, and was not sent.
func wrong(param, format string, args ...any) error {
	e := errclass.New(errclass.InvalidArgs, errclass.Bridge, errclass.NotRun, fmt.Sprintf(format, args...), errclass.Call{})
	return openai.Failure{Cause: e, Status: http.StatusBadRequest, Param: param}
}
