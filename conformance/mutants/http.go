package mutants

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/peerwright/peerwright/internal/wire"
)

// inFront puts hear and swap in front of an HTTP peer. Events pass one by one; a
// body in one piece waits for its end.
func inFront(next http.Handler, hear Hear, swap Swap) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request, ok := posted(w, r)
		if !ok {
			return
		}
		if r.Method == http.MethodPost {
			told, answer := hear.hears(request)
			if answer != nil {
				sendJSON(w, answer)
				return
			}
			if told == nil {
				w.WriteHeader(http.StatusAccepted)
				return
			}
			setBody(r, told)
		}
		out := &swapWriter{to: w, request: request, swap: swap, header: http.Header{}}
		next.ServeHTTP(out, r)
		out.finish()
	})
}

// posted reads the message of a POST, and leaves the body to be read again.
func posted(w http.ResponseWriter, r *http.Request) (wire.Message, bool) {
	if r.Method != http.MethodPost {
		return wire.Message{}, true
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return wire.Message{}, false
	}
	setBody(r, body)
	return wire.Parse(body), true
}

func setBody(r *http.Request, body []byte) {
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
}

func sendJSON(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // a client that is gone needs no answer
}

// swapWriter swaps the messages that the good peer writes.
type swapWriter struct {
	to      http.ResponseWriter
	request wire.Message
	swap    Swap
	header  http.Header // as the good peer sees it

	status int // 0 until the head is written
	events bool
	kept   []byte // the beginning of an event, or a whole body so far
}

// Header implements http.ResponseWriter.
func (s *swapWriter) Header() http.Header { return s.header }

// WriteHeader implements http.ResponseWriter. The head of a stream goes out at once.
func (s *swapWriter) WriteHeader(status int) {
	if s.status != 0 {
		return
	}
	s.status = status
	s.events = strings.HasPrefix(s.header.Get("Content-Type"), "text/event-stream")
	if s.events {
		s.head()
	}
}

func (s *swapWriter) head() {
	for name, values := range s.header {
		s.to.Header()[name] = values
	}
	s.to.Header().Del("Content-Length") // it counted other bytes
	s.to.WriteHeader(s.status)
}

// Write implements http.ResponseWriter.
func (s *swapWriter) Write(b []byte) (int, error) {
	s.WriteHeader(http.StatusOK)
	s.kept = append(s.kept, b...)
	for s.events {
		block, rest, whole := bytes.Cut(s.kept, []byte("\n\n"))
		if !whole {
			break
		}
		out := s.event(append(bytes.Clone(block), "\n\n"...))
		s.kept = bytes.Clone(rest)
		if _, err := s.to.Write(out); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// event swaps the message in one event, which the good peer writes as one line of
// data below the others, all of them ended by LF.
func (s *swapWriter) event(block []byte) []byte {
	head, data, _ := bytes.Cut(block, []byte("data: "))
	data = bytes.TrimSuffix(data, []byte("\n\n"))
	if len(data) == 0 {
		return block
	}
	var out []byte
	for i, raw := range s.swap.swaps(s.request, wire.Parse(data)) {
		if i > 0 {
			head = nil // its id is taken
		}
		out = fmt.Appendf(out, "%sdata: %s\n\n", head, raw)
	}
	return out
}

// FlushError implements what http.ResponseController looks for.
func (s *swapWriter) FlushError() error {
	if !s.events {
		return nil // a body in one piece goes out at its end
	}
	return http.NewResponseController(s.to).Flush()
}

// finish writes what waited for the end.
func (s *swapWriter) finish() {
	if s.events {
		return
	}
	s.WriteHeader(http.StatusOK)
	body := s.kept
	if m := wire.Parse(body); m.Kind != wire.KindInvalid {
		body = bytes.Join(s.swap.swaps(s.request, m), []byte("\n"))
	}
	s.head()
	_, _ = s.to.Write(body) // a client that is gone needs no answer
}
