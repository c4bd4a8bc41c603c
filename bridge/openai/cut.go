package openai

import (
	"encoding/json"
	"unicode/utf8"
)

// longest is how many characters of a string the trace shows, with the mark of a cut.
const (
	longest = 1000
	cutMark = "[truncated]"
)

// cut returns s, or its beginning with a mark where it is longer than the trace shows.
func cut(s string) string {
	if utf8.RuneCountInString(s) <= longest {
		return s
	}
	n := 0
	for i := range s {
		if n == longest-len(cutMark) {
			return s[:i] + cutMark
		}
		n++
	}
	return s
}

// cutStrings cuts the long strings in a JSON document, at any depth. Everything else
// stays as it is.
func cutStrings(doc []byte) string {
	var dst []byte
	done := 0
	for i := 0; i < len(doc); i++ {
		if doc[i] != '"' {
			continue
		}
		begin := i
		for i++; i < len(doc) && doc[i] != '"'; i++ {
			if doc[i] == '\\' {
				i++
			}
		}
		end := min(i+1, len(doc))
		if end-begin-2 <= longest {
			continue
		}
		var s string
		if json.Unmarshal(doc[begin:end], &s) != nil || utf8.RuneCountInString(s) <= longest {
			continue
		}
		dst = appendString(append(dst, doc[done:begin]...), cut(s))
		done = end
	}
	return string(append(dst, doc[done:]...))
}
