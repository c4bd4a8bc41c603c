package agent

import (
	"slices"
	"strings"
)

// model is what is known of the turn: the task as its events make it, and how much of
// it was told.
type model struct {
	tell              func(Update) error
	contextID, taskID string
	begun             [2]string // the ids that were told
	state             State     // "" before anything came
	status            *said     // the message of the last status
	blocks            []*block  // in the order of the answer
	last              *block    // the one that was told of last
	open              *block    // the one that goes on by the agent's word; others wait
	heard             map[string]bool
	stale             string // the status that the task had before this turn, until an event has come
	came              bool   // something came in this turn
	isTask            bool
	news              int // counts what changed
	warnings          []string
}

func newModel(tell func(Update) error) *model {
	return &model{tell: tell, heard: map[string]bool{}}
}

// over tells whether the turn is the user's.
func (m *model) over() bool { return m.state.over() }

// warn notes what did no harm. There may be one for every event of a long stream.
func (m *model) warn(text string) {
	const most = 20
	if len(m.warnings) < most && !slices.Contains(m.warnings, text) {
		m.warnings = append(m.warnings, text)
	}
}

// apply takes in an event and tells what is new.
func (m *model) apply(e event) error {
	if err := m.name(e); err != nil {
		return err
	}
	return m.absorb(e)
}

func (m *model) absorb(e event) error {
	stale := m.stale
	m.stale, m.came = "", true
	if e.unread > 0 {
		m.warn("a part is of no kind that A2A knows; it is passed on as data")
	}
	switch {
	case e.task != nil:
		m.isTask = true
		m.merge(e.task.artifacts, false)
		if stale != "" && stale == e.task.status.raw {
			e.task.status = status{state: Working} // the agent has not come to this turn yet
		}
		return m.turn(e.task.status)
	case e.status != nil:
		m.isTask = true
		return m.turn(*e.status)
	case e.artifact != nil:
		m.isTask = true
		m.take(*e.artifact)
		return m.tellAll(false)
	}
	return m.hear(e.message)
}

// confirm takes in a task that is known to be the whole truth: what it does not say the
// same way does not stand.
func (m *model) confirm(e event) error {
	if e.task != nil {
		m.merge(e.task.artifacts, true)
	}
	return m.apply(e)
}

// name keeps the ids, and tells of new ones.
func (m *model) name(e event) error {
	if e.contextID != "" {
		m.contextID = e.contextID
	}
	if e.taskID != "" && (m.state == "" || e.task != nil) {
		m.taskID = e.taskID
	}
	ids := [2]string{m.contextID, m.taskID}
	if ids == m.begun {
		return nil
	}
	m.begun = ids
	return m.tell(Update{Kind: Begun, ContextID: m.contextID, TaskID: m.taskID})
}

// hear takes in a message in place of a task, or beside one.
func (m *model) hear(s *said) error {
	if !m.isTask {
		m.state = Answered
	}
	if m.heard[s.key] {
		return nil
	}
	m.heard[s.key] = true
	m.news++
	m.blocks = append(m.blocks, &block{source: FromMessage, have: content(nil).with(s.parts)})
	return m.tellAll(false)
}

// turn takes in a status. What an agent says while it works is a note; what it says
// last waits for the end, for an artifact may say the same.
func (m *model) turn(s status) error {
	if s.state != m.state {
		m.news++
	}
	if s.state.over() && s.message == nil && s.state == m.state {
		return m.tellAll(false) // a snapshot that leaves out what an event has said
	}
	m.state, m.status = s.state, s.message
	if err := m.tellAll(false); err != nil {
		return err
	}
	if s.state.over() || s.message == nil || m.heard[s.message.key] {
		return nil
	}
	m.heard[s.message.key] = true
	m.news++
	return m.note(s.message.parts)
}

func (m *model) note(parts content) error {
	var texts []string
	for _, p := range parts {
		if p.isText() {
			if text := plain(p.text); strings.TrimSpace(text) != "" {
				texts = append(texts, text)
			}
			continue
		}
		if err := m.tell(m.update(Note, FromStatus, p.part())); err != nil {
			return err
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return m.tell(m.update(Note, FromStatus, Part{Text: strings.Join(texts, " ")}))
}

func (m *model) update(kind Kind, source Source, part Part) Update {
	return Update{Kind: kind, Source: source, ContextID: m.contextID, TaskID: m.taskID, New: true, Part: part}
}

// remember takes in the task as the turns before have left it: all of it was told.
func (m *model) remember(e event) {
	if e.task == nil {
		return
	}
	m.taskID, m.stale = e.taskID, e.task.status.raw
	m.merge(e.task.artifacts, true)
	for _, b := range m.blocks {
		b.told = b.have.end()
		b.base = b.told
	}
	if s := e.task.status.message; s != nil {
		m.heard[s.key] = true
	}
}

// flush tells what was held back when the turn breaks off.
func (m *model) flush() error {
	for _, b := range m.blocks {
		if b.ahead != nil {
			continue
		}
		if err := m.tellBlock(b, true); err != nil {
			return err
		}
	}
	return nil
}

// finish tells what was held back.
func (m *model) finish() error {
	if m.status != nil && m.state.over() && !m.state.failed() && !m.repeats(m.status) {
		m.blocks = append(m.blocks, &block{source: FromStatus, have: content(nil).with(m.status.parts)})
	}
	return m.tellAll(true)
}

// repeats tells whether the answer says already what the message says.
func (m *model) repeats(s *said) bool {
	mine := content(nil).with(s.parts)
	if len(mine) == 0 || m.heard[s.key] && len(m.answer()) > 0 {
		return true
	}
	var texts []string
	var others content
	for _, b := range m.blocks {
		now := b.have.since(b.base)
		texts = append(texts, strings.TrimSpace(now.text()))
		others = append(others, now...)
	}
	for _, p := range mine {
		if !p.isText() && !slices.ContainsFunc(others, p.equals) {
			return false
		}
	}
	text := strings.TrimSpace(mine.text())
	return text == "" || slices.Contains(texts, text) ||
		text == strings.Join(texts, "") || text == strings.Join(texts, "\n") || text == strings.Join(texts, "\n\n")
}

// answer returns the answer as it stands.
func (m *model) answer() []Block {
	var answer []Block
	for _, b := range m.blocks {
		if parts := b.have.since(b.base).parts(); len(parts) > 0 {
			answer = append(answer, Block{Source: b.source, ArtifactID: b.id, ArtifactName: b.name, Parts: parts})
		}
	}
	return answer
}
