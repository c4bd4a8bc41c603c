package wire

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fuzzSplit returns a reader of input in chunks of sizes drawn from seed: of a few bytes mostly.
func fuzzSplit(input []byte, seed uint64) io.Reader {
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // repeatable on purpose
	r := &chunkReader{err: io.EOF}
	for len(input) > 0 {
		n := min(len(input), 1+random.IntN(1<<random.IntN(8)))
		r.chunks = append(r.chunks, input[:n])
		input = input[n:]
	}
	return r
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
		`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n",
		strings.Repeat("x", readBufferSize) + "\n1\n", strings.Repeat("x", readBufferSize-1) + "\r\n1",
		strings.Repeat("x", 3000) + "\r\n",
	} {
		f.Add([]byte(seed), 0, uint64(i))
		f.Add([]byte(seed), 4, uint64(i))
		f.Add([]byte(seed), readBufferSize-1, uint64(i))
	}
	f.Fuzz(func(t *testing.T, input []byte, limit int, seed uint64) {
		got, err := readLines(NewLineReader(fuzzSplit(input, seed), limit))
		if !errors.Is(err, io.EOF) {
			t.Fatalf("error %v, want io.EOF", err)
		}
		if diff := cmp.Diff(linesByRule(input, limitOrDefault(limit)), got); diff != "" {
			t.Fatalf("lines differ (-want +got):\n%s", diff)
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

// A stream by the grammar of WHATWG HTML, section 9.2.5.
var (
	streamEnd   = regexp.MustCompile("\r\n|\r|\n")
	streamField = regexp.MustCompile("(?s)^([^:]*)(?:: ?(.*))?$")
	retryValue  = regexp.MustCompile("^[0-9]+$")
)

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
	parts := streamField.FindStringSubmatch(line)
	switch name, value := parts[1], parts[2]; name {
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
	for end := streamEnd.FindStringIndex(left); end != nil; end = streamEnd.FindStringIndex(left) {
		s.line(left[:end[0]], left[end[0]:end[1]])
		left = left[end[1]:]
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
		}
	}
	f.Add([]byte("data: "+strings.Repeat("x", readBufferSize)+"\n\ndata: y\n\n"), 0, uint64(1))
	f.Add([]byte("data: "+strings.Repeat("x", readBufferSize)+"\r\n\r\nid: y\r\n\r\n"), 3000, uint64(2))
	f.Add([]byte(strings.Repeat("data: x\r", 2000)+"\rdata"), 0, uint64(3))
	f.Fuzz(func(t *testing.T, input []byte, limit int, seed uint64) {
		r := NewEventReader(fuzzSplit(input, seed), limit)
		got, err := readEvents(r)
		want, cut := eventsByRule(string(input), limitOrDefault(limit))
		if diff := cmp.Diff(want, got, withoutRaw()); diff != "" {
			t.Fatalf("events differ (-want +got):\n%s", diff)
		}
		if errors.Is(err, io.ErrUnexpectedEOF) != cut || !cut && !errors.Is(err, io.EOF) {
			t.Fatalf("error %v, ends inside an event: %v", err, cut)
		}
		var raw []byte
		for _, one := range got {
			raw = append(raw, one.Event.Raw...)
			checkRoundTrip(t, one.Event)
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
	want := []eventResult{{Event: event}}
	if string(written) == "\n" {
		want = nil
	}
	if diff := cmp.Diff(want, got, withoutRaw()); diff != "" {
		t.Fatalf("read again from %q (-want +got):\n%s", written, diff)
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
		if !errors.Is(err, io.EOF) {
			t.Fatalf("error %v, want io.EOF", err)
		}
		if diff := cmp.Diff([]eventResult{{Event: want}}, got, withoutRaw()); diff != "" {
			t.Fatalf("read again (-want +got):\n%s", diff)
		}
	})
}
