package stdio

import (
	"bytes"
	"io"
	"sync"

	"github.com/peerwright/peerwright/internal/wire"
)

const (
	tailSize   = 8 << 10  // how much of stderr is kept for error messages
	stderrLine = 64 << 10 // a longer line is shown to the tap in pieces
)

// stderrLog drains the stderr of a server: it shows the tap each line and keeps the
// tail. Neither a missing newline nor the length of a line stops it.
type stderrLog struct {
	tap  wire.Tap
	line []byte // of the reading goroutine only
	done chan struct{}

	mu   sync.Mutex
	last []byte
}

func newStderrLog(tap wire.Tap) *stderrLog {
	return &stderrLog{tap: tap, done: make(chan struct{})}
}

// drain reads r to its end.
func (l *stderrLog) drain(r io.Reader) {
	defer close(l.done)
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		l.keep(buf[:n])
		l.show(buf[:n])
		if err != nil {
			l.flush()
			return
		}
	}
}

func (l *stderrLog) keep(p []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = append(l.last, p...)
	if extra := len(l.last) - tailSize; extra > 0 {
		l.last = l.last[:copy(l.last, l.last[extra:])]
	}
}

func (l *stderrLog) show(p []byte) {
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n') + 1
		whole := end > 0
		if !whole {
			end = len(p)
		}
		l.line = append(l.line, p[:end]...)
		p = p[end:]
		if whole || len(l.line) >= stderrLine {
			l.flush()
		}
	}
}

func (l *stderrLog) flush() {
	if len(l.line) > 0 {
		l.tap.See(wire.Frame{Dir: wire.In, Kind: wire.FrameStderr, Data: bytes.Clone(l.line)})
	}
	l.line = l.line[:0]
}

// tail returns the last of what came, as far as it has been read.
func (l *stderrLog) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.last)
}
