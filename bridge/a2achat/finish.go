package a2achat

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/peerwright/peerwright/bridge/a2achat/agent"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/wire"
)

// about is what an answer says beside its text, as the member peerwright.
type about struct {
	Agent    string   `json:"agent"`
	TaskID   string   `json:"task_id,omitempty"`
	State    string   `json:"state,omitempty"`
	Notes    []string `json:"notes,omitempty"`    // working notes that are not in the text
	Warnings []string `json:"warnings,omitempty"` // what is not quite as it seems
	// Error is a failure that the text tells of. It stands in here since a member error
	// at the top makes clients throw away the answer: the official ones do in a stream.
	Error json.RawMessage `json:"error,omitempty"`
}

// finish ends the answer: with what was not written yet, and with how it failed.
func (v *voice) finish(e end, now time.Time) error {
	said := &strings.Builder{}
	if !v.live {
		v.say = func(text string) error { said.WriteString(text); return nil }
		if err := v.whole(e.outcome.Answer); err != nil {
			return err
		}
	}
	about := v.about(e.outcome)
	failed, err := failure(v.config.ID, e, v.spoke, now)
	switch {
	case err != nil:
		return err
	case failed == nil:
	case v.config.OnError == HTTPError:
		v.reply.Extra("peerwright", about)
		return after(said.String(), failed)
	default:
		about.Error = wire.Get(openai.Envelope(*failed), "error")
		if err := v.apologize(failed); err != nil {
			return err
		}
	}
	v.reply.Extra("peerwright", about)
	if err := v.reply.Text(said.String()); err != nil {
		return err
	}
	return v.reply.Finish(openai.FinishStop, openai.Usage{})
}

// apologize tells of a failure in the chat, below what was said.
func (v *voice) apologize(f *openai.Failure) error {
	lead := ""
	if v.spoke || v.noted {
		lead = "\n\n"
	}
	return v.say(lead + f.Cause.Message)
}

func (v *voice) about(o agent.Outcome) about {
	a := about{Agent: v.config.ID, TaskID: o.TaskID, State: string(o.State), Notes: v.notes, Warnings: append(v.warnings, o.Warnings...)}
	if o.State == agent.Completed && len(o.Answer) == 0 {
		a.Warnings = append(a.Warnings, "The agent completed its task without saying anything.")
	}
	return a
}
