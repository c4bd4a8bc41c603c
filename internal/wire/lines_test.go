package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lineResult is what one call of LineReader.Next gave.
type lineResult struct {
	Line    Line
	TooLong *TooLongError
}

func readLines(r *LineReader) ([]lineResult, error) {
	var got []lineResult
	for {
		line, err := r.Next()
		var tooLong *TooLongError
		if err != nil && !errors.As(err, &tooLong) {
			return got, err
		}
		got = append(got, lineResult{line, tooLong})
	}
}

func TestLineReader(t *testing.T) {
	tests := []struct {
		name, input  string
		lines        []string // contents
		unterminated bool     // the last one
	}{
		{"empty", "", nil, false},
		{"one", "{}\n", []string{"{}"}, false},
		{"blank lines count", "\n\n{}\n\r\n", []string{"", "", "{}", ""}, false},
		{"unterminated last line", "1\n22", []string{"1", "22"}, true},
		{"CRLF", "1\r\n22\r\n", []string{"1", "22"}, false},
		{"only one CR belongs to the terminator", "1\r\r\n", []string{"1\r"}, false},
		{"CR alone ends no line", "1\r2\n", []string{"1\r2"}, false},
		{"CR without LF at the end", "1\r", []string{"1\r"}, true},
		{"no other character ends a line", "1\v\f\u0085\u2028\u2029\x00\n", []string{"1\v\f\u0085\u2028\u2029\x00"}, false},
		{"byte order mark kept", "\uFEFF{}\n", []string{"\uFEFF{}"}, false},
		{"not UTF-8", "\xff\xfe\n", []string{"\xff\xfe"}, false},
		{"characters of many bytes", "é€😀\n😀", []string{"é€😀", "😀"}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			eachSplit([]byte(test.input), func(split string, r io.Reader) {
				got, err := readLines(NewLineReader(r, 0))
				if !errors.Is(err, io.EOF) {
					t.Fatalf("%s: error %v, want io.EOF", split, err)
				}
				var lines []string
				var raw string
				unterminated := false
				for _, one := range got {
					lines = append(lines, string(one.Line.Content()))
					raw += string(one.Line.Raw)
					if unterminated {
						t.Errorf("%s: a line follows an unterminated one", split)
					}
					unterminated = one.Line.Unterminated
				}
				if diff := cmp.Diff(test.lines, lines); diff != "" {
					t.Errorf("%s: contents differ (-want +got):\n%s", split, diff)
				}
				if raw != test.input || unterminated != test.unterminated {
					t.Errorf("%s: raw %q, unterminated %v", split, raw, unterminated)
				}
			})
		})
	}
}

// bigSizes are those at which readers with a fixed buffer or token size are known to break.
var bigSizes = []int{64<<10 - 1, 64 << 10, 64<<10 + 1, 5 << 20} //nolint:gochecknoglobals // test table

// filler returns n bytes that differ from place to place and hold no line end.
func filler(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = "abcdefghijklmnopqrstuvwxyz0123456789{}:, \xc3\xa9"[(i+i>>8)%43]
	}
	return b
}

func TestLineReaderBigLines(t *testing.T) {
	for _, size := range bigSizes {
		for _, end := range []string{"\n", "\r\n"} {
			t.Run(fmt.Sprintf("%d%q", size, end), func(t *testing.T) {
				big := string(filler(size))
				input := "first" + end + big + end + big + end + "last" + end
				r := NewLineReader(strings.NewReader(input), size)
				for _, want := range []string{"first", big, big, "last"} {
					line, err := r.Next()
					if err != nil {
						t.Fatal(err)
					}
					if string(line.Content()) != want || string(line.Raw) != want+end || line.Unterminated {
						t.Fatalf("line of %d bytes, want %d", len(line.Raw), len(want))
					}
				}
				if _, err := r.Next(); !errors.Is(err, io.EOF) {
					t.Fatalf("error %v, want io.EOF", err)
				}
				if cap(r.long) > keepBufferSize {
					t.Errorf("%d bytes of buffer kept after a big line", cap(r.long))
				}
			})
		}
	}
}

func TestLineReaderLimit(t *testing.T) {
	const limit = 4
	tests := []struct {
		name, input string
		want        string // contents, or the bytes read of a line over the limit in <>
	}{
		{"at the limit", "1234\n1\n", "1234|1"},
		{"at the limit with CRLF", "1234\r\n1\n", "1234|1"},
		{"at the limit unterminated", "1234", "1234"},
		{"over by one", "12345\n1\n", "<6>|1"},
		{"over by one with CRLF", "12345\r\n1\n", "<7>|1"},
		{"over by a CR that is not part of the terminator", "1234\r", "<5>"},
		{"over unterminated", "1\n12345", "1|<5>"},
		{"two in a row", "123456\n1234567\n\n", "<7>|<8>|"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			eachSplit([]byte(test.input), func(split string, r io.Reader) {
				results, err := readLines(NewLineReader(r, limit))
				if !errors.Is(err, io.EOF) {
					t.Fatalf("%s: error %v, want io.EOF", split, err)
				}
				var got []string
				for _, one := range results {
					if one.TooLong != nil {
						got = append(got, fmt.Sprintf("<%d>", one.TooLong.Read))
					} else {
						got = append(got, string(one.Line.Content()))
					}
				}
				if strings.Join(got, "|") != test.want {
					t.Errorf("%s: got %q, want %q", split, got, test.want)
				}
			})
		})
	}
}

func TestLineReaderSkipsWithoutBuffering(t *testing.T) {
	long := filler(3 << 20)
	input := slices.Concat(long, []byte("\nnext\n"))
	src := &watchedReader{src: bytes.NewReader(input)}
	r := NewLineReader(src, 100<<10)
	src.held = func() int { return cap(r.long) }
	_, err := r.Next()
	var tooLong *TooLongError
	if !errors.As(err, &tooLong) {
		t.Fatalf("error %v, want a *TooLongError", err)
	}
	if tooLong.Limit != 100<<10 || tooLong.Read != len(long)+1 {
		t.Errorf("limit %d, read %d", tooLong.Limit, tooLong.Read)
	}
	if !bytes.Equal(tooLong.Head, long[:1024]) || !bytes.Equal(tooLong.Tail, input[len(long)+1-1024:len(long)+1]) {
		t.Errorf("head %q\ntail %q", tooLong.Head, tooLong.Tail)
	}
	if want := "message of 3145729 bytes is over the limit of 102400 bytes; raise the limit to accept it"; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	if src.most > 4*(100<<10) {
		t.Errorf("%d bytes buffered for a limit of %d", src.most, 100<<10)
	}
	if line, err := r.Next(); err != nil || string(line.Raw) != "next\n" {
		t.Errorf("then %q, %v", line.Raw, err)
	}
}

func TestLineReaderPassesErrorsOn(t *testing.T) {
	broken := errors.New("broken")
	first := lineResult{Line: Line{Raw: []byte("1\n")}}
	long := filler(2 * readBufferSize)
	tests := []struct {
		name  string
		limit int
		line  []byte // cut off after the first one
		want  lineResult
	}{
		{"inside a line", 0, []byte("234"), lineResult{Line: Line{Raw: []byte("234"), Unterminated: true}}},
		{"inside a line over the limit", 2, []byte("234"), lineResult{TooLong: wantTooLong(2, []byte("234"))}},
		{"inside a long line", 0, long, lineResult{Line: Line{Raw: long, Unterminated: true}}},
		{"inside a long line over the limit", 2, long, lineResult{TooLong: wantTooLong(2, long)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			src := cutAt(append([]byte("1\n"), test.line...), 2)
			src.err = broken
			r := NewLineReader(src, test.limit)
			got, err := readLines(r)
			if want := []lineResult{first, test.want}; !reflect.DeepEqual(want, got) {
				t.Errorf("lines differ (-want +got):\n%s", cmp.Diff(want, got))
			}
			if !errors.Is(err, broken) || err.Error() != "read line: broken" {
				t.Errorf("error %v, want the reader's, wrapped", err)
			}
			if _, again := r.Next(); !errors.Is(again, broken) || src.ends != 1 {
				t.Errorf("then %v, and the reader failed %d times: a final error must stay without reading on", again, src.ends)
			}
		})
	}
}

func TestLineReaderDoesNotReadAhead(t *testing.T) {
	src := cutAt([]byte("1\n2\n3"), 2, 4)
	r := NewLineReader(src, 0)
	for i := range 2 {
		if _, err := r.Next(); err != nil || src.reads != i+1 {
			t.Fatalf("line %d took %d reads, error %v", i+1, src.reads, err)
		}
	}
}

func TestLineReaderLinesAreTheCallers(t *testing.T) {
	r := NewLineReader(strings.NewReader("one\ntwo\n"), 0)
	first, _ := r.Next()
	_ = append(first.Content(), '!')
	second, _ := r.Next()
	if string(first.Raw) != "one\n" || string(second.Raw) != "two\n" {
		t.Errorf("lines %q, %q changed", first.Raw, second.Raw)
	}
}

// callWriter keeps each call apart.
type callWriter struct{ calls []string }

func (w *callWriter) Write(p []byte) (int, error) {
	w.calls = append(w.calls, string(p))
	return len(p), nil
}

func TestLineWriterWritesOnceALine(t *testing.T) {
	var dst callWriter
	w := NewLineWriter(&dst)
	big := string(filler(2 << 20))
	for _, msg := range []string{`{"a":1}`, "", "é\u2028", big} {
		if err := w.Write([]byte(msg)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"{\"a\":1}\n", "\n", "é\u2028\n", big + "\n"}, dst.calls); diff != "" {
		t.Errorf("calls differ (-want +got):\n%s", diff)
	}
	for _, msg := range []string{"\n", "a\nb", "a\r", "a\r\nb", "\rb"} {
		if err := w.Write([]byte(msg)); !errors.Is(err, ErrEmbeddedNewline) {
			t.Errorf("message %q: error %v, want ErrEmbeddedNewline", msg, err)
		}
	}
	if len(dst.calls) != 4 {
		t.Errorf("%d calls: a refused message was written", len(dst.calls))
	}
	if cap(w.buf) > keepBufferSize {
		t.Errorf("%d bytes of buffer kept after a big message", cap(w.buf))
	}
}

func TestLineWriterConcurrently(t *testing.T) {
	src, dst := io.Pipe()
	w := NewLineWriter(dst)
	var writers sync.WaitGroup
	want := make(map[string]int)
	for i := range 16 {
		msg := strings.Repeat(string(rune('a'+i)), 100*(i+1))
		want[msg] = 50
		writers.Go(func() {
			for range 50 {
				if err := w.Write([]byte(msg)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	go func() {
		writers.Wait()
		dst.Close()
	}()
	lines, err := readLines(NewLineReader(src, 0))
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	got := make(map[string]int)
	for _, one := range lines {
		got[string(one.Line.Content())]++
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines differ (-want +got):\n%s", diff)
	}
}

// cutWriter takes n bytes a call, and says err.
type cutWriter struct {
	n, calls int
	err      error
}

func (w *cutWriter) Write(p []byte) (int, error) {
	w.calls++
	return min(w.n, len(p)), w.err
}

func TestLineWriterErrors(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		name  string
		dst   cutWriter
		want  error
		calls int // of two messages
	}{
		{"nothing written: the next line may go through", cutWriter{n: 0, err: broken}, broken, 2},
		{"whole line written: the next may go through", cutWriter{n: 9, err: broken}, broken, 2},
		{"line cut short: nothing may follow", cutWriter{n: 2, err: broken}, broken, 1},
		{"short write without an error", cutWriter{n: 2}, io.ErrShortWrite, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := NewLineWriter(&test.dst)
			for i := range 2 {
				if err := w.Write([]byte("1234")); !errors.Is(err, test.want) {
					t.Errorf("write %d: error %v, want %v", i+1, err, test.want)
				}
			}
			if test.dst.calls != test.calls {
				t.Errorf("%d calls, want %d", test.dst.calls, test.calls)
			}
		})
	}
}
