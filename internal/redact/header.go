package redact

import "net/http"

// sessionHeader is kept: it is no credential (MCP 2025-11-25, basic/security_best_practices: a server
// must not use sessions for authentication), and a transcript is unreadable without it.
const sessionHeader = "Mcp-Session-Id"

// Header returns a copy of h without its secrets. Names, and the order of values, stay.
func (r *Redactor) Header(h http.Header) http.Header {
	out := make(http.Header, len(h))
	for name, values := range h {
		redacted := make([]string, len(values))
		for i, v := range values {
			redacted[i] = r.headerValue(name, v)
		}
		out[name] = redacted
	}
	return out
}

func (r *Redactor) headerValue(name, value string) string {
	if rule, ok := ruleFor([]byte(name), secretNames); ok {
		return string(r.secretValue(rule, []byte(value)))
	}
	if http.CanonicalHeaderKey(name) == sessionHeader {
		return string(r.replace([]byte(value), r.literals([]byte(value))))
	}
	return string(r.leaf([]byte(value)))
}
