package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// chunkReader gives one chunk a Read, as far as the caller's buffer holds it, then err.
type chunkReader struct {
	chunks [][]byte
	err    error
	reads  int
	ends   int // reads that gave err
}

func (r *chunkReader) Read(p []byte) (int, error) {
	r.reads++
	if len(r.chunks) == 0 {
		r.ends++
		return 0, r.err
	}
	n := copy(p, r.chunks[0])
	if r.chunks[0] = r.chunks[0][n:]; len(r.chunks[0]) == 0 {
		r.chunks = r.chunks[1:]
	}
	return n, nil
}

// watchedReader notes at each Read how much the reader above it holds.
type watchedReader struct {
	src  io.Reader
	held func() int
	most int
}

func (r *watchedReader) Read(p []byte) (int, error) {
	r.most = max(r.most, r.held())
	return r.src.Read(p)
}

// cutAt returns a reader that gives input in chunks which end at the given offsets.
func cutAt(input []byte, offsets ...int) *chunkReader {
	r := &chunkReader{err: io.EOF}
	from := 0
	for _, to := range append(offsets, len(input)) {
		if to > from {
			r.chunks = append(r.chunks, input[from:to])
			from = to
		}
	}
	return r
}

// eachSplit calls f with readers of input: whole, byte by byte, cut at each place and at many
// random ones, and with the error coming along with the last bytes.
func eachSplit(input []byte, f func(name string, r io.Reader)) {
	f("whole", bytes.NewReader(input))
	f("bytewise", iotest.OneByteReader(bytes.NewReader(input)))
	f("with error", iotest.DataErrReader(bytes.NewReader(input)))
	if len(input) <= 512 {
		for i := range len(input) {
			f(fmt.Sprintf("cut at %d", i), cutAt(input, i))
		}
	}
	random := rand.New(rand.NewPCG(1, uint64(len(input))))
	for i := range 20 {
		var offsets []int
		for range 1 + random.IntN(8) {
			offsets = append(offsets, random.IntN(len(input)+1))
		}
		slices.Sort(offsets)
		f(fmt.Sprintf("random %d", i), cutAt(input, offsets...))
	}
}

// fuzzSplit returns a reader of lead at once and then of input in chunks of sizes drawn from seed,
// most of them of a few bytes.
func fuzzSplit(lead string, input []byte, seed uint64) io.Reader {
	random := rand.New(rand.NewPCG(seed, 0))
	r := cutAt([]byte(lead))
	for len(input) > 0 {
		n := min(len(input), 1+random.IntN(1<<random.IntN(8)))
		r.chunks = append(r.chunks, input[:n])
		input = input[n:]
	}
	return r
}

// fuzzLead returns what stands before the fuzzed bytes, so that in three cases of four they come to lie
// across the end of a reader's buffer: at its first bytes, in a message that began with the buffer
// and in one that began later.
func fuzzLead(end string, seed uint64) string {
	room := int(seed>>2) % 16
	switch seed % 4 {
	case 1:
		return strings.Repeat("x", readBufferSize-room-2*len(end)) + end + end
	case 2:
		return "data: " + strings.Repeat("x", readBufferSize-room-6)
	case 3:
		long := "data: " + strings.Repeat("x", 40_000) + end + end
		return long + strings.Repeat("y", readBufferSize-room-len(long))
	}
	return ""
}

// wantTooLong is the error for a message with these bytes.
func wantTooLong(limit int, message []byte) *TooLongError {
	return &TooLongError{
		Limit: limit, Read: len(message),
		Head: bytes.Clone(message[:min(len(message), 1024)]),
		Tail: bytes.Clone(message[max(len(message)-1024, 0):]),
	}
}

// linesByRule is what the lines of input are, said another way than LineReader does.
func linesByRule(input []byte, limit int) []lineResult {
	var want []lineResult
	for _, raw := range bytes.SplitAfter(input, []byte("\n")) {
		content, terminated := bytes.CutSuffix(raw, []byte("\n"))
		if terminated {
			content = bytes.TrimSuffix(content, []byte("\r"))
		}
		switch {
		case len(raw) == 0: // what follows the last terminator
		case len(content) > limit:
			want = append(want, lineResult{TooLong: wantTooLong(limit, raw)})
		default:
			want = append(want, lineResult{Line: Line{Raw: raw, Unterminated: !terminated}})
		}
	}
	return want
}

func FuzzLineReader(f *testing.F) {
	for i, seed := range []string{
		"", "\n", "{}\n", "{}", "1\r\n2\r\n", "1\r", "\r\r\n\n", "12345\n1234567890\n1\n", "\xff\x00\n\u2028",
		"1234\r\n12345\r\n1\r\n", "é€😀\n",
		`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n",
		strings.Repeat("x", 3000) + "\r\n",
	} {
		f.Add([]byte(seed), 0, uint64(i))
		f.Add([]byte(seed), 4, uint64(i))
		f.Add([]byte(seed), readBufferSize, uint64(i))
	}
	f.Fuzz(func(t *testing.T, input []byte, limit int, seed uint64) {
		lead := fuzzLead("\n", seed)
		got, err := readLines(NewLineReader(fuzzSplit(lead, input, seed), limit))
		input = append([]byte(lead), input...)
		if !errors.Is(err, io.EOF) {
			t.Fatalf("error %v, want io.EOF", err)
		}
		if want := linesByRule(input, limitOrDefault(limit)); !reflect.DeepEqual(want, got) {
			t.Fatalf("lines differ (-want +got):\n%s", cmp.Diff(want, got))
		}
		var raw, rewritten, contents []byte
		dst := new(bytes.Buffer)
		for _, one := range got {
			raw = append(raw, one.Line.Raw...)
			content := one.Line.Content()
			if err := NewLineWriter(dst).Write(content); errors.Is(err, ErrEmbeddedNewline) != bytes.ContainsAny(content, "\r\n") {
				t.Fatalf("writing %q: error %v", content, err)
			} else if err == nil {
				contents = append(append(contents, content...), '|')
			}
		}
		if limit <= 0 && !bytes.Equal(raw, input) {
			t.Fatalf("raw %q is not the input %q", raw, input)
		}
		again, _ := readLines(NewLineReader(dst, limit))
		for _, one := range again {
			rewritten = append(append(rewritten, one.Line.Content()...), '|')
		}
		if !bytes.Equal(rewritten, contents) {
			t.Fatalf("written and read again: %q, want %q", rewritten, contents)
		}
	})
}

var retryValue = regexp.MustCompile("^[0-9]+$")

// standard reads a stream by the letter of WHATWG HTML, section 9.2.6, a buffer for a buffer and a
// step for a step.
type standard struct {
	limit        int
	results      []eventResult
	block        string // source of the lines since the last blank one
	blanks       int
	fields       bool
	event, data  string
	id, lastID   string
	hasID        bool
	retry        int
	comments     []string
	lastIDBuffer string
}

func (s *standard) line(line, end string) {
	if line == "" {
		s.blank()
		return
	}
	s.block += line + end
	if comment, ok := strings.CutPrefix(line, ":"); ok {
		s.comments = append(s.comments, comment)
		return
	}
	s.fields = true
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "event":
		s.event = value
	case "data":
		s.data += value + "\n"
	case "id":
		if !strings.Contains(value, "\x00") {
			s.id, s.hasID, s.lastIDBuffer = value, true, value
		}
	case "retry":
		if retryValue.MatchString(value) {
			n, _ := strconv.ParseInt(value, 10, 64)
			s.retry = int(min(n, maxRetry))
		}
	}
}

// blank dispatches, and departs from the standard as EventReader says that it does.
func (s *standard) blank() {
	if s.blanks++; s.block == "" && s.blanks < maxBlanks {
		return
	}
	if len(s.block) > s.limit {
		s.results = append(s.results, eventResult{TooLong: wantTooLong(s.limit, []byte(s.block))})
		s.lastIDBuffer = s.lastID
	} else {
		event := Event{Type: s.event, ID: s.id, HasID: s.hasID, LastEventID: s.lastIDBuffer, Retry: s.retry, Comments: s.comments}
		if s.data != "" {
			event.Dispatched, event.Data = true, []byte(strings.TrimSuffix(s.data, "\n"))
		}
		s.results = append(s.results, eventResult{Event: event})
	}
	*s = standard{limit: s.limit, results: s.results, retry: -1, lastID: s.lastIDBuffer, lastIDBuffer: s.lastIDBuffer}
}

// eventsByRule returns what input gives, and whether it ends inside an event.
func eventsByRule(input string, limit int) ([]eventResult, bool) {
	s := &standard{limit: limit, retry: -1}
	left := strings.TrimPrefix(input, utf8BOM)
	for n := strings.IndexAny(left, "\r\n"); n >= 0; n = strings.IndexAny(left, "\r\n") {
		end := left[n : n+1]
		if strings.HasPrefix(left[n:], "\r\n") {
			end = "\r\n"
		}
		s.line(left[:n], end)
		left = left[n+len(end):]
	}
	if tail := s.block + left; len(tail) > limit && !strings.HasPrefix(utf8BOM, input) {
		return append(s.results, eventResult{TooLong: wantTooLong(limit, []byte(tail))}), true
	}
	return s.results, s.fields || left != ""
}

func FuzzEventReader(f *testing.F) {
	for i, test := range eventTests {
		for _, end := range []string{"\n", "\r", "\r\n"} {
			input := []byte(strings.ReplaceAll(test.input, "\n", end))
			f.Add(input, 0, uint64(i))
			f.Add(input, 12, uint64(i))
			f.Add(input, 1, uint64(i))
		}
	}
	f.Add([]byte("data: "+strings.Repeat("x", 3000)+"\r\n\r\nid: y\r\n\r\n"), 2000, uint64(2))
	f.Add([]byte(strings.Repeat("data: x\r", 200)+"\rdata"), 0, uint64(3))
	f.Fuzz(func(t *testing.T, input []byte, limit int, seed uint64) {
		lead := fuzzLead([]string{"\n", "\r", "\r\n"}[seed%3], seed)
		r := NewEventReader(fuzzSplit(lead, input, seed), limit)
		got, err := readEvents(r)
		input = append([]byte(lead), input...)
		want, cut := eventsByRule(string(input), limitOrDefault(limit))
		if errors.Is(err, io.ErrUnexpectedEOF) != cut || !cut && !errors.Is(err, io.EOF) {
			t.Fatalf("error %v, ends inside an event: %v", err, cut)
		}
		var raw []byte
		for i := range got {
			raw = append(raw, got[i].Event.Raw...)
			got[i].Event.Raw = nil
			if got[i].TooLong == nil {
				checkRoundTrip(t, got[i].Event)
			}
		}
		if !reflect.DeepEqual(want, got) {
			t.Fatalf("events differ (-want +got):\n%s", cmp.Diff(want, got))
		}
		if limit <= 0 && !bytes.Equal(append(raw, r.Rest()...), input) {
			t.Fatalf("raw %q and rest %q are not the input %q", raw, r.Rest(), input)
		}
	})
}

// checkRoundTrip writes an event that was read, and reads it again.
func checkRoundTrip(t *testing.T, event Event) {
	t.Helper()
	if !event.HasID {
		event.LastEventID = ""
	}
	written := AppendEvent(nil, OutEvent{
		Type: event.Type, ID: event.ID, HasID: event.HasID, Retry: event.Retry, HasRetry: event.Retry >= 0,
		Data: event.Data, Comments: event.Comments,
	})
	got, err := readEvents(NewEventReader(bytes.NewReader(written), 0))
	if !errors.Is(err, io.EOF) {
		t.Fatalf("reading %q: %v", written, err)
	}
	if string(written) == "\n" && len(got) == 0 {
		return
	}
	if len(got) != 1 {
		t.Fatalf("%q was read as %d events, want 1", written, len(got))
	}
	got[0].Event.Raw = nil
	if want := []eventResult{{Event: event}}; !reflect.DeepEqual(want, got) {
		t.Fatalf("read again from %q (-want +got):\n%s", written, cmp.Diff(want, got))
	}
}

// FuzzAppendEvent writes any event, which must be read as one event with what it could carry.
func FuzzAppendEvent(f *testing.F) {
	f.Add("endpoint", "1", 3000, []byte("{}"), " ping")
	f.Add("", "", 0, []byte("a\nb\r\nc\rd\n"), "")
	f.Add("e\ndata: forged", "1\r\n\r\ndata: forged", -1, []byte("\n\ndata: x\n\n"), "a\n\nb")
	f.Add("\x00", "\x00", 1, []byte("\uFEFF"), ":")
	f.Fuzz(func(t *testing.T, name, id string, retry int, data []byte, comment string) {
		plain := strings.NewReplacer("\r\n", "\n", "\r", "\n")
		want := Event{Retry: -1, Dispatched: true, Data: []byte(plain.Replace(string(data)))}
		want.Comments = strings.Split(plain.Replace(comment), "\n")
		if !strings.ContainsAny(name, "\r\n") {
			want.Type = name
		}
		if id != "" && !strings.ContainsAny(id, "\r\n\x00") {
			want.ID, want.HasID, want.LastEventID = id, true, id
		}
		if retry > 0 {
			want.Retry = int(min(int64(retry), maxRetry))
		}
		out := OutEvent{Type: name, ID: id, Retry: retry, Data: append([]byte{}, data...), Comments: []string{comment}}
		got, err := readEvents(NewEventReader(bytes.NewReader(AppendEvent(nil, out)), 0))
		if !errors.Is(err, io.EOF) || len(got) != 1 {
			t.Fatalf("%d events, error %v; want 1 and io.EOF", len(got), err)
		}
		got[0].Event.Raw = nil
		if want := []eventResult{{Event: want}}; !reflect.DeepEqual(want, got) {
			t.Fatalf("read again (-want +got):\n%s", cmp.Diff(want, got))
		}
	})
}
