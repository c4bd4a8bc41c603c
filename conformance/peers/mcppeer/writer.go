package mcppeer

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"github.com/peerwright/peerwright/internal/wire"
)

// answerWriter mends what the SDK writes: it writes each SSE event, and each JSON
// body, in one piece.
type answerWriter struct {
	http.ResponseWriter
	mend func(raw []byte) []byte
	// head is called once, before the head is written; nil does nothing.
	head func(h http.Header)
	// seen is told the id of every event that is written; nil is told nothing.
	seen func(event string)
	// id is what an error in plain text is turned into an answer to; the zero id
	// leaves the text alone.
	id       wire.ID
	revision string
	wrote    bool
	textual  bool // the body is an error in plain text
}

// Unwrap lets http.ResponseController find the flusher.
func (a *answerWriter) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader mends the head: streams tell proxies not to buffer.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#receiving-messages
func (a *answerWriter) WriteHeader(status int) {
	if a.wrote {
		return
	}
	a.wrote = true
	if a.head != nil {
		a.head(a.Header())
	}
	if a.streams() {
		a.Header().Set("X-Accel-Buffering", "no")
	}
	if status >= http.StatusBadRequest && !a.id.IsZero() && strings.HasPrefix(a.Header().Get("Content-Type"), "text/plain") {
		a.textual = true
		a.Header().Set("Content-Type", "application/json")
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answerWriter) streams() bool {
	return strings.HasPrefix(a.Header().Get("Content-Type"), "text/event-stream")
}

// Write writes one event or one body. It reports the length of what it was given,
// whatever became of that.
func (a *answerWriter) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	out := b
	switch {
	case a.textual:
		out = faultf(codeInvalidRequest, "%s", bytes.TrimSpace(b)).encode(a.id, a.revision)
	case a.streams():
		out = a.event(b)
	case len(b) > 0 && b[0] == '{':
		out = a.mend(b)
	}
	if _, err := a.ResponseWriter.Write(out); err != nil {
		return 0, err //nolint:wrapcheck // the SDK tests for the connection's own error
	}
	return len(b), nil
}

// event mends the message in an event, and drops the event with a message that
// the client must not have.
func (a *answerWriter) event(b []byte) []byte {
	head, data, found := bytes.Cut(b, []byte("data: "))
	data = bytes.TrimSuffix(data, []byte("\n\n"))
	if found && len(data) > 0 {
		if data = a.mend(data); data == nil {
			return nil
		}
		b = append(append(append([]byte{}, head...), "data: "...), data...)
		b = append(b, "\n\n"...)
	}
	if a.seen != nil {
		if _, after, ok := bytes.Cut(head, []byte("id: ")); ok {
			id, _, _ := bytes.Cut(after, []byte("\n"))
			a.seen(string(id))
		}
	}
	return b
}

// discard is a response that nobody reads.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(int)             {}

// rewritten is the request with another body, and under the revision that the
// session has settled on.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header
func rewritten(r *http.Request, revision string, body []byte) *http.Request {
	out := r.Clone(r.Context())
	out.Header.Set(headerVersion, revision)
	out.Header.Set("Accept", "application/json, text/event-stream")
	if body != nil {
		out.Method = http.MethodPost
		out.Header.Set("Content-Type", "application/json")
		out.Header.Del(headerEvent)
	}
	out.Body = io.NopCloser(bytes.NewReader(body))
	out.ContentLength = int64(len(body))
	return out
}
