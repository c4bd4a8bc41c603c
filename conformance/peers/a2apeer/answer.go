package a2apeer

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"github.com/peerwright/peerwright/internal/wire"
)

// answer mends what the SDK writes: each event of a stream, or the one body. The
// head waits for the first of it, so that a stream which is an error from the
// start is answered as an error.
type answer struct {
	http.ResponseWriter
	mend func(raw []byte) []byte
	// media is the Content-Type of a body; "" means application/json.
	media string
	// failed gives the HTTP status of an answer that is an error; nil means 200.
	failed func(raw []byte) (status int, isError bool)

	status  int
	buffer  bytes.Buffer
	started bool // the head of a stream is out
}

// WriteHeader implements http.ResponseWriter; the head goes out later.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// Write implements http.ResponseWriter.
func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	a.buffer.Write(b)
	if !strings.HasPrefix(a.Header().Get("Content-Type"), "text/event-stream") {
		return len(b), nil // finish writes it
	}
	for {
		event, rest, whole := bytes.Cut(a.buffer.Bytes(), []byte("\n\n"))
		if !whole {
			return len(b), nil
		}
		event, rest = bytes.Clone(event), bytes.Clone(rest)
		a.buffer.Reset()
		a.buffer.Write(rest)
		if err := a.event(event); err != nil {
			return 0, err
		}
	}
}

// event writes one event of a stream.
func (a *answer) event(raw []byte) error {
	head, data, found := bytes.Cut(raw, []byte("data: "))
	if !a.started && found && wire.Get(data, "error") != nil {
		a.Header().Set("Content-Type", "application/json")
		a.Header().Del("Cache-Control")
		a.Header().Del("X-Accel-Buffering")
		a.buffer.Reset()
		a.buffer.Write(data)
		return nil // finish writes it
	}
	if !a.started {
		a.started = true
		a.ResponseWriter.WriteHeader(http.StatusOK)
	}
	if found {
		raw = fmt.Appendf(bytes.Clone(head), "data: %s", a.mend(data))
	}
	_, err := a.ResponseWriter.Write(append(raw, "\n\n"...))
	return err //nolint:wrapcheck // the SDK tests for the connection's own error
}

// Flush implements http.Flusher.
func (a *answer) Flush() {
	if a.started {
		_ = http.NewResponseController(a.ResponseWriter).Flush() // a client that left ends the request
	}
}

// finish writes the body, when the answer is none of events.
func (a *answer) finish() {
	if a.started {
		return
	}
	media := a.media
	if media == "" {
		media = "application/json"
	}
	body := a.mend(bytes.TrimSpace(a.buffer.Bytes()))
	status := max(a.status, http.StatusOK)
	if a.failed != nil {
		if s, isError := a.failed(body); isError {
			status = s
		}
	}
	a.Header().Set("Content-Type", media)
	a.ResponseWriter.WriteHeader(status)
	_, _ = a.ResponseWriter.Write(body) // a client that left does not read it
}

// silent is a response that nobody reads.
type silent struct{ header http.Header }

func (s *silent) Header() http.Header         { return s.header }
func (s *silent) Write(b []byte) (int, error) { return len(b), nil }
func (s *silent) WriteHeader(int)             {}
func (s *silent) Flush()                      {}
