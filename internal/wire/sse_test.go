package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// eventResult is what one call of EventReader.Next gave.
type eventResult struct {
	Event   Event
	TooLong *TooLongError
}

func readEvents(r *EventReader) ([]eventResult, error) {
	var got []eventResult
	for {
		event, err := r.Next()
		var tooLong *TooLongError
		if err != nil && !errors.As(err, &tooLong) {
			return got, err
		}
		got = append(got, eventResult{event, tooLong})
	}
}

// withoutRaw compares the decoded view alone: where the LF of a last CRLF stands depends on when it came.
func withoutRaw() cmp.Option { return cmpopts.IgnoreFields(Event{}, "Raw") }

// message is the event of a block with data alone.
func message(data string) Event {
	return Event{Data: []byte(data), Dispatched: true, Retry: -1}
}

// with returns event changed by f.
func with(event Event, f func(*Event)) Event {
	f(&event)
	return event
}

func typed(name string) func(*Event) { return func(e *Event) { e.Type = name } }

func retrying(ms int) func(*Event) { return func(e *Event) { e.Retry = ms } }

func identified(id string) func(*Event) {
	return func(e *Event) { e.ID, e.HasID, e.LastEventID = id, true, id }
}

func after(id string) func(*Event) { return func(e *Event) { e.LastEventID = id } }

func commented(comments ...string) func(*Event) { return func(e *Event) { e.Comments = comments } }

func bare() Event { return Event{Retry: -1} }

// eventTests are written with LF; each is run with CR and CRLF too.
var eventTests = []struct { //nolint:gochecknoglobals // test table
	name, input string
	want        []Event
	rest        string
	cut         bool // ends in io.ErrUnexpectedEOF rather than io.EOF
}{
	{name: "empty stream"},
	{name: "one event", input: "data: x\n\n", want: []Event{message("x")}},
	{name: "two events", input: "data: x\n\ndata: y\n\n", want: []Event{message("x"), message("y")}},

	{name: "no space after the colon", input: "data:x\n\n", want: []Event{message("x")}},
	{name: "one space after the colon is dropped, not two", input: "data:  x \n\n", want: []Event{message(" x ")}},
	{name: "a tab is no space", input: "data:\tx\n\n", want: []Event{message("\tx")}},
	{name: "only the first colon splits", input: "data: a:b: c\n\n", want: []Event{message("a:b: c")}},
	{name: "a space before the name makes another name", input: " data: x\n\n", want: []Event{bare()}},
	{name: "a space after the name makes another name", input: "data : x\n\n", want: []Event{bare()}},
	{name: "names are not folded", input: "Data: x\nDATA: y\nID: 1\n\n", want: []Event{bare()}},
	{name: "unknown fields are ignored", input: "foo: bar\ndata: x\ndatax: y\n\n", want: []Event{message("x")}},

	{name: "data of many lines", input: "data: a\ndata:b\ndata:\ndata\ndata: c\n\n", want: []Event{message("a\nb\n\n\nc")}},
	{name: "data lines around other fields", input: "data: a\nevent: e\n: c\ndata: b\n\n", want: []Event{with(with(message("a\nb"), typed("e")), commented(" c"))}},
	{name: "empty data is dispatched", input: "data:\n\ndata\n\ndata: \n\n", want: []Event{message(""), message(""), message("")}},
	{name: "two empty data lines are a line feed", input: "data\ndata\n\n", want: []Event{message("\n")}},
	{name: "empty first data line counts", input: "data:\ndata: x\n\n", want: []Event{message("\nx")}},

	{name: "event names the type", input: "event: endpoint\ndata: /x\n\ndata: y\n\n", want: []Event{with(message("/x"), typed("endpoint")), message("y")}},
	{name: "the last event field counts", input: "event: a\nevent: b\ndata: x\n\n", want: []Event{with(message("x"), typed("b"))}},
	{name: "an empty event field takes back", input: "event: a\nevent\ndata: x\n\n", want: []Event{message("x")}},
	{name: "event without data is not dispatched", input: "event: a\n\ndata: x\n\n", want: []Event{with(bare(), typed("a")), message("x")}},

	{name: "id persists", input: "id: 1\ndata: x\n\ndata: y\n\n", want: []Event{with(message("x"), identified("1")), with(message("y"), after("1"))}},
	{name: "empty id takes back", input: "id: 1\ndata: x\n\nid\ndata: y\n\n", want: []Event{with(message("x"), identified("1")), with(message("y"), identified(""))}},
	{name: "id with NUL is ignored", input: "id: 1\ndata: x\n\nid: 2\x00\ndata: y\n\n", want: []Event{with(message("x"), identified("1")), with(message("y"), after("1"))}},
	{name: "the last id that counts", input: "id: 1\nid: 2\nid: \x00\ndata: x\n\n", want: []Event{with(message("x"), identified("2"))}},
	{name: "id without data takes effect", input: "id: 7\n\ndata: x\n\n", want: []Event{with(bare(), identified("7")), with(message("x"), after("7"))}},
	{name: "priming event", input: "id: p\ndata:\n\n", want: []Event{with(message(""), identified("p"))}},
	{name: "id of an unfinished event has no effect", input: "id: 1\ndata: x\n\nid: 2\n", want: []Event{with(message("x"), identified("1"))}, rest: "id: 2\n", cut: true},

	{name: "retry", input: "retry: 1500\n\n", want: []Event{with(bare(), retrying(1500))}},
	{name: "retry is digits only", input: "retry: -1\nretry: 1.5\nretry: 1s\nretry:  1\nretry: +1\nretry: ١\nretry:\nretry\n\n", want: []Event{bare()}},
	{name: "retry zero and leading zeros", input: "retry: 0\n\nretry: 0010\n\n", want: []Event{with(bare(), retrying(0)), with(bare(), retrying(10))}},
	{name: "the last retry that counts", input: "retry: 1\nretry: 2\nretry: x\n\n", want: []Event{with(bare(), retrying(2))}},
	{name: "retry too long for a duration", input: "retry: 99999999999999999999999\n\n", want: []Event{with(bare(), retrying(int(min(int64(math.MaxInt64/1_000_000), math.MaxInt))))}},

	{name: "comment alone", input: ": ping\n\n:\n\n", want: []Event{with(bare(), commented(" ping")), with(bare(), commented(""))}},
	{name: "comments of an event", input: ":a\ndata: x\n:b: c\n\n", want: []Event{with(message("x"), commented("a", "b: c"))}},

	{name: "further blank lines", input: "\n\ndata: x\n\n\n\ndata: y\n\n\n", want: []Event{message("x"), message("y")}, rest: "\n"},
	{name: "1023 blank lines are no event", input: strings.Repeat("\n", 1023), rest: strings.Repeat("\n", 1023)},
	{name: "1024 blank lines are an event", input: strings.Repeat("\n", 1024) + "data: x\n\n", want: []Event{bare(), message("x")}},
	{name: "not 1024 in a row", input: strings.Repeat("data: x\n\n"+strings.Repeat("\n", 600), 2), want: []Event{message("x"), message("x")}, rest: strings.Repeat("\n", 600)},

	{name: "byte order mark", input: "\uFEFFdata: x\n\n", want: []Event{message("x")}},
	{name: "byte order mark before a blank line", input: "\uFEFF\ndata: x\n\n", want: []Event{message("x")}},
	{name: "byte order mark alone", input: "\uFEFF", rest: "\uFEFF"},
	{name: "byte order mark cut short", input: "\xEF\xBB", rest: "\xEF\xBB", cut: true},
	{name: "beginning of a byte order mark", input: "\xEF\xBBdata: x\n\n", want: []Event{bare()}},
	{name: "only one byte order mark", input: "\uFEFF\uFEFFdata: x\n\n", want: []Event{bare()}},
	{name: "byte order mark only at the start", input: "data: x\n\n\uFEFFdata: y\n\n", want: []Event{message("x"), bare()}},

	{name: "nothing else ends a line", input: "data: a\v\f\u0085\u2028\u2029\x1c\x00b\n\n", want: []Event{message("a\v\f\u0085\u2028\u2029\x1c\x00b")}},
	{name: "characters of many bytes", input: "event: é\nid: €\ndata: 😀é\ndata: €\n: ü\n\n", want: []Event{with(with(with(message("😀é\n€"), typed("é")), identified("€")), commented(" ü"))}},
	{name: "not UTF-8 is kept", input: "event: \xff\nid: \xfe\ndata: \xc3\n\n", want: []Event{with(with(message("\xc3"), typed("\xff")), identified("\xfe"))}},

	{name: "no blank line, no event", input: "data: x\n\ndata: y\n", want: []Event{message("x")}, rest: "data: y\n", cut: true},
	{name: "cut inside a line", input: "data: x", rest: "data: x", cut: true},
	{name: "cut after an unknown field", input: "foo: bar\n", rest: "foo: bar\n", cut: true},
	{name: "cut inside a comment", input: ": ping", rest: ": ping", cut: true},
	{name: "a whole comment is no event", input: "data: x\n\n: bye\n", want: []Event{message("x")}, rest: ": bye\n"},
}

func TestEventReader(t *testing.T) {
	for _, test := range eventTests {
		for _, end := range []string{"\n", "\r", "\r\n"} {
			t.Run(fmt.Sprintf("%s %q", test.name, end), func(t *testing.T) {
				input := strings.ReplaceAll(test.input, "\n", end)
				rest := strings.ReplaceAll(test.rest, "\n", end)
				eachSplit([]byte(input), func(split string, src io.Reader) {
					r := NewEventReader(src, 0)
					results, err := readEvents(r)
					want := io.EOF
					if test.cut {
						want = io.ErrUnexpectedEOF
					}
					if !errors.Is(err, want) {
						t.Errorf("%s: error %v, want %v", split, err, want)
					}
					got := make([]Event, 0, len(results))
					raw := ""
					for _, one := range results {
						got = append(got, one.Event)
						raw += string(one.Event.Raw)
					}
					if diff := cmp.Diff(test.want, got, withoutRaw(), cmpopts.EquateEmpty()); diff != "" {
						t.Fatalf("%s: events differ (-want +got):\n%s", split, diff)
					}
					if raw+string(r.Rest()) != input {
						t.Errorf("%s: raw %q and rest %q are not the input %q", split, raw, r.Rest(), input)
					}
					// The LF of the last CRLF stands in Rest if it came late.
					if got := string(r.Rest()); got != rest && got != "\n"+rest {
						t.Errorf("%s: rest %q, want %q", split, got, rest)
					}
				})
			})
		}
	}
}

func TestEventReaderMixedLineEnds(t *testing.T) {
	input := "\r\n\n\rdata: a\rdata: b\ndata: c\r\n\rdata: d\n\r\ndata: e\r\n\ndata: f\r\r\n"
	want := []Event{message("a\nb\nc"), message("d"), message("e"), message("f")}
	eachSplit([]byte(input), func(split string, src io.Reader) {
		results, err := readEvents(NewEventReader(src, 0))
		if !errors.Is(err, io.EOF) {
			t.Errorf("%s: error %v, want io.EOF", split, err)
		}
		var got []Event
		for _, one := range results {
			got = append(got, one.Event)
		}
		if diff := cmp.Diff(want, got, withoutRaw()); diff != "" {
			t.Errorf("%s: events differ (-want +got):\n%s", split, diff)
		}
	})
}

func TestEventReaderDataIsNilWithoutField(t *testing.T) {
	results, _ := readEvents(NewEventReader(strings.NewReader("id: 1\n\ndata\n\n"), 0))
	if len(results) != 2 || results[0].Event.Data != nil || results[1].Event.Data == nil {
		t.Errorf("got %+v; want nil Data without a data field, and empty with an empty one", results)
	}
}

// An event is there with the first byte that ends its blank line, and takes no further read.
func TestEventReaderDeliversAtOnce(t *testing.T) {
	tests := []struct {
		name   string
		chunks []string
		raw    []string // of the event that is there after each chunk; "" where none is
		rest   string
	}{
		{"LF", []string{"data: x\n\n", "data: y\n\n"}, []string{"data: x\n\n", "data: y\n\n"}, ""},
		{"CR", []string{"data: x\r\r", "data: y\r\r"}, []string{"data: x\r\r", "data: y\r\r"}, ""},
		{"CRLF", []string{"data: x\r\n\r\n", "data: y\r\n\r\n"}, []string{"data: x\r\n\r\n", "data: y\r\n\r\n"}, ""},
		{"CRLF cut", []string{"data: x\r\n\r", "\ndata: y\r\n\r", "\n"}, []string{"data: x\r\n\r", "\ndata: y\r\n\r", ""}, "\n"},
		{"CRLF cut, then LF alone", []string{"data: x\r", "\n\r", "\n", "\ndata: y\n\n"}, []string{"", "data: x\r\n\r", "", "\n\ndata: y\n\n"}, ""},
		{"comment", []string{": ping\n\n", "data: y\n\n"}, []string{": ping\n\n", "data: y\n\n"}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			src := &chunkReader{err: io.EOF}
			for _, chunk := range test.chunks {
				src.chunks = append(src.chunks, []byte(chunk))
			}
			r := NewEventReader(src, 0)
			for i, raw := range test.raw {
				if raw == "" {
					continue
				}
				event, err := r.Next()
				if err != nil || string(event.Raw) != raw || src.reads != i+1 {
					t.Fatalf("after %d reads: raw %q, error %v; want %q after %d", src.reads, event.Raw, err, raw, i+1)
				}
			}
			if _, err := r.Next(); !errors.Is(err, io.EOF) || string(r.Rest()) != test.rest {
				t.Errorf("at the end: error %v, rest %q", err, r.Rest())
			}
		})
	}
}

func TestEventReaderBigEvents(t *testing.T) {
	for _, size := range bigSizes {
		for _, end := range []string{"\n", "\r", "\r\n"} {
			t.Run(fmt.Sprintf("%d%q", size, end), func(t *testing.T) {
				big := string(filler(size))
				blank := end + end
				input := "data: a" + blank + "data: " + big + blank + "data: x" + end + "data: " + big + blank + "data: b" + blank
				r := NewEventReader(strings.NewReader(input), 0)
				raw := ""
				for _, want := range []string{"a", big, "x\n" + big, "b"} {
					event, err := r.Next()
					if err != nil {
						t.Fatal(err)
					}
					if string(event.Data) != want {
						t.Fatalf("data of %d bytes, want %d", len(event.Data), len(want))
					}
					raw += string(event.Raw)
				}
				if _, err := r.Next(); !errors.Is(err, io.EOF) || raw+string(r.Rest()) != input {
					t.Errorf("error %v; raw bytes of %d, want %d", err, len(raw), len(input))
				}
				if len(r.buf) > keepBufferSize {
					t.Errorf("%d bytes of buffer kept after a big event", len(r.buf))
				}
			})
		}
	}
}

func TestEventReaderLimit(t *testing.T) {
	const limit = 8
	tests := []struct {
		name, input string
		want        string // data, or the bytes read of an event over the limit in <>
		cut         bool
	}{
		{"at the limit", "data: 1\n\ndata:2\n\n", "1|2", false},
		{"at the limit with CRLF", "data:1\r\n\r\ndata:2\n\n", "1|2", false},
		{"blank lines and byte order mark do not count", "\uFEFF\n\n\n\n\n\n\n\n\ndata: 1\n\n", "1", false},
		{"over by one", "data: 12\n\ndata:2\n\n", "<9>|2", false},
		{"over by one with CRLF", "data: 1\r\n\r\ndata:2\n\n", "<9>|2", false},
		{"over by its lines", "data\ndata\n\ndata:2\n\n", "<10>|2", false},
		{"over by comments", ":\n:\n:\n:\n:\n\ndata:2\n\n", "<10>|2", false},
		{"two in a row", "data: 12\n\ndata: 123\n\n", "<9>|<10>", false},
		{"cut off", "data:1\n\ndata: 123", "1|<9>", true},
		{"cut off before the blank line", "data: 123\r\n", "<11>", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			eachSplit([]byte(test.input), func(split string, src io.Reader) {
				results, err := readEvents(NewEventReader(src, limit))
				if errors.Is(err, io.ErrUnexpectedEOF) != test.cut || !test.cut && !errors.Is(err, io.EOF) {
					t.Errorf("%s: error %v", split, err)
				}
				var got []string
				for _, one := range results {
					if one.TooLong != nil {
						got = append(got, fmt.Sprintf("<%d>", one.TooLong.Read))
					} else {
						got = append(got, string(one.Event.Data))
					}
				}
				if strings.Join(got, "|") != test.want {
					t.Errorf("%s: got %q, want %q", split, got, test.want)
				}
			})
		})
	}
}

func TestEventReaderLimitBelowByteOrderMark(t *testing.T) {
	eachSplit([]byte("\uFEFF\n\n"), func(split string, src io.Reader) {
		if got, err := readEvents(NewEventReader(src, 1)); len(got) > 0 || !errors.Is(err, io.EOF) {
			t.Errorf("%s: %+v, error %v; want nothing and io.EOF", split, got, err)
		}
	})
}

func TestEventReaderSkipsWithoutBuffering(t *testing.T) {
	long := append(append([]byte("id: 2\nretry: 1\ndata: "), filler(3<<20)...), "\nid: 3\n"...)
	input := append(append([]byte("id: 1\n\n"), long...), "\ndata: next\n\n"...)
	src := &watchedReader{src: bytes.NewReader(input)}
	r := NewEventReader(src, 100<<10)
	src.held = func() int { return len(r.buf) }
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	_, err := r.Next()
	var tooLong *TooLongError
	if !errors.As(err, &tooLong) {
		t.Fatalf("error %v, want a *TooLongError", err)
	}
	if tooLong.Limit != 100<<10 || tooLong.Read != len(long) {
		t.Errorf("limit %d, read %d of %d", tooLong.Limit, tooLong.Read, len(long))
	}
	if !bytes.Equal(tooLong.Head, long[:1024]) || !bytes.Equal(tooLong.Tail, long[len(long)-1024:]) {
		t.Errorf("head %q\ntail %q", tooLong.Head, tooLong.Tail)
	}
	if src.most > 4*(100<<10) {
		t.Errorf("%d bytes buffered for a limit of %d", src.most, 100<<10)
	}
	event, err := r.Next()
	if diff := cmp.Diff(with(message("next"), after("1")), event, withoutRaw()); err != nil || diff != "" {
		t.Errorf("the event after, error %v (-want +got):\n%s", err, diff)
	}
}

func TestEventReaderPassesErrorsOn(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		name, rest string
		limit      int
		tooLong    bool
	}{
		{"inside an event", "data: y\nda", 0, false},
		{"inside an event over the limit", "", 8, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			src := &chunkReader{chunks: [][]byte{[]byte("data: x\n\ndata: y\n"), []byte("da")}, err: broken}
			r := NewEventReader(src, test.limit)
			got, err := readEvents(r)
			if string(got[0].Event.Data) != "x" || (len(got) == 2 && got[1].TooLong != nil) != test.tooLong {
				t.Errorf("got %+v", got)
			}
			if !errors.Is(err, broken) || err.Error() != "read event stream: broken" || string(r.Rest()) != test.rest {
				t.Errorf("error %v, rest %q", err, r.Rest())
			}
			if _, again := r.Next(); !errors.Is(again, broken) || src.ends != 1 {
				t.Errorf("then %v, and the reader failed %d times: a final error must stay without reading on", again, src.ends)
			}
		})
	}
}

// nothingReader gives neither bytes nor an error.
type nothingReader struct{}

func (nothingReader) Read([]byte) (int, error) { return 0, nil }

func TestReadersGiveUpOnAReaderThatGivesNothing(t *testing.T) {
	if _, err := NewEventReader(nothingReader{}, 0).Next(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("event reader: error %v, want io.ErrNoProgress", err)
	}
	if _, err := NewLineReader(nothingReader{}, 0).Next(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("line reader: error %v, want io.ErrNoProgress", err)
	}
}
