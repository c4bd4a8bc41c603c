package transport

import (
	"bytes"
	"errors"
	"io"
	"iter"

	"github.com/peerwright/peerwright/internal/wire"
)

// errEarlyClose is the note of a body that its reader closed before its end.
var errEarlyClose = errors.New("closed by the reader before the end")

// wholeParts shows a body as one frame at its end, or as chunks once it has grown
// over max.
type wholeParts struct {
	max  int
	show showFunc
	held []byte
	over bool
}

func (w *wholeParts) add(p []byte) {
	switch {
	case w.over:
		w.show(wire.FrameChunk, bytes.Clone(p), nil, "")
	case len(w.held)+len(p) <= w.max:
		w.held = append(w.held, p...)
	default:
		w.over = true
		w.show(wire.FrameChunk, append(w.held, p...), nil, "")
		w.held = nil
	}
}

func (w *wholeParts) flush() {
	if len(w.held) > 0 {
		w.show(wire.FrameBody, w.held, nil, "")
	}
}

// eventParts shows each block of a server-sent event stream as soon as it is
// whole. It drives wire.EventReader by what the consumer has read, in the
// consumer's own goroutine, so that the tap has seen an event before anyone can
// act on it.
type eventParts struct {
	show   showFunc
	next   func() (struct{}, bool)
	stop   func()
	input  []byte // what the event reader has not taken yet
	closed bool   // no more input will come
}

func newEventParts(limit int, show showFunc) *eventParts {
	e := &eventParts{show: show}
	e.next, e.stop = iter.Pull(e.run(limit))
	return e
}

func (e *eventParts) add(p []byte) {
	e.input = p
	e.next() // runs until all of p is taken
}

func (e *eventParts) flush() {
	e.closed = true
	e.next()
	e.stop()
}

// run reads events, and yields whenever it needs more input.
func (e *eventParts) run(limit int) iter.Seq[struct{}] {
	return func(yield func(struct{}) bool) {
		reader := wire.NewEventReader(inputFunc(func(p []byte) int { return e.take(p, yield) }), limit)
		for {
			event, err := reader.Next()
			var tooLong *wire.TooLongError
			switch {
			case err == nil:
				e.show(wire.FrameEvent, event.Raw, &event, "")
			case errors.As(err, &tooLong):
				e.show(wire.FrameChunk, tooLong.Head, nil, err.Error()) // only its beginning is kept
			default:
				if rest := reader.Rest(); len(rest) > 0 {
					e.show(wire.FrameChunk, bytes.Clone(rest), nil, "")
				}
				return
			}
		}
	}
}

// take waits for input and gives it away; 0 means that there will be none.
func (e *eventParts) take(p []byte, yield func(struct{}) bool) int {
	for len(e.input) == 0 {
		if e.closed || !yield(struct{}{}) {
			return 0
		}
	}
	n := copy(p, e.input)
	e.input = e.input[n:]
	return n
}

// inputFunc makes a reader of a function that returns 0 at the end.
type inputFunc func(p []byte) int

func (f inputFunc) Read(p []byte) (int, error) {
	if n := f(p); n > 0 {
		return n, nil
	}
	return 0, io.EOF
}
