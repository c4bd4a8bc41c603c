package agent

import (
	"bytes"
	"encoding/json"
)

// content is what an artifact or a message holds. Texts that stand side by side are one
// piece: how an agent cuts them means nothing.
type content []piece

// piece is a file where file is set, else data where data is set, else text.
type piece struct {
	text []byte
	data json.RawMessage
	file *File
}

func (p piece) isText() bool { return p.data == nil && p.file == nil }

func (p piece) part() Part {
	if p.isText() {
		return Part{Text: plain(p.text)}
	}
	return Part{Data: p.data, File: p.file}
}

func (p piece) equals(q piece) bool {
	if (p.file == nil) != (q.file == nil) || p.file != nil && *p.file != *q.file {
		return false
	}
	return (p.data == nil) == (q.data == nil) && bytes.Equal(p.data, q.data) && bytes.Equal(p.text, q.text)
}

// with returns the content with more appended. It may share memory with both.
func (c content) with(more content) content {
	for _, p := range more {
		last := len(c) - 1
		switch {
		case p.isText() && len(p.text) == 0:
		case p.isText() && last >= 0 && c[last].isText():
			c[last].text = join(c[last].text, p.text)
		case p.isText():
			c = append(c, piece{text: join(nil, p.text)})
		default:
			c = append(c, p)
		}
	}
	return c
}

// text returns all the text of the content.
func (c content) text() string {
	var all []byte
	for _, p := range c {
		all = append(all, p.text...)
	}
	return plain(all)
}

func (c content) parts() []Part {
	var list []Part
	for _, p := range c {
		list = append(list, p.part())
	}
	return list
}

// mark is a place in a content: so many whole pieces, and so many bytes of the next.
type mark struct{ pieces, bytes int }

// end returns the place behind what can be told.
func (c content) end() mark {
	last := len(c) - 1
	if last < 0 || !c[last].isText() {
		return mark{pieces: len(c)}
	}
	return mark{last, ready(c[last].text)}
}

// since returns what stands behind the mark.
func (c content) since(m mark) content {
	if m.pieces >= len(c) {
		return nil
	}
	rest := append(content{}, c[m.pieces:]...)
	rest[0].text = rest[0].text[m.bytes:]
	if rest[0].isText() && len(rest[0].text) == 0 {
		return rest[1:]
	}
	return rest
}

// until returns what stands before the mark. Appending to it leaves c alone.
func (c content) until(m mark) content {
	head := append(content{}, c[:m.pieces]...)
	if m.bytes > 0 {
		text := c[m.pieces].text[:m.bytes:m.bytes]
		head = append(head, piece{text: text})
	}
	return head
}

// relation is how a content stands to an earlier one.
type relation int

const (
	grown  relation = iota // it begins with the earlier one
	behind                 // it is a beginning of the earlier one, and shorter
	other
)

func (c content) relationTo(earlier content) relation {
	for i, p := range c {
		if i == len(earlier) {
			return grown
		}
		switch was := earlier[i]; {
		case p.equals(was):
		case !p.isText() || !was.isText():
			return other
		case i == len(earlier)-1 && bytes.HasPrefix(p.text, was.text):
			return grown
		case i == len(c)-1 && bytes.HasPrefix(was.text, p.text):
			return behind
		default:
			return other
		}
	}
	if len(c) < len(earlier) {
		return behind
	}
	return grown
}
