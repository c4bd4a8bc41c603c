package redact

import (
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// unquoted returns what the inside of a valid JSON string means. A half of a surrogate pair becomes the
// three bytes that UTF-8 would have for it if it had any, so that appendQuoted can write it again.
func unquoted(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			out = append(out, raw[i])
			continue
		}
		i++
		switch c := raw[i]; c {
		case 'u':
			r := hexRune(raw[i+1:])
			i += 4
			if utf16.IsSurrogate(r) && i+6 < len(raw) && raw[i+1] == '\\' && raw[i+2] == 'u' {
				if both := utf16.DecodeRune(r, hexRune(raw[i+3:])); both != utf8.RuneError {
					r = both
					i += 6
				}
			}
			out = appendRune(out, r)
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		default:
			out = append(out, c)
		}
	}
	return out
}

// hexRune reads the four digits that b begins with.
func hexRune(b []byte) rune {
	n, _ := strconv.ParseUint(string(b[:4]), 16, 16) // valid JSON has them
	return rune(n)
}

func appendRune(out []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(out, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f|0x80, 0x80|byte(r)&0x3f)
	}
	return utf8.AppendRune(out, r)
}

// quoted returns s as a JSON string, with only those escapes that JSON demands.
func quoted(s []byte) []byte {
	out := append(make([]byte, 0, len(s)+2), '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"', c == '\\':
			out = append(out, '\\', c)
		case c == '\n':
			out = append(out, '\\', 'n')
		case c == '\r':
			out = append(out, '\\', 'r')
		case c == '\t':
			out = append(out, '\\', 't')
		case c < ' ':
			out = fmt.Appendf(out, `\u%04x`, c)
		case c == 0xed && i+2 < len(s) && s[i+1] >= 0xa0 && s[i+1] <= 0xbf && s[i+2]&0xc0 == 0x80:
			out = fmt.Appendf(out, `\u%04x`, 0xd000|int(s[i+1]&0x3f)<<6|int(s[i+2]&0x3f))
			i += 2
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}
