package redact

import (
	"bytes"
	"encoding/json"
)

// pair is a name and a value found in text: password=…, "api_key": "…", Cookie: ….
type pair struct {
	rule     rule
	quote    quoting // around the name
	inQuery  bool    // it stands in the query of an address
	sep      int     // where the separator is
	from, to int     // the value
}

// quoting is how a name or a value is quoted: the quotation mark, and the backslashes before it, as in
// JSON inside JSON. The zero value is not at all.
type quoting struct {
	mark    byte
	escapes int
}

// pairs finds secret values under their names, in any of the ways in which text has these.
func (r *Redactor) pairs(b []byte) []span {
	var found []span
	done := marks(b)
	for at := 0; at < len(b); {
		i := bytes.IndexAny(b[at:], ":=")
		if i < 0 {
			break
		}
		at += i
		if (span{from: at, to: at}).within(done) {
			at++
			continue
		}
		if p, ok := pairAt(b, at); ok {
			if s, ok := r.pairSpan(b, p); ok {
				found = append(found, s)
			}
			at = max(at, p.to-1)
		}
		at++
	}
	return found
}

func (r *Redactor) pairSpan(b []byte, p pair) (span, bool) {
	value := b[p.from:p.to]
	redacted := r.secretValue(p.rule, value)
	if looksLikeJSON(value) && p.quote.mark != 0 && json.Valid(value) {
		redacted = r.validJSONUnder(p.rule, value)
	}
	return span{from: p.from, to: p.to, with: redacted}, !bytes.Equal(redacted, value)
}

// pairAt returns the pair whose separator stands at sep, if its name is that of a secret.
func pairAt(b []byte, sep int) (pair, bool) {
	p := pair{sep: sep}
	start, end := p.nameBefore(b)
	tables := []map[string]rule{secretNames}
	if b[sep] == '=' && start > 0 && (b[start-1] == '?' || b[start-1] == '&') {
		p.inQuery = true
		tables = append(tables, secretParameters)
	}
	var ok bool
	if p.rule, ok = ruleFor(b[start:end], tables...); !ok || isAuthority(b, start) {
		return p, false
	}
	p.valueAfter(b)
	return p, p.from < p.to
}

// isAuthority reports whether what begins there is the host or user of an address, whose colon comes
// before a port or password.
func isAuthority(b []byte, start int) bool {
	return bytes.HasSuffix(b[:start], []byte("://"))
}

// nameBefore returns where the name before the separator stands. A name may be several words, quoted,
// and set off by asterisks.
func (p *pair) nameBefore(b []byte) (start, end int) {
	end = p.sep
	for end > 0 && (b[end-1] == ' ' || b[end-1] == '\t' || b[end-1] == '*') {
		end--
	}
	if end > 0 && isQuote(b[end-1]) {
		end--
		p.quote.mark = b[end]
		for end > 0 && b[end-1] == '\\' {
			end--
			p.quote.escapes++
		}
	}
	start = end
	for start > 0 && end-start < maxNameLength && isNameByte(b[start-1]) {
		start--
	}
	return start, end
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

func isNameByte(c byte) bool {
	return isAlnum(c) || c == '_' || c == '-' || c == '.' || c == ' '
}

// valueAfter sets where the value after the separator stands; from and to are the same where there is
// none.
func (p *pair) valueAfter(b []byte) {
	at := p.sep + 1
	for at < len(b) && b[at-1] == '=' && (b[at] == '=' || b[at] == '>') { // ==, =>
		at++
	}
	if rest := b[at:]; !p.inQuery && (bytes.HasPrefix(rest, []byte("//")) || bytes.HasPrefix(rest, []byte(":"))) {
		return // an address, or a path of names
	}
	for at < len(b) && p.mayPrecede(b, b[at]) {
		at++
	}
	p.from, p.to = at, at
	if at < len(b) {
		p.to = p.valueEnd(b)
	}
}

// mayPrecede reports whether c may stand between the separator and the value. In password= user=u
// the value is empty: a space follows an equals sign only where one precedes it.
func (p *pair) mayPrecede(b []byte, c byte) bool {
	switch {
	case p.inQuery:
		return false
	case p.quote.mark != 0:
		return isSpace(c)
	case b[p.sep] == '=' && b[p.sep-1] != ' ':
		return false
	}
	return c == ' ' || c == '\t' || c == '*'
}

// valueEnd returns where the value ends that begins at p.from, which it moves past a quotation mark.
func (p *pair) valueEnd(b []byte) int {
	rest := b[p.from:]
	switch q := quotingAt(rest); {
	case p.inQuery:
		return indexAny(b, p.from, len(b), "&# \t\r\n\"'<>`\\")
	case markAt(rest) > 0, isPlaceholder(rest):
		return p.from
	case q.mark != 0:
		p.from += q.escapes + 1
		return p.from + q.length(b[p.from:])
	case p.quote.mark != 0 && (rest[0] == '{' || rest[0] == '['):
		return p.from + composite(rest)
	}
	return p.plainEnd(b)
}

// isPlaceholder reports whether a value is not filled in: <token>, ${TOKEN}, {{token}}.
func isPlaceholder(b []byte) bool {
	return b[0] == '<' || bytes.HasPrefix(b, []byte("${")) || bytes.HasPrefix(b, []byte("{{"))
}

func quotingAt(b []byte) quoting {
	n := 0
	for n < len(b) && b[n] == '\\' {
		n++
	}
	if n < len(b) && isQuote(b[n]) {
		return quoting{b[n], n}
	}
	return quoting{}
}

// length returns the length of what is quoted, b being what follows the opening mark: up to the same
// mark with as many backslashes, or else to the end of the line.
func (q quoting) length(b []byte) int {
	escapes := 0
	for i, c := range b {
		switch {
		case c == '\\':
			escapes++
			continue
		case c == q.mark && escapes == q.escapes:
			return i - escapes
		case c == '\n':
			return i
		}
		escapes = 0
	}
	return len(b)
}

// composite returns the length of the JSON object or array that b begins with, or of all of b if it
// is cut off.
func composite(b []byte) int {
	dec := json.NewDecoder(bytes.NewReader(b))
	var raw json.RawMessage
	if dec.Decode(&raw) != nil {
		return len(b)
	}
	return int(dec.InputOffset())
}
