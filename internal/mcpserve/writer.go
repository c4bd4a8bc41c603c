package mcpserve

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/peerwright/peerwright/internal/wire"
)

// headAfter is how long the head of an answer may wait for the first event.
const headAfter = 20 * time.Millisecond

// answerWriter mends what the SDK writes: it writes each SSE event, and each JSON
// body, in one piece. The SDK writes from one goroutine at a time; the head may go
// out from another.
type answerWriter struct {
	to   http.ResponseWriter
	mend mender
	id   wire.ID // an error in plain text becomes the answer to it; the zero id leaves the text alone
	// head is called before the head is written, with what the SDK put in it; nil
	// does nothing.
	head func(h http.Header)
	// seen is told the id of every event that is written; nil is told nothing.
	seen func(event string)

	header http.Header // as the SDK sees it

	mu      sync.Mutex
	wrote   bool // the head is out
	events  bool // as that of a stream
	textual bool // what follows is an error in plain text
	early   *time.Timer
	closed  bool
}

func newAnswerWriter(w http.ResponseWriter, m mender, id wire.ID) *answerWriter {
	return &answerWriter{to: w, mend: m, id: id, header: http.Header{}}
}

// headWithin sends the head of a stream when there is nothing to send after d: a
// client that cannot see that its call was taken could not cancel it either.
func (a *answerWriter) headWithin(d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.early = time.AfterFunc(d, a.stream)
}

// stream sends the head of a stream, unless a head is out.
func (a *answerWriter) stream() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.wrote || a.closed {
		return
	}
	a.wrote, a.events = true, true
	a.to.Header().Set("Content-Type", "text/event-stream")
	a.to.Header().Set("Cache-Control", "no-cache, no-transform")
	a.to.Header().Set("X-Accel-Buffering", "no")
	a.to.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(a.to).Flush() // a client that left ends the request
}

// close tells that the HTTP handler is about to return.
func (a *answerWriter) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	if a.early != nil {
		a.early.Stop()
	}
}

// Header implements http.ResponseWriter.
func (a *answerWriter) Header() http.Header { return a.header }

// FlushError implements what http.ResponseController looks for.
func (a *answerWriter) FlushError() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return http.NewResponseController(a.to).Flush() //nolint:wrapcheck // the SDK tests for the connection's own error
}

// WriteHeader implements http.ResponseWriter.
func (a *answerWriter) WriteHeader(status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.writeHead(status)
}

// writeHead mends the head: streams tell proxies not to buffer.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#receiving-messages
func (a *answerWriter) writeHead(status int) {
	if status >= http.StatusBadRequest && !a.id.IsZero() && strings.HasPrefix(a.header.Get("Content-Type"), "text/plain") {
		a.textual = true
		a.header.Set("Content-Type", "application/json")
	}
	if a.wrote {
		return
	}
	a.wrote = true
	if a.head != nil {
		a.head(a.header)
	}
	maps.Copy(a.to.Header(), a.header)
	if strings.HasPrefix(a.header.Get("Content-Type"), "text/event-stream") {
		a.events = true
		a.to.Header().Set("X-Accel-Buffering", "no")
	}
	a.to.WriteHeader(status)
}

// Write writes one event or one body. It reports the length of what it was given,
// whatever became of that.
func (a *answerWriter) Write(b []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.wrote {
		a.writeHead(http.StatusOK)
	}
	out := b
	switch {
	case a.textual:
		out = faultf(codeInvalidRequest, "%s", bytes.TrimSpace(b)).encode(a.id, a.mend.revision)
	case bytes.HasPrefix(b, []byte("{")):
		out = a.mend.outbound(b)
	case a.events:
		out = a.event(b)
	}
	if a.events && bytes.HasPrefix(out, []byte("{")) { // the head promised a stream before this was known
		out = fmt.Appendf(nil, "event: message\ndata: %s\n\n", out)
	}
	if _, err := a.to.Write(out); err != nil { //nolint:gosec // JSON, never shown as a page
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
		if data = a.mend.outbound(data); data == nil {
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

// Header implements http.ResponseWriter.
func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }

// WriteHeader implements http.ResponseWriter.
func (d *discard) WriteHeader(int) {}

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
