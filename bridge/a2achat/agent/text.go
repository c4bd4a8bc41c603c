package agent

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// An agent that cuts its text between the two halves of a UTF-16 pair, as JavaScript
// does, sends each half in a string of its own. Such a half is kept as the three bytes
// that UTF-8 would have for it, until the other one has come.

// half is the length of half a pair.
const half = 3

// unquote returns what the JSON string says. Bytes that are not UTF-8 stay as they are:
// the rest of the character may stand in the next string.
func unquote(quoted []byte) []byte {
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	out := make([]byte, 0, len(inner))
	for len(inner) > 0 {
		at := bytes.IndexByte(inner, '\\')
		if at < 0 {
			return append(out, inner...)
		}
		out = append(out, inner[:at]...)
		inner = inner[at:]
		if inner[1] != 'u' {
			out = append(out, escaped(inner[1]))
			inner = inner[2:]
			continue
		}
		out = join(out, appendUnit(nil, unit(inner)))
		inner = inner[6:]
	}
	return out
}

// escaped returns the byte for which the letter stands after a backslash.
func escaped(letter byte) byte {
	switch letter {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return letter
}

// unit reads \uXXXX.
func unit(escape []byte) rune {
	n, _ := strconv.ParseUint(string(escape[2:6]), 16, 16) // the JSON is valid, so these are digits
	return rune(n)
}

func appendUnit(dst []byte, r rune) []byte {
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(dst, r)
	}
	return append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
}

// isHalf tells whether b begins with half a pair: the first one (0xA0) or the second
// one (0xB0).
func isHalf(b []byte, which byte) bool {
	return len(b) >= half && b[0] == 0xED && b[1]&0xF0 == which
}

// join appends text to text, and makes a character of two halves that meet.
func join(dst, text []byte) []byte {
	if n := len(dst) - half; n >= 0 && isHalf(dst[n:], 0xA0) && isHalf(text, 0xB0) {
		r := utf16.DecodeRune(halfOf(dst[n:]), halfOf(text))
		return append(utf8.AppendRune(dst[:n], r), text[half:]...)
	}
	return append(dst, text...)
}

func halfOf(b []byte) rune {
	return rune(b[0]&0x0F)<<12 | rune(b[1]&0x3F)<<6 | rune(b[2]&0x3F)
}

// ready returns how much of the text can be told: all but half a pair at its end.
func ready(text []byte) int {
	if n := len(text) - half; n >= 0 && isHalf(text[n:], 0xA0) {
		return n
	}
	return len(text)
}

// plain returns the text as a string, with the replacement character for each half
// that stayed alone.
func plain(text []byte) string {
	if bytes.IndexByte(text, 0xED) < 0 {
		return string(text)
	}
	b := bytes.Clone(text)
	for at := 0; at < len(b); at++ {
		next := bytes.IndexByte(b[at:], 0xED)
		if next < 0 {
			break
		}
		at += next
		if isHalf(b[at:], 0xA0) || isHalf(b[at:], 0xB0) {
			copy(b[at:], string(utf8.RuneError)) // which has as many bytes
		}
	}
	return string(b)
}
