package a2achat

import (
	"strings"

	"github.com/peerwright/peerwright/bridge/a2achat/agent"
	"github.com/peerwright/peerwright/bridge/openai"
)

// voice writes what an agent says, in its own words: its text byte for byte, with the
// configured text between artifacts, and the notes before it where they are wanted.
type voice struct {
	config AgentConfig
	reply  *openai.Reply
	live   bool                    // what is said is written as it comes
	say    func(text string) error // writes

	noted bool // a note was written
	spoke bool // something of the answer was written
	fresh bool // what comes next is of another artifact than what was written
	block bool // what was written last is a paragraph of its own

	notes    []string // that were not written
	warnings []string
}

// newVoice returns a voice. One that is not live says nothing until its end, where the
// whole answer is known.
func newVoice(c AgentConfig, live bool, reply *openai.Reply) *voice {
	return &voice{config: c, reply: reply, live: live, say: reply.Text}
}

// update writes what there is to write of an update.
func (v *voice) update(u agent.Update) error {
	switch u.Kind {
	case agent.Note:
		return v.note(u.Text)
	case agent.Replaced:
		if v.live && v.spoke {
			v.warnings = append(v.warnings, "The agent replaced a part of its answer that was shown already; the new one follows it.")
		}
	case agent.Text, agent.Data, agent.Attachment:
		if v.live {
			return v.part(u.New, u.Part)
		}
	case agent.Begun:
	}
	return nil
}

// mostNotes bounds the notes that are told beside the answer.
const mostNotes = 1000

// note writes a note before the answer. One that comes later has no place in it, and is
// told beside it.
func (v *voice) note(text string) error {
	text = strings.TrimSpace(text)
	switch {
	case text == "" || !or(v.config.ShowProgress, true):
		return nil
	case v.live && !v.spoke:
		v.noted = true
		return v.say(or(v.config.ProgressPrefix, DefaultProgressWrap) + text + or(v.config.ProgressSuffix, DefaultProgressWrap) + "\n")
	case len(v.notes) < mostNotes:
		v.notes = append(v.notes, text)
	}
	return nil
}

// part writes a part of the answer, the first of an artifact or a message where fresh
// is true. What says nothing is not written, and nothing is put before it.
func (v *voice) part(fresh bool, p agent.Part) error {
	v.fresh = v.fresh || fresh
	text, block := render(p)
	if text == "" {
		return nil
	}
	text = v.lead(block) + text
	v.spoke, v.fresh, v.block = true, false, block
	return v.say(text)
}

// lead returns what stands before the next piece.
func (v *voice) lead(block bool) string {
	lead := ""
	switch {
	case !v.spoke && v.noted:
		return "\n"
	case !v.spoke:
		return ""
	case v.fresh:
		lead = or(v.config.ArtifactJoin, DefaultArtifactJoin)
	}
	if (block || v.block) && !strings.HasSuffix(lead, "\n") {
		lead += "\n\n"
	}
	return lead
}

// whole writes an answer that was not written as it came.
func (v *voice) whole(answer []agent.Block) error {
	for _, b := range answer {
		for i, p := range b.Parts {
			if err := v.part(i == 0, p); err != nil {
				return err
			}
		}
	}
	return nil
}
