package openai

import (
	"unicode/utf8"

	"github.com/peerwright/peerwright/internal/wire"
)

const digits = "0123456789abcdef"

// appendString appends s as a JSON string. Bytes that are no UTF-8 cannot stand in
// JSON: each is replaced by U+FFFD.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	done := 0
	for i := wire.PlainEnd(s, 0); i < len(s); i = wire.PlainEnd(s, i) {
		c, size := s[i], 1
		if c >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		dst = append(dst, s[done:i]...)
		dst = appendEscape(dst, c)
		i += size
		done = i
	}
	return append(append(dst, s[done:]...), '"')
}

// appendEscape appends a byte that cannot stand in a JSON string as it is.
func appendEscape(dst []byte, c byte) []byte {
	switch {
	case c == '"', c == '\\':
		return append(dst, '\\', c)
	case c == '\n':
		return append(dst, `\n`...)
	case c == '\r':
		return append(dst, `\r`...)
	case c == '\t':
		return append(dst, `\t`...)
	case c < ' ':
		return append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
	}
	return utf8.AppendRune(dst, utf8.RuneError)
}

// whole returns how much of b ends with a whole character: all of it, unless it ends
// in the beginning of one.
func whole(b string) int {
	for back := 1; back < utf8.UTFMax && back <= len(b); back++ {
		at := len(b) - back
		if !utf8.RuneStart(b[at]) {
			continue
		}
		if !utf8.FullRuneInString(b[at:]) {
			return at
		}
		break
	}
	return len(b)
}
