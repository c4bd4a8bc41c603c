package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"time"
)

const (
	utf8BOM       = "\xEF\xBB\xBF"
	maxBlanks     = 1 << 10 // blank lines in a row that are kept for the next event
	maxEmptyReads = 100     // a reader that gives neither bytes nor an error must not hang the caller
	maxRetry      = math.MaxInt64 / int64(time.Millisecond)
)

// Event is one block of a server-sent event stream: the lines up to a blank line, as the WHATWG HTML
// standard, section 9.2.6, reads them. Text stands in it as received; nothing is replaced where it
// is not UTF-8.
type Event struct {
	Type        string // value of the last event field; "" without one, and means "message"
	Data        []byte // the data fields joined by "\n"; nil without one; may share memory with Raw
	ID          string // value of the last id field that counts: one without a NUL
	HasID       bool   // there was one; an empty one takes back the ids before it
	LastEventID string // ID, or that of the last event that had one
	Retry       int    // milliseconds of the last retry field that is only digits; -1 without one

	// Dispatched says that a browser would hand the event to its listeners, which is so when there
	// is any data field: "data:" alone dispatches an event with empty Data. The id and retry of a
	// block that is not dispatched count all the same.
	Dispatched bool

	Comments []string // the comment lines, each without its colon

	// Raw holds every byte since the event before: blank lines beyond the one that ended it, the
	// byte order mark, and the block with its blank line. It is owned by the caller.
	Raw []byte
}

// EventReader reads a server-sent event stream (WHATWG HTML, section 9.2). Lines end at LF, CR or
// CRLF and nowhere else. The Raw bytes of its events, one after the other, and Rest are the stream,
// but for events over the limit. It is not safe for concurrent use.
type EventReader struct {
	src   io.Reader
	limit int
	err   error // what ended the stream

	// buf[head:tail] was read and not returned yet, buf[start:pos] are the whole lines of the
	// current block, buf[pos:scan] is the part of a line in which no terminator was found.
	buf                          []byte
	head, start, pos, scan, tail int

	begun   bool // past the place of the byte order mark
	afterCR bool // the byte before pos is a CR: an LF at pos belongs to it
	open    bool // the block has a line
	fields  bool // the block has a line that is not a comment
	blanks  int  // blank lines since the last block

	tooLong *TooLongError // not nil while passing over the rest of a block over the limit
	midLine bool          // the current line began with bytes that are no longer in buf
	cut     bool          // the stream ended inside such a block

	lastID, lastType string
}

// NewEventReader returns a reader of the events of r. The lines of an event, with their terminators
// and without the blank line, may have limit bytes; 0 or less means DefaultLimit.
func NewEventReader(r io.Reader, limit int) *EventReader {
	return &EventReader{src: r, limit: limitOrDefault(limit)}
}

// Next returns the next block as soon as the first byte of its blank line's terminator has come. An
// LF that follows a CR there is part of this event's Raw if it has come already, else of the next.
//
// Blocks that a browser would not dispatch are returned too: one that has only an id or a retry, so
// that these take effect, and one that has only comments, so that a keep-alive can be passed on at
// once. Further blank lines become part of the next event's Raw; each 1024 of them in a row, of an
// event that has nothing else.
//
// The error is a *TooLongError for one event over the limit, after which reading can go on; an id or
// retry in it has no effect, since the event was not received. Any other error is final: io.EOF at
// the end, io.ErrUnexpectedEOF, wrapped, at an end inside an event, or the underlying reader's error,
// wrapped. What was read and belongs to no event is then in Rest.
func (r *EventReader) Next() (Event, error) {
	for {
		begin, blank, ok := r.nextLine()
		switch {
		case !ok:
			r.checkLimit()
			if err := r.fill(); err != nil {
				return Event{}, r.end(err)
			}
		case !blank:
			r.addLine(begin)
		case r.open:
			return r.finish(begin)
		default:
			if r.blanks++; r.blanks == maxBlanks {
				return r.take(nil), nil
			}
		}
	}
}

// Rest returns the bytes that were read and belong to no event that Next returned, nor to one over
// the limit. It shares the reader's memory: use it once Next has returned its final error.
func (r *EventReader) Rest() []byte {
	return r.buf[r.head:r.tail:r.tail]
}

// nextLine steps over one line. It returns where the line begins and whether it is blank, or that
// its terminator has not come yet.
func (r *EventReader) nextLine() (begin int, blank, ok bool) {
	r.skipLF()
	if !r.skipBOM() {
		return 0, false, false
	}
	n := lineEnd(r.buf[r.scan:r.tail])
	if n < 0 {
		r.scan = r.tail
		return 0, false, false
	}
	begin, r.pos = r.pos, r.scan+n+1
	blank = r.pos-1 == begin && !r.midLine
	r.scan, r.midLine = r.pos, false
	r.afterCR = r.buf[r.pos-1] == '\r'
	r.skipLF()
	return begin, blank, true
}

// skipLF takes an LF at pos as the second half of a CRLF, now that it is known whether there is one.
func (r *EventReader) skipLF() {
	if !r.afterCR || r.pos == r.tail {
		return
	}
	r.afterCR = false
	if r.buf[r.pos] == '\n' {
		r.pos++
		r.scan = r.pos
	}
}

// skipBOM passes over one byte order mark at the start of the stream. It returns false while it
// takes more bytes to tell.
func (r *EventReader) skipBOM() bool {
	if r.begun {
		return true
	}
	got := r.buf[r.pos:r.tail]
	if len(got) < len(utf8BOM) && string(got) == utf8BOM[:len(got)] {
		return false
	}
	if bytes.HasPrefix(got, []byte(utf8BOM)) {
		r.pos += len(utf8BOM)
		r.scan = r.pos
	}
	r.begun = true
	return true
}

// addLine makes the line at begin part of the current block.
func (r *EventReader) addLine(begin int) {
	if !r.open {
		r.open, r.start = true, begin
	}
	if r.buf[begin] != ':' {
		r.fields = true
	}
}

// checkLimit begins to pass over the current block once that is over the limit, and lets go of what
// has come of it.
func (r *EventReader) checkLimit() {
	if !r.open {
		r.start = r.pos
	}
	if r.tooLong == nil {
		if !r.begun || r.tail-r.start <= r.limit {
			return
		}
		r.tooLong = &TooLongError{Limit: r.limit}
	}
	r.tooLong.add(r.buf[r.start:r.tail])
	r.midLine = r.pos < r.tail
	r.head, r.start, r.pos, r.scan, r.tail = 0, 0, 0, 0, 0
}

// finish ends the current block at its blank line, which begins at blank.
func (r *EventReader) finish(blank int) (Event, error) {
	block := r.buf[r.start:blank]
	if r.tooLong == nil && len(block) <= r.limit {
		return r.take(block), nil
	}
	tooLong := r.tooLong
	if tooLong == nil {
		tooLong = &TooLongError{Limit: r.limit}
	}
	tooLong.add(block)
	r.reset()
	return Event{}, tooLong
}

// take returns everything up to pos as an event with the lines of block, which ends at its blank
// line.
func (r *EventReader) take(block []byte) Event {
	event := Event{Raw: bytes.Clone(r.buf[r.head:r.pos]), Retry: -1}
	if len(block) > 0 {
		own := event.Raw[r.start-r.head:]
		r.parse(&event, own[:len(block)])
	}
	event.LastEventID = r.lastID
	r.reset()
	return event
}

// reset makes ready for the block that begins at pos.
func (r *EventReader) reset() {
	r.head = r.pos
	r.open, r.fields, r.blanks, r.tooLong = false, false, 0, nil
	if left := r.tail - r.head; cap(r.buf) > keepBufferSize && left < readBufferSize {
		r.resize(readBufferSize)
	}
}

// fill waits for one read from the source, and makes room for it first.
func (r *EventReader) fill() error {
	if r.err != nil {
		return r.err
	}
	if r.tail == len(r.buf) || r.tail == r.head {
		r.makeRoom()
	}
	for range maxEmptyReads {
		n, err := r.src.Read(r.buf[r.tail:])
		r.tail += n
		r.err = err
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	r.err = io.ErrNoProgress
	return r.err
}

// eventBufferSize is where the buffer of a stream begins: most streams wait, and a process
// may have a thousand of them.
const eventBufferSize = 4 << 10

// makeRoom moves what is left to the front of the buffer, of a larger one if it fills that,
// or if more came at once than a small one takes.
func (r *EventReader) makeRoom() {
	left, busy := r.tail-r.head, r.tail == len(r.buf) && len(r.buf) < readBufferSize
	switch {
	case len(r.buf) == 0:
		r.buf = make([]byte, eventBufferSize)
	case left > len(r.buf)/2 || busy:
		r.resize(2 * len(r.buf))
	default:
		r.moveTo(r.buf)
	}
}

func (r *EventReader) resize(size int) {
	r.moveTo(make([]byte, size))
}

func (r *EventReader) moveTo(buf []byte) {
	copy(buf, r.buf[r.head:r.tail])
	r.buf = buf
	r.start -= r.head
	r.pos -= r.head
	r.scan -= r.head
	r.tail -= r.head
	r.head = 0
}

// end says what it means that the stream ended with err here.
func (r *EventReader) end(err error) error {
	switch {
	case r.tooLong != nil:
		tooLong := r.tooLong
		r.reset()
		r.cut = true
		return tooLong
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("read event stream: %w", err)
	case r.cut || r.fields || r.pos < r.tail:
		return fmt.Errorf("event stream ended before the blank line of its last event: %w", io.ErrUnexpectedEOF)
	default:
		return io.EOF
	}
}

// parse reads the lines of a whole block into event.
func (r *EventReader) parse(event *Event, block []byte) {
	for len(block) > 0 {
		n := lineEnd(block)
		line := block[:n:n]
		block = afterLineEnd(block[n:])
		name, value := line, line[n:]
		if colon := bytes.IndexByte(line, ':'); colon >= 0 {
			name, value = line[:colon], line[colon+1:]
		}
		if len(name) == 0 {
			event.Comments = append(event.Comments, string(value))
			continue
		}
		r.setField(event, name, bytes.TrimPrefix(value, []byte(" ")), len(block))
	}
}

// setField takes in one field. Names are compared as they are, without folding case, and unknown
// ones are ignored. At most more bytes of data follow in the block.
func (r *EventReader) setField(event *Event, name, value []byte, more int) {
	switch string(name) {
	case "event":
		if r.lastType != string(value) { // a stream has few types: share their strings
			r.lastType = string(value)
		}
		event.Type = r.lastType
	case "data":
		event.addData(value, more)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			event.ID, event.HasID = string(value), true
			r.lastID = event.ID
		}
	case "retry":
		if ms, ok := parseRetry(value); ok {
			event.Retry = ms
		}
	}
}

func (e *Event) addData(value []byte, more int) {
	switch {
	case !e.Dispatched:
		e.Data, e.Dispatched = value, true
		return
	case cap(e.Data) == len(e.Data): // still shares memory with Raw
		e.Data = append(make([]byte, 0, len(e.Data)+1+len(value)+more), e.Data...)
	}
	e.Data = append(append(e.Data, '\n'), value...)
}

// parseRetry reads a reconnection time: digits and nothing else. One too long for a time.Duration is
// taken as the longest that is not.
func parseRetry(value []byte) (int, bool) {
	var ms int64
	for _, c := range value {
		if c < '0' || c > '9' {
			return 0, false
		}
		ms = min(ms*10+int64(c-'0'), maxRetry)
	}
	return int(min(ms, math.MaxInt)), len(value) > 0
}

// afterLineEnd returns b without the line terminator that it begins with.
func afterLineEnd(b []byte) []byte {
	if bytes.HasPrefix(b, []byte("\r\n")) {
		return b[2:]
	}
	return b[1:]
}

// lineEnd returns the index of the first CR or LF, or -1. It searches for each in a window that
// grows, so that a stream which has but one of them is not searched to its end for the other.
func lineEnd(b []byte) int {
	for from, size := 0, 512; from < len(b); from, size = from+size, 4*size {
		window := b[from:min(from+size, len(b))]
		lf := bytes.IndexByte(window, '\n')
		if lf >= 0 {
			window = window[:lf]
		}
		if cr := bytes.IndexByte(window, '\r'); cr >= 0 {
			return from + cr
		}
		if lf >= 0 {
			return from + lf
		}
	}
	return -1
}
