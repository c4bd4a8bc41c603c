package redact

import (
	"bytes"
	"encoding/base64"
)

// credentials finds what follows the words Bearer and Basic.
func (r *Redactor) credentials(b []byte) []span {
	var found []span
	for _, scheme := range []struct {
		ending string // without the first letter, whose case varies
		name   string
		secret func(credentials []byte) bool
	}{
		{"earer ", "bearer", notProse},
		{"EARER ", "bearer", notProse},
		{"asic ", "basic", isBasic},
		{"ASIC ", "basic", isBasic},
	} {
		each(b, scheme.ending, func(at int) int {
			from := at + len(scheme.ending)
			for from < len(b) && b[from] == ' ' {
				from++
			}
			to := from + token68(b[from:])
			if at > 0 && b[at-1]|0x20 == scheme.name[0] && standsAlone(b, at-1) && scheme.secret(b[from:to]) {
				found = append(found, span{from: from, to: to, name: scheme.name, secret: b[from:to]})
			}
			return from
		})
	}
	return found
}

// token68 returns the length of the credentials that b begins with (RFC 9110 §11.2), and 0 if it
// begins with a parameter instead (Bearer realm="…", as in a challenge).
func token68(b []byte) int {
	n := 0
	for n < len(b) && (isAlnum(b[n]) || bytes.IndexByte([]byte("-._~+/"), b[n]) >= 0) {
		n++
	}
	end := n
	for end < len(b) && b[end] == '=' {
		end++
	}
	if end > n && isParameter(b[end:]) {
		return 0
	}
	return end
}

// isParameter reports whether what follows an equals sign is the value of a parameter, and not what
// follows credentials that end in one: nothing, or what closes a text that has them in it.
func isParameter(rest []byte) bool {
	const closing = " \t\r\n,;:)]}>'`"
	closes := func(b []byte) bool { return len(b) == 0 || bytes.IndexByte([]byte(closing), b[0]) >= 0 }
	unescaped := bytes.TrimLeft(rest, `\`)
	if len(unescaped) > 0 && unescaped[0] == '"' {
		return !closes(unescaped[1:])
	}
	return !closes(rest)
}

// minCredentials is the length in bytes from which a word after Bearer is taken for credentials.
const minCredentials = 6

func notProse(word []byte) bool {
	return len(word) >= minCredentials && !isProse(word)
}

// isBasic reports whether these are the credentials of RFC 7617: a name, a colon and a password.
func isBasic(word []byte) bool {
	raw, err := base64.RawStdEncoding.DecodeString(string(bytes.TrimRight(word, "=")))
	return err == nil && bytes.IndexByte(raw, ':') >= 0
}

// proseWords are words that stand after "token:" or "Bearer" in sentences and declarations, and are no
// secret.
var proseWords = func() map[string]bool {
	words := map[string]bool{}
	for _, w := range bytes.Fields([]byte(`
		a an the your this that these is are was were be been has have will would must should may can could
		for of in on to and or not if when with without from by as at it its no yes see here used using use
		required optional needed necessary supported unsupported disabled enabled default
		invalid missing expired revoked wrong incorrect malformed empty unknown expected unexpected failed
		denied rejected accepted
		string str number integer int bool boolean any object array list map bytes char text
		null nil none undefined true false void
		token tokens auth authentication authorization authenticated authorisation access scheme schemes format
		header headers credential credentials value values field parameter parameters param bearer basic
		password passwords secret secrets key keys cookie cookies`)) {
		words[string(w)] = true
	}
	return words
}()

// isProse reports whether a word is one that a sentence or a declaration would have there: the,
// required., Optional[str].
func isProse(word []byte) bool {
	if i := bytes.IndexAny(word, "[("); i > 0 {
		word = word[:i]
	}
	return proseWords[string(bytes.ToLower(bytes.Trim(word, ".,;:!?()[]{}|&*")))]
}
