package stdio

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// quiet is how long a stream whose process is dead may be silent before it counts
// as ended: a process that the dead one left behind may hold it open for ever.
const quiet = 200 * time.Millisecond

// stream is what pipes of the system and of package net have in common.
type stream interface {
	io.ReadCloser
	SetReadDeadline(t time.Time) error
}

// source reads one output stream of a process, up to the end of the stream or, once
// the process is gone, up to its silence.
type source struct {
	stream
	mu   sync.Mutex
	gone bool
}

// Read implements io.Reader. It never loses bytes that the process wrote.
func (s *source) Read(p []byte) (int, error) {
	for {
		gone := s.arm()
		n, err := s.stream.Read(p)
		switch {
		case n > 0 || err == nil:
			return n, nil
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return 0, err //nolint:wrapcheck // io.EOF must stay as it is
		case gone:
			return 0, io.EOF
		}
	}
}

// arm gives the next read its deadline where the process is gone, and tells so.
func (s *source) arm() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		_ = s.SetReadDeadline(time.Now().Add(quiet)) // without deadlines the stream ends by Close
	}
	return s.gone
}

// ownerGone tells the source that its process has ended.
func (s *source) ownerGone() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone = true
	_ = s.SetReadDeadline(time.Now()) // wakes a read that is under way
}
