package redact

import "bytes"

// schemes are the authentication schemes that may stand before credentials (the IANA registry of HTTP
// authentication schemes, and those in common use).
var schemes = map[string]bool{
	"basic": true, "bearer": true, "digest": true, "dpop": true, "gnap": true, "hawk": true, "hoba": true,
	"mutual": true, "negotiate": true, "ntlm": true, "oauth": true, "privatetoken": true,
	"apikey": true, "api-key": true, "token": true, "aws4-hmac-sha256": true,
}

// maxScheme is the length of the longest of them.
const maxScheme = len("aws4-hmac-sha256")

// secretValue returns what stands instead of a value that is known to be secret. Space around it,
// and what the kind of the rule keeps, stays; a value that is redacted already is returned as it is.
func (r *Redactor) secretValue(rule rule, value []byte) []byte {
	core := bytes.TrimSpace(value)
	if len(core) == 0 || isMark(core) {
		return value
	}
	from := bytes.Index(value, core)
	out := append([]byte(nil), value[:from]...)
	switch rule.kind {
	case cookie, setCookie:
		out = append(out, r.cookies(rule, core)...)
	case auth:
		n := schemeLength(core)
		out = append(out, core[:n]...)
		out = append(out, r.markUnlessMarked(rule, core[n:])...)
	default:
		out = append(out, r.mark(rule.name, core)...)
	}
	return append(out, value[from+len(core):]...)
}

func (r *Redactor) markUnlessMarked(rule rule, secret []byte) []byte {
	if len(secret) == 0 || isMark(secret) {
		return secret
	}
	return r.mark(rule.name, secret)
}

// schemeLength returns the length of the scheme and the space after it that value begins with, or 0.
func schemeLength(value []byte) int {
	n := bytes.IndexByte(value[:min(len(value), maxScheme+1)], ' ')
	if n < 0 || !schemes[string(bytes.ToLower(value[:n]))] {
		return 0
	}
	for n < len(value) && value[n] == ' ' {
		n++
	}
	return n
}

// cookieAttributes are the attributes of Set-Cookie (RFC 6265 §4.1, and its successor).
var cookieAttributes = map[string]bool{
	"expires": true, "max-age": true, "domain": true, "path": true, "secure": true, "httponly": true,
	"samesite": true, "partitioned": true, "priority": true,
}

// cookies keeps the names of cookies and the attributes of Set-Cookie, and replaces the rest.
func (r *Redactor) cookies(rule rule, value []byte) []byte {
	var out []byte
	for i, pair := range bytes.Split(value, []byte(";")) {
		if i > 0 {
			out = append(out, ';')
		}
		core := bytes.TrimSpace(pair)
		from := bytes.Index(pair, core)
		name, secret, paired := bytes.Cut(core, []byte("="))
		out = append(out, pair[:from]...)
		switch {
		case i > 0 && rule.kind == setCookie && cookieAttributes[string(bytes.ToLower(name))]:
			out = append(out, core...)
		case !paired, len(bytes.Trim(secret, "=")) == 0: // no pair, or the padding of base64
			out = append(out, r.markUnlessMarked(rule, core)...)
		default:
			out = append(append(out, name...), '=')
			out = append(out, r.markUnlessMarked(rule, secret)...)
		}
		out = append(out, pair[from+len(core):]...)
	}
	return r.replace(out, append(r.literals(out), r.shapes(out)...))
}
