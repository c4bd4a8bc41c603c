package http1

import "net/http"

// maxBody is how large a request may be that is written before its answer is read: it
// must fit what the system takes without the peer reading. It is 32 KiB.
const maxBody = 32 << 10

// takes tells whether the request is small and plain.
func (c *Client) takes(req *http.Request) bool {
	if !supported || req.URL == nil || req.URL.Scheme != "http" || req.Close || len(req.TransferEncoding)+len(req.Trailer) > 0 {
		return false
	}
	if req.ContentLength < 0 || req.ContentLength > maxBody || req.ContentLength == 0 && req.Body != nil && req.Body != http.NoBody {
		return false
	}
	if req.Method == http.MethodConnect || !isToken(req.Method) || !isHost(req.URL.Host) || req.Host != "" && !isHost(req.Host) {
		return false
	}
	if !plainHeader(req.Header) {
		return false
	}
	if c.Proxy == nil {
		return true
	}
	proxy, err := c.Proxy(req)
	return err == nil && proxy == nil
}

// plainHeader tells whether the header says nothing of how the message is transferred,
// and nothing that cannot stand in a header.
func plainHeader(h http.Header) bool {
	for _, name := range []string{"Connection", "Upgrade", "Expect", "Te", "Trailer", "Transfer-Encoding"} {
		if _, there := h[name]; there {
			return false
		}
	}
	for name, values := range h {
		if !isToken(name) {
			return false
		}
		for _, value := range values {
			if !isValue(value) {
				return false
			}
		}
	}
	return true
}

// isToken tells whether s may be a method or the name of a header, as far as letters,
// digits, hyphens and underscores reach; what else may is not plain.
//
// https://www.rfc-editor.org/rfc/rfc9110#name-tokens
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !isAlphanumeric(c) && c != '-' && c != '_' {
			return false
		}
	}
	return s != ""
}

// isHost tells whether s is a host, perhaps with a port, without any character that asks
// to be encoded.
func isHost(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !isAlphanumeric(c) && c != '-' && c != '.' && c != ':' && c != '[' && c != ']' {
			return false
		}
	}
	return s != ""
}

// isValue tells whether s may be the value of a header.
//
// https://www.rfc-editor.org/rfc/rfc9110#name-field-values
func isValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
