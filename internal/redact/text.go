package redact

import "bytes"

// Text returns b without its secrets: values under secret names (password=…, "token": "…", --api-key …,
// Cookie: …), credentials after Bearer and Basic, tokens of well-known shapes, private keys, and
// the userinfo and secret parameters of addresses. The bytes may be of any encoding that extends ASCII.
func (r *Redactor) Text(b []byte) []byte {
	return r.settle(b, r.find)
}

// maxPasses bounds how often a text is gone through. More than two are for texts made to need them.
const maxPasses = 8

// settle replaces what find finds until it finds no more: what stands around a replacement can look
// like a secret that it was part of (password: =x in a form). Each pass leaves less outside of
// replacements.
func (r *Redactor) settle(b []byte, find func([]byte) []span) []byte {
	for range maxPasses {
		out := r.replace(b, find(b))
		if bytes.Equal(out, b) {
			break
		}
		b = out
	}
	return b
}

func (r *Redactor) find(b []byte) []span {
	spans := r.literals(b)
	has := look(b)
	if has.separator {
		spans = append(spans, r.addresses(b)...)
		spans = append(spans, r.pairs(b)...)
	}
	if has.dashes {
		spans = append(spans, r.flags(b)...)
		spans = append(spans, privateKeys(b)...)
	}
	if has.longWord {
		spans = append(spans, r.shapes(b)...)
	}
	if len(b) > len("Bearer ") {
		spans = append(spans, r.credentials(b)...)
	}
	return spans
}

// signs are what a text must have in it for some kind of secret to be there: most texts have none, and
// need only this one look.
type signs struct {
	separator bool // a colon or an equals sign
	dashes    bool // two hyphens
	longWord  bool // a word of minShape bytes
}

func look(b []byte) signs {
	var has signs
	word := 0
	for i, c := range b {
		if isWordByte[c] {
			word++
			has.longWord = has.longWord || word >= minShape
			has.dashes = has.dashes || c == '-' && i > 0 && b[i-1] == '-'
			continue
		}
		word = 0
		has.separator = has.separator || c == ':' || c == '='
	}
	return has
}

// isWordByte tells the bytes of which tokens are made.
var isWordByte = func() (table [256]bool) {
	for c := range 256 {
		table[c] = isAlnum(byte(c)) || c == '_' || c == '-' || c == '.'
	}
	return table
}()

// leaf redacts a string that may be anything, JSON in it among others.
func (r *Redactor) leaf(b []byte) []byte {
	if looksLikeJSON(b) {
		return r.JSON(b)
	}
	return r.Text(b)
}

func looksLikeJSON(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	return len(b) > 1 && (b[0] == '{' || b[0] == '[' || b[0] == '"')
}
