package redact

import "bytes"

const (
	markBegin    = "[REDACTED:"
	digestLength = 8 // hexadecimal digits
	maxMarkName  = 32
)

// markAt returns the length of the replacement that b begins with, and 0 if it begins with none.
func markAt(b []byte) int {
	rest, ok := bytes.CutPrefix(b, []byte(markBegin))
	if !ok {
		return 0
	}
	name := 0
	for name < len(rest) && name < maxMarkName && (isLower(rest[name]) || rest[name] == '_') {
		name++
	}
	end := name + 1 + digestLength
	if name == 0 || end >= len(rest) || rest[name] != ':' || rest[end] != ']' {
		return 0
	}
	for _, c := range rest[name+1 : end] {
		if !isDigit(c) && (c < 'a' || c > 'f') {
			return 0
		}
	}
	return len(markBegin) + end + 1
}

// isMark reports whether b is a replacement and nothing else.
func isMark(b []byte) bool {
	return len(b) > 0 && markAt(b) == len(b)
}

// marks finds the replacements in b: nothing inside one is a secret any more.
func marks(b []byte) []span {
	var found []span
	for at := 0; ; {
		i := bytes.Index(b[at:], []byte(markBegin))
		if i < 0 {
			return found
		}
		at += i
		n := markAt(b[at:])
		if n == 0 {
			n = len(markBegin)
		} else {
			found = append(found, span{from: at, to: at + n})
		}
		at += n
	}
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isAlnum(c byte) bool { return isLower(c) || isUpper(c) || isDigit(c) }
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
