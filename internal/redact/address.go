package redact

import (
	"bytes"
	"net/url"
)

// URL returns an address, absolute or relative, without its userinfo and secret parameters. Every
// other byte stays.
func (r *Redactor) URL(address string) string {
	return string(r.settle([]byte(address), func(b []byte) []span {
		return append(r.addressSpans(b, 0, len(b)), r.find(b)...)
	}))
}

// addresses finds the secrets in the absolute addresses in b.
func (r *Redactor) addresses(b []byte) []span {
	var found []span
	each(b, "://", func(at int) int {
		to := at
		for to < len(b) && b[to] > ' ' && bytes.IndexByte([]byte("\"'<>`\\|"), b[to]) < 0 {
			to++
		}
		to = at + len(bytes.TrimRight(b[at:to], ".,;:!)]}"))
		found = append(found, r.addressSpans(b, at, to)...)
		return to
	})
	return found
}

// addressSpans finds the secrets in the address that stands in b between from and to, or in what is
// left of it from its "://".
func (r *Redactor) addressSpans(b []byte, from, to int) []span {
	var found []span
	if i := bytes.Index(b[from:to], []byte("://")); i >= 0 {
		from += i + len("://")
		end := indexAny(b, from, to, "/?#")
		if at := bytes.LastIndexByte(b[from:end], '@'); at > 0 {
			found = append(found, r.userinfo(b, from, from+at)...)
		}
	}
	query := indexAny(b, from, to, "?#")
	for query < to {
		end := indexAny(b, query+1, to, "?#")
		found = append(found, r.parameters(b, query+1, end)...)
		query = end
	}
	return found
}

// indexAny returns the first place between from and to that holds one of chars, or to.
func indexAny(b []byte, from, to int, chars string) int {
	if i := bytes.IndexAny(b[from:to], chars); i >= 0 {
		return from + i
	}
	return to
}

// userinfo has its brackets escaped, as they may not stand there (RFC 3986 §3.2.1).
func (r *Redactor) userinfo(b []byte, from, to int) []span {
	const open, end = "%5B", "%5D"
	raw := b[from:to]
	if bytes.HasPrefix(raw, []byte(open)) && bytes.HasSuffix(raw, []byte(end)) &&
		isMark([]byte("["+string(raw[len(open):len(raw)-len(end)])+"]")) {
		return nil
	}
	mark := r.mark("userinfo", raw)
	return []span{{from: from, to: to, with: []byte(open + string(mark[1:len(mark)-1]) + end)}}
}

// parameters finds the secrets in a query, or in a form in the same encoding.
func (r *Redactor) parameters(b []byte, from, to int) []span {
	var found []span
	for from < to {
		end := indexAny(b, from, to, "&")
		if i := bytes.IndexByte(b[from:end], '='); i >= 0 {
			found = append(found, r.parameter(b[from:from+i], b, from+i+1, end)...)
		}
		from = end + 1
	}
	return found
}

func (r *Redactor) parameter(name, b []byte, from, to int) []span {
	value := b[from:to]
	if plain, err := url.QueryUnescape(string(name)); err == nil {
		name = []byte(plain)
	}
	if rule, ok := ruleFor(name, secretNames, secretParameters); ok {
		if len(value) == 0 || markAt(value) > 0 {
			return nil
		}
		return []span{{from: from, to: to, name: rule.name, secret: unescaped(value)}}
	}
	if !bytes.ContainsAny(value, "%+") {
		return nil // find sees what is in it
	}
	plain := unescaped(value)
	if redacted := r.leaf(plain); !bytes.Equal(redacted, plain) {
		return []span{{from: from, to: to, with: []byte(url.QueryEscape(string(redacted)))}}
	}
	return nil
}

// unescaped makes the digest of a secret the same as elsewhere.
func unescaped(value []byte) []byte {
	if plain, err := url.QueryUnescape(string(value)); err == nil {
		return []byte(plain)
	}
	return value
}
