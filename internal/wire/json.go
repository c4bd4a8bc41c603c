package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Member is one member of a JSON object: its decoded name and the bytes of its
// value, untouched.
type Member struct {
	Name  string
	Value json.RawMessage
}

// errNoObject says that bytes are not one whole JSON object.
var errNoObject = errors.New("reading a JSON object: there is none, or not a whole one")

// Members lists the members of the JSON object in raw in their order, duplicates
// included. The values are parts of raw. It fails when raw is not one whole JSON
// object.
func Members(raw []byte) ([]Member, error) {
	if !Valid(raw) {
		return nil, errNoObject
	}
	return members(raw)
}

// Fields lists the members as Members does, of what is known to be valid JSON; of what
// is no object it lists none.
func Fields(raw []byte) []Member {
	list, _ := members(raw) // what is no object has no members
	return list
}

// members is Members for what is known to be valid JSON.
func members(raw []byte) ([]Member, error) {
	var list []Member
	ok := eachMember(raw, func(name, value []byte) bool {
		list = append(list, Member{Name: decodeName(name), Value: value})
		return true
	})
	if !ok {
		return nil, errNoObject
	}
	return list, nil
}

// Object writes a JSON object with the members in their order; the values are taken
// as they are.
func Object(members []Member) json.RawMessage {
	size := 2
	for _, m := range members {
		size += len(m.Name) + len(m.Value) + 4
	}
	b := append(make([]byte, 0, size), '{')
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendQuoted(b, m.Name)
		b = append(b, ':')
		b = append(b, m.Value...)
	}
	return append(b, '}')
}

// Get returns the value of the named member of the JSON object in raw, the last
// one where it stands twice, and nil when there is none or raw is no object. It is
// a part of raw.
func Get(raw []byte, name string) json.RawMessage {
	var found json.RawMessage
	eachMember(raw, func(quoted, value []byte) bool {
		if isName(quoted, name) {
			found = value
		}
		return true
	})
	return found
}

// Path walks the named members from raw inwards; nil when one is missing.
func Path(raw []byte, names ...string) json.RawMessage {
	value := json.RawMessage(raw)
	for _, name := range names {
		if value = Get(value, name); value == nil {
			return nil
		}
	}
	return value
}

// isName tells whether the JSON string quoted is name.
func isName(quoted []byte, name string) bool {
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner) == name
	}
	return decodeName(quoted) == name
}

// decodeName returns the characters of a JSON string.
func decodeName(quoted []byte) string {
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	var s string
	_ = json.Unmarshal(quoted, &s) // what is no string has no characters
	return s
}

// Text returns the string in raw, and false when raw is not a JSON string.
func Text(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if raw[len(raw)-1] == '"' {
		if s, ok := unquote(raw[1 : len(raw)-1]); ok {
			return s, true
		}
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// unquote decodes what stands between the quotes of a JSON string. It says no to all that
// is rare, or wrong.
func unquote(inner []byte) (string, bool) {
	i := PlainEnd(inner, 0)
	if i == len(inner) {
		return string(inner), true
	}
	dst := append(make([]byte, 0, len(inner)), inner[:i]...)
	for i < len(inner) {
		c, size := shortCharacter(inner[i:])
		if size == 0 {
			return "", false
		}
		if c != 0 {
			dst = append(dst, c)
		} else {
			dst = append(dst, inner[i:i+size]...)
		}
		end := PlainEnd(inner, i+size)
		dst = append(dst, inner[i+size:end]...)
		i = end
	}
	return string(dst), true
}

// shortCharacter returns the size of the character that b begins with, and what an escape
// of one letter stands for, 0 for a character that stands for itself. The size is 0 for
// all that is rare, or wrong.
func shortCharacter(b []byte) (stands byte, size int) {
	if b[0] >= utf8.RuneSelf {
		if r, size := utf8.DecodeRune(b); r != utf8.RuneError {
			return 0, size
		}
		return 0, 0
	}
	if b[0] != '\\' || len(b) < 2 {
		return 0, 0
	}
	const letters, meaning = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if at := strings.IndexByte(letters, b[1]); at >= 0 {
		return meaning[at], 2
	}
	return 0, 0
}

// Quote returns s as a JSON string, with nothing escaped that JSON does not ask
// to be.
func Quote(s string) []byte { return AppendQuoted(make([]byte, 0, len(s)+2), s) }

// AppendQuoted appends what Quote returns.
func AppendQuoted(dst []byte, s string) []byte {
	begin, done := len(dst), 0
	dst = append(dst, '"')
	for i := PlainEnd(s, 0); i < len(s); i = PlainEnd(s, i) {
		escape, size := shortEscape(s[i:])
		if size == 0 {
			return appendEncoded(dst[:begin], s)
		}
		if escape != 0 {
			dst = append(append(dst, s[done:i]...), '\\', escape)
			done = i + size
		}
		i += size
	}
	return append(append(dst, s[done:]...), '"')
}

// shortEscape returns the size of the character that s begins with, and the letter of
// the escape by which it is written, 0 for one that stands for itself. The size is 0 for
// all that is rare.
func shortEscape(s string) (escape byte, size int) {
	switch s[0] {
	case '"', '\\':
		return s[0], 1
	case '\n':
		return 'n', 1
	case '\r':
		return 'r', 1
	case '\t':
		return 't', 1
	}
	switch r, size := utf8.DecodeRuneInString(s); {
	case r < ' ', r == utf8.RuneError, r == '\u2028', r == '\u2029':
		return 0, 0
	default:
		return 0, size
	}
}

// appendEncoded is AppendQuoted for any string.
func appendEncoded(dst []byte, s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return append(dst, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}

// Marshal writes v as JSON on one line, with <, > and & as they are.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("writing JSON: %w", err)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
