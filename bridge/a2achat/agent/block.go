package agent

import "slices"

// block is one artifact or message: what it holds, and how much of that was told.
type block struct {
	source   Source
	id, name string
	have     content
	told     mark // how much of have was told
	base     mark // how much of have was told in an earlier turn
	// ahead is what was told, while have is a beginning of it: the agent has begun the
	// artifact again, and will come to the same place or not. It is nil otherwise.
	ahead content
	shown bool // some of it was told in this turn
	more  bool // the agent said that its last piece was not the last one
}

// replace puts something else in place of the content. What is empty replaces nothing:
// so some agents say that an artifact is complete.
func (b *block) replace(c content) {
	if len(c) == 0 {
		return
	}
	if b.ahead == nil {
		b.ahead = b.have.until(b.told)
	}
	b.have, b.told = c, mark{}
}

// settle finds out what of have is to be told, and tells whether what was told before
// does not stand any more. At the end it need not wait for more.
func (b *block) settle(end bool) (ready, replaced bool) {
	if b.ahead == nil {
		return true, false
	}
	switch was := b.have.relationTo(b.ahead); {
	case was == grown:
		b.told, b.ahead = b.ahead.end(), nil
		return true, false
	case was == behind && !end:
		return false, false
	}
	b.base, b.ahead = mark{}, nil
	return true, b.shown
}

// of returns the block of an artifact.
func (m *model) of(id string) *block {
	for _, b := range m.blocks {
		if b.source == FromArtifact && b.id == id {
			return b
		}
	}
	b := &block{source: FromArtifact, id: id}
	m.blocks = append(m.blocks, b)
	return b
}

// take takes in an artifact event: it creates or replaces the artifact, or appends to
// it (1.0 section 4.2.2, 0.3 section 7.2.3).
func (m *model) take(c chunk) {
	m.news++
	b := m.of(c.id)
	b.rename(c.name)
	parts := content(nil).with(c.parts)
	switch {
	case c.append, len(b.have) == 0:
		b.have = b.have.with(c.parts)
	case parts.relationTo(b.have) == grown:
		b.have = parts
	default:
		b.replace(parts)
	}
	b.more = c.more
}

func (b *block) rename(name string) {
	if name != "" {
		b.name = name
	}
}

// merge takes in the artifacts of a task. A task that is a moment old may have less of
// an artifact than has come, unless it is the truth.
func (m *model) merge(artifacts []chunk, truth bool) {
	for _, c := range artifacts {
		b := m.of(c.id)
		b.rename(c.name)
		parts := content(nil).with(c.parts)
		switch was := parts.relationTo(b.have); {
		case len(parts) == 0, was == behind && !truth:
			continue
		case was == grown && b.have.relationTo(parts) == grown: // the same
			continue
		case was == grown:
			b.have = parts
		default:
			b.replace(parts)
		}
		m.news++
	}
	m.order(artifacts)
}

// order puts the blocks in the order of the task, if that knows them all.
func (m *model) order(artifacts []chunk) {
	var sorted, rest []*block
	for _, c := range artifacts {
		if b := m.of(c.id); !slices.Contains(sorted, b) {
			sorted = append(sorted, b)
		}
	}
	for _, b := range m.blocks {
		switch {
		case slices.Contains(sorted, b):
		case b.source == FromArtifact:
			return
		default:
			rest = append(rest, b)
		}
	}
	m.blocks = slices.Concat(sorted, rest)
}

// tellAll tells what is new in each block, in their order. While one goes on by the
// agent's own word, what stands in others waits, so that no text is torn apart.
func (m *model) tellAll(end bool) error {
	if m.open != nil {
		if err := m.tellBlock(m.open, end); err != nil {
			return err
		}
		if end || !m.open.more {
			m.open = nil
		}
	}
	for _, b := range m.blocks {
		if m.open != nil {
			return nil
		}
		if err := m.tellBlock(b, end); err != nil {
			return err
		}
		if b.more && !end {
			m.open = b
		}
	}
	return nil
}

func (m *model) tellBlock(b *block, end bool) error {
	ready, replaced := b.settle(end)
	if !ready {
		return nil
	}
	if replaced {
		m.last = nil
		if err := m.tell(m.updateOf(b, Replaced, Part{})); err != nil {
			return err
		}
	}
	upto := b.have.end()
	rest := b.have.until(upto).since(b.told)
	if end {
		rest, upto = b.have.since(b.told), mark{pieces: len(b.have)}
	}
	b.told = upto
	for _, p := range rest {
		u := m.updateOf(b, Text, p.part())
		u.Kind = p.kind()
		m.last, b.shown = b, true
		if err := m.tell(u); err != nil {
			return err
		}
	}
	return nil
}

func (m *model) updateOf(b *block, kind Kind, part Part) Update {
	u := m.update(kind, b.source, part)
	u.ArtifactID, u.ArtifactName, u.New = b.id, b.name, m.last != b
	return u
}

func (p piece) kind() Kind {
	switch {
	case p.isText():
		return Text
	case p.file != nil:
		return Attachment
	}
	return Data
}
