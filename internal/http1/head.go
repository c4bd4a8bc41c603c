package http1

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
)

// plainHead reads the head of an answer that is whole in the buffer and says nothing out of
// the ordinary: a body by its length, and nothing about the connection. It returns nil, and
// has read nothing, for all others: those are for net/http to read or refuse.
//
// https://www.rfc-editor.org/rfc/rfc9112#name-message-body-length
func plainHead(in *bufio.Reader, req *http.Request) *http.Response {
	if _, err := in.Peek(1); err != nil || req.Method == http.MethodHead {
		return nil
	}
	buffered, _ := in.Peek(in.Buffered()) // what is there can be peeked at
	end := bytes.Index(buffered, []byte("\r\n\r\n"))
	if end < 0 {
		return nil
	}
	head := string(buffered[:end])
	line, fields, _ := strings.Cut(head, "\r\n")
	resp := plainStatus(line)
	if resp == nil || !plainFields(resp, fields) {
		return nil
	}
	_, _ = in.Discard(end + len("\r\n\r\n")) // it is there
	resp.Request, resp.Body = req, http.NoBody
	if resp.ContentLength > 0 {
		resp.Body = &sized{in, resp.ContentLength}
	}
	return resp
}

// plainStatus reads a status line; nil for one that is not plain, or whose answer has no body.
func plainStatus(line string) *http.Response {
	status, ok := strings.CutPrefix(line, "HTTP/1.1 ")
	if !ok || len(status) < 3 || len(status) > 3 && status[3] != ' ' || !isValue(status) {
		return nil
	}
	code, ok := digits(status[:3])
	if !ok || code < http.StatusOK || code == http.StatusNoContent || code == http.StatusNotModified {
		return nil
	}
	return &http.Response{Status: status, StatusCode: int(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1}
}

// plainFields reads the header into the answer, and tells whether that was all there is to it.
func plainFields(resp *http.Response, fields string) bool {
	n := strings.Count(fields, "\r\n") + 1
	values := make([]string, 0, n)
	resp.Header = make(http.Header, n)
	for line := range strings.SplitSeq(fields, "\r\n") {
		name, value, ok := strings.Cut(line, ":")
		value = strings.Trim(value, " \t")
		if !ok || !isToken(name) || !isValue(value) {
			return false
		}
		name = textproto.CanonicalMIMEHeaderKey(name)
		if _, again := resp.Header[name]; again || special(name) {
			return false
		}
		if values = append(values, value); name == "Content-Length" {
			if resp.ContentLength, ok = digits(value); !ok {
				return false
			}
		}
		resp.Header[name] = values[len(values)-1 : len(values) : len(values)]
	}
	return resp.ContentLength >= 0
}

// special tells whether a header says more than it seems.
func special(name string) bool {
	switch name {
	case "Connection", "Transfer-Encoding", "Trailer", "Upgrade", "Pragma":
		return true
	}
	return false
}

// digits reads a number of at most 15 of them.
func digits(s string) (int64, bool) {
	if len(s) > 15 || strings.ContainsAny(s, "+-_") {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// sized is a body of which so many bytes are left.
type sized struct {
	in   *bufio.Reader
	left int64
}

// Read implements io.Reader.
func (s *sized) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	n, err := s.in.Read(p[:min(int64(len(p)), s.left)])
	if s.left -= int64(n); s.left == 0 {
		return n, io.EOF
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Close implements io.Closer. The connection is for the one around it to close.
func (s *sized) Close() error { return nil }
