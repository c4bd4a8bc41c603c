package transport

import (
	"bytes"

	"github.com/peerwright/peerwright/internal/wire"
)

// answers lists the ids of the responses in raw.
func answers(raw []byte) []wire.ID {
	body := bytes.TrimLeft(raw, space)
	if len(body) == 0 || body[0] != '[' {
		return answer(body)
	}
	var ids []wire.ID
	for _, m := range wire.Parse(body).Batch {
		if m.IsResponse() {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// answer returns the id of the response in body, if it is one. Every message that a
// server writes comes by here, so it decodes nothing, and stops before the result,
// which may be long and mostly stands last.
func answer(body []byte) []wire.ID {
	s := scanner{body}
	var id []byte
	responds := false
	for open := s.take('{'); open; open = s.take(',') {
		name := s.name()
		if name == "method" || !s.take(':') {
			return nil
		}
		responds = responds || name == "result" || name == "error"
		if responds && id != nil {
			break
		}
		if value := s.value(); name == "id" {
			id = value
		}
	}
	if !responds || len(id) == 0 {
		return nil
	}
	return []wire.ID{wire.RawID(id)}
}

const space = " \t\r\n"

// scanner walks over JSON that it takes to be valid, and decodes none of it.
type scanner struct{ rest []byte }

// take passes over the mark, and tells whether it stood there.
func (s *scanner) take(mark byte) bool {
	s.rest = bytes.TrimLeft(s.rest, space)
	if len(s.rest) == 0 || s.rest[0] != mark {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// name passes over the name of a member.
func (s *scanner) name() string {
	raw := s.value()
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(bytes.Trim(raw, `"`))
	}
	name, _ := wire.Text(raw)
	return name
}

// value passes over a value and returns its bytes.
func (s *scanner) value() []byte {
	s.rest = bytes.TrimLeft(s.rest, space)
	end := valueEnd(s.rest)
	value := s.rest[:end]
	s.rest = s.rest[end:]
	return value
}

// valueEnd returns the length of the value that b begins with.
func valueEnd(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		closed := false
		switch b[i] {
		case '"':
			i += stringEnd(b[i:])
			closed = true
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // of what the value stands in
			}
			depth--
			closed = true
		case ',', ':', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i // after a number or a word
			}
		}
		if closed && depth == 0 {
			return min(i+1, len(b))
		}
	}
	return len(b)
}

// stringEnd returns the offset of the quote that ends the string b begins with.
func stringEnd(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(b)
}
