package redact

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// minKnown is the length in bytes below which a literal is not looked for: it would be found everywhere.
const minKnown = 4

// minKnownBase64 is the length in bytes from which a literal is looked for inside base64.
const minKnownBase64 = 6

// literal is one way in which a known secret may be written.
type literal struct {
	text   []byte
	secret []byte
}

// Known tells the redactor of values to replace from now on wherever they occur: as they are, as in an
// address, as in JSON, and in base64, also amid other bytes. If a value begins with an authentication
// scheme, what follows the scheme is known too. Values under 4 bytes are ignored. It returns r.
func (r *Redactor) Known(secrets ...string) *Redactor {
	var more []literal
	for _, s := range secrets {
		for _, value := range []string{s, s[schemeLength([]byte(s)):]} {
			if len(value) >= minKnown {
				more = append(more, literals(value)...)
			}
		}
	}
	for {
		before := r.known.Load()
		all := sorted(slices.Concat(*cmp.Or(before, &[]literal{}), more))
		if r.known.CompareAndSwap(before, &all) {
			return r
		}
	}
}

// sorted puts the longest first, which is then found first, and leaves out what is there twice.
func sorted(all []literal) []literal {
	slices.SortFunc(all, func(a, b literal) int {
		return cmp.Or(len(b.text)-len(a.text), bytes.Compare(a.text, b.text))
	})
	return slices.CompactFunc(all, func(a, b literal) bool { return bytes.Equal(a.text, b.text) })
}

var percentByte = regexp.MustCompile(`%[0-9A-F]{2}`)

func literals(secret string) []literal {
	escaped, _ := json.Marshal(secret) // a string cannot fail
	inJSON := string(escaped[1 : len(escaped)-1])
	texts := []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), inJSON,
		strings.ReplaceAll(inJSON, "/", `\/`), strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(secret),
	}
	for _, s := range texts[1:3] {
		texts = append(texts, percentByte.ReplaceAllStringFunc(s, strings.ToLower))
	}
	if len(secret) >= minKnownBase64 {
		texts = append(texts, inBase64(secret)...)
	}
	var out []literal
	for _, t := range texts {
		out = append(out, literal{[]byte(t), []byte(secret)})
	}
	return out
}

// inBase64 returns the secret in base64, alone, and the characters that are the same whatever stands
// before and after it: three forms, since three bytes make four characters.
func inBase64(secret string) []string {
	var out []string
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		out = append(out, enc.EncodeToString([]byte(secret)))
		for before := range 3 {
			all := enc.WithPadding(base64.NoPadding).EncodeToString(append(make([]byte, before), secret...))
			from, to := (before*8+5)/6, (before+len(secret))*8/6
			out = append(out, all[from:to])
		}
	}
	return out
}

// literals finds the known secrets in b.
func (r *Redactor) literals(b []byte) []span {
	known := r.known.Load()
	if known == nil {
		return nil
	}
	var found []span
	for _, l := range *known {
		for at := 0; ; {
			i := bytes.Index(b[at:], l.text)
			if i < 0 {
				break
			}
			from := at + i
			at = from + len(l.text)
			found = append(found, span{from: from, to: at, name: "known", secret: l.secret})
		}
	}
	return found
}
