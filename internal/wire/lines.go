package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
)

// DefaultLimit is how many bytes one line or event may have when the caller sets no limit: 64 MiB.
const DefaultLimit = 64 << 20

const (
	readBufferSize = 64 << 10
	keepBufferSize = 256 << 10 // a larger buffer is let go once the message that needed it is out
	excerptSize    = 1 << 10
)

// ErrEmbeddedNewline is returned for a message that holds a line feed or a carriage return. On a
// stream where newlines delimit messages a message must not contain one (MCP, basic/transports,
// stdio).
var ErrEmbeddedNewline = errors.New("message holds a raw line end; encode it without line breaks")

// TooLongError tells of one line or event over the limit. Only that one is lost: the reader has
// passed over it, and the next call gives what follows.
type TooLongError struct {
	Limit int // bytes allowed
	Read  int // bytes the line or event had, or had when the stream ended inside it

	// Head and Tail are its first and last bytes, at most 1 KiB each, in which a caller may find
	// the id of the call to fail. They may hold secrets and are not part of the error's text.
	Head, Tail []byte
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("message of %d bytes is over the limit of %d bytes; raise the limit to accept it", e.Read, e.Limit)
}

// ID returns the id of the message where it is a response and its id stands whole in its first or
// last bytes, as a member of the message itself; else the zero ID.
func (e *TooLongError) ID() ID {
	begin := bytes.IndexByte(e.Head, '{')
	if begin < 0 || Get(e.Head[begin:], "method") != nil { // no message, or one that answers nothing
		return ID{}
	}
	if id := Get(e.Head[begin:], "id"); id != nil {
		return RawID(id)
	}
	at := bytes.LastIndex(e.Tail, []byte(`"id"`))
	if at < 0 {
		return ID{}
	}
	rest, err := Members(append([]byte("{"), e.Tail[at:]...)) // fails where it is a member of something inside
	if err != nil {
		return ID{}
	}
	return RawID(rest[0].Value)
}

// add counts the next bytes of the message and keeps of them what Head and Tail need.
func (e *TooLongError) add(p []byte) {
	e.Read += len(p)
	e.Head = append(e.Head, p[:min(len(p), excerptSize-len(e.Head))]...)
	if len(p) > excerptSize {
		p = p[len(p)-excerptSize:]
	}
	e.Tail = append(e.Tail, p...)
	if extra := len(e.Tail) - excerptSize; extra > 0 {
		e.Tail = e.Tail[:copy(e.Tail, e.Tail[extra:])]
	}
}

// Line is one line of a newline-delimited stream.
type Line struct {
	Raw          []byte // every byte as received, the terminator included; owned by the caller
	Unterminated bool   // the stream ended, or failed, before the line's "\n"
}

// Content returns the line without its terminator "\n" or "\r\n". It shares memory with Raw.
func (l Line) Content() []byte {
	if l.Unterminated {
		return l.Raw
	}
	content := bytes.TrimSuffix(l.Raw, []byte("\n"))
	content = bytes.TrimSuffix(content, []byte("\r"))
	return content[:len(content):len(content)]
}

// LineReader reads newline-delimited messages: MCP's stdio framing. The Raw bytes of its lines, one
// after the other, are the stream, but for lines over the limit. It is not safe for concurrent use.
type LineReader struct {
	src   *bufio.Reader
	limit int
	long  []byte // collects a line that is longer than src's buffer
	err   error  // what ended the stream
}

// NewLineReader returns a reader of the lines of r. A line may have limit bytes, not counting its
// terminator; 0 or less means DefaultLimit.
func NewLineReader(r io.Reader, limit int) *LineReader {
	return &LineReader{src: bufio.NewReaderSize(r, readBufferSize), limit: limitOrDefault(limit)}
}

func limitOrDefault(limit int) int {
	if limit <= 0 {
		return DefaultLimit
	}
	return limit
}

// Next returns the next line as soon as its "\n" has come; blank lines count. Where the stream ends
// or fails inside a line, what came of it is returned as Unterminated, and the next call tells why.
// The error is a *TooLongError for one line over the limit, after which reading can go on. Any other
// error is final: io.EOF at the end, or the underlying reader's error, wrapped.
func (r *LineReader) Next() (Line, error) {
	if r.err != nil {
		return Line{}, r.err
	}
	part, err := r.src.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return r.nextLong(part)
	}
	return r.finish(part, err)
}

// nextLong reads on in a line of which start filled the buffer.
func (r *LineReader) nextLong(start []byte) (Line, error) {
	r.long = append(r.long[:0], start...)
	for len(r.long)-1 <= r.limit { // the last byte may be the CR of a CRLF, which does not count
		part, err := r.src.ReadSlice('\n')
		if cap(r.long)-len(r.long) < len(part) {
			r.long = slices.Grow(r.long, len(r.long))
		}
		r.long = append(r.long, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return r.finish(r.long, err)
		}
	}
	return Line{}, r.skip()
}

// skip passes over the rest of a line that is over the limit, without keeping it.
func (r *LineReader) skip() error {
	tooLong := &TooLongError{Limit: r.limit}
	tooLong.add(r.long)
	r.release()
	for {
		part, err := r.src.ReadSlice('\n')
		tooLong.add(part)
		if !errors.Is(err, bufio.ErrBufferFull) {
			r.fail(err)
			return tooLong
		}
	}
}

// finish returns the line whose bytes are raw and after which reading ended with err.
func (r *LineReader) finish(raw []byte, err error) (Line, error) {
	r.fail(err)
	if err != nil && len(raw) == 0 {
		return Line{}, r.err
	}
	line := Line{Raw: raw, Unterminated: err != nil}
	if len(line.Content()) > r.limit {
		tooLong := &TooLongError{Limit: r.limit}
		tooLong.add(raw)
		r.release()
		return Line{}, tooLong
	}
	line.Raw = bytes.Clone(raw)
	r.release()
	return line, nil
}

func (r *LineReader) fail(err error) {
	switch {
	case err == nil:
	case errors.Is(err, io.EOF):
		r.err = io.EOF
	default:
		r.err = fmt.Errorf("read line: %w", err)
	}
}

func (r *LineReader) release() {
	if cap(r.long) > keepBufferSize {
		r.long = nil
	}
}

// LineWriter writes newline-delimited messages: MCP's stdio framing. It is safe for concurrent use.
type LineWriter struct {
	mu  sync.Mutex
	dst io.Writer
	buf []byte
	err error // set once a line was cut short: anything after it would be read as its rest
}

// NewLineWriter returns a writer of lines to w.
func NewLineWriter(w io.Writer) *LineWriter {
	return &LineWriter{dst: w}
}

// Write writes msg and "\n" in one call of the underlying writer. The error is ErrEmbeddedNewline,
// with nothing written, or the underlying writer's, wrapped; once that has cut a line short, every
// further call returns the same error.
func (w *LineWriter) Write(msg []byte) error {
	if bytes.IndexByte(msg, '\n') >= 0 || bytes.IndexByte(msg, '\r') >= 0 {
		return ErrEmbeddedNewline
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	w.buf = append(append(w.buf[:0], msg...), '\n')
	n, err := w.dst.Write(w.buf)
	if err == nil && n < len(w.buf) {
		err = io.ErrShortWrite
	}
	if err != nil {
		err = fmt.Errorf("write line: %w", err)
		if 0 < n && n < len(w.buf) {
			w.err = err
		}
	}
	if cap(w.buf) > keepBufferSize {
		w.buf = nil
	}
	return err
}
