package redact

import "bytes"

// minProseSecret is the length in bytes from which a word after a colon and a space is a secret.
const minProseSecret = 3

// plainEnd returns where a value without quotes ends, and p.from where it is none.
func (p *pair) plainEnd(b []byte) int {
	word := wordEnd(b, p.from)
	afterColon := b[p.sep] == ':' && p.from > p.sep+1
	if isProse(b[p.from:word]) || afterColon && word-p.from < minProseSecret {
		if n := schemeLength(b[p.from:]); n == 0 {
			return p.from
		}
	}
	if p.rule.kind == cookie || p.rule.kind == setCookie || p.rule.name == "authorization" || p.rule.name == "proxy_authorization" {
		return p.lineEnd(b)
	}
	if n := schemeLength(b[p.from:]); p.rule.kind == auth && n > 0 {
		next := p.from + n
		if end := wordEnd(b, next); !isProse(b[next:end]) {
			return end
		}
		return p.from
	}
	return word
}

// lineEnd returns where a header field ends: with the line, or with the quote that it stands in.
func (p *pair) lineEnd(b []byte) int {
	start, _ := (&pair{sep: p.sep}).nameBefore(b)
	ends := "\r\n"
	if start > 0 && isQuote(b[start-1]) && p.quote.mark == 0 {
		ends += string(b[start-1])
	}
	return indexAny(b, p.from, len(b), ends)
}

// wordEnd returns where a word ends that may hold any character: with space or a quote, or with
// punctuation after which something else begins.
func wordEnd(b []byte, from int) int {
	at := from
	for at < len(b) && !isSpace(b[at]) && !isQuote(b[at]) && b[at] != '<' && b[at] != '>' && b[at] != '\\' {
		if n := markAt(b[at:]); n > 0 {
			at += n
			continue
		}
		if bytes.IndexByte([]byte(",;&)]}"), b[at]) >= 0 && endsThere(b[at+1:]) {
			break
		}
		at++
	}
	return at
}

// endsThere reports whether what follows punctuation shows that a value ended before it: nothing,
// space, a quote, more punctuation, or another name.
func endsThere(rest []byte) bool {
	if len(rest) == 0 || isSpace(rest[0]) || isQuote(rest[0]) || bytes.IndexByte([]byte(",;)]}\\<"), rest[0]) >= 0 {
		return true
	}
	n := 0
	for n < len(rest) && n < maxNameLength && isNameByte(rest[n]) && rest[n] != ' ' {
		n++
	}
	return n > 0 && n < len(rest) && (rest[n] == '=' || rest[n] == ':')
}

// flags finds secret values of command line flags that stand after a space: --api-key ….
func (r *Redactor) flags(b []byte) []span {
	var found []span
	each(b, "--", func(at int) int {
		end := at + len("--")
		for end < len(b) && isNameByte(b[end]) && b[end] != ' ' {
			end++
		}
		rule, ok := ruleFor(b[at:end], secretNames)
		if !ok || end >= len(b) || b[end] != ' ' || !standsAlone(b, at) {
			return end
		}
		p := pair{rule: rule, sep: end}
		p.valueAfter(b)
		if p.from == p.to || b[p.from] == '-' {
			return end
		}
		if s, ok := r.pairSpan(b, p); ok {
			found = append(found, s)
		}
		return p.to
	})
	return found
}
