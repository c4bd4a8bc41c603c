package wire

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"testing"
)

// endlessReader gives the same messages again and again.
type endlessReader struct {
	messages []byte
	at       int
}

// endless returns a reader of message without end.
func endless(message string) *endlessReader {
	return &endlessReader{messages: bytes.Repeat([]byte(message), max(1, 1<<20/len(message)))}
}

func (r *endlessReader) Read(p []byte) (int, error) {
	n := copy(p, r.messages[r.at:])
	r.at = (r.at + n) % len(r.messages)
	return n, nil
}

// benchSizes are those of a small notification, a common message, and large tool results.
var benchSizes = []int{128, 1 << 10, 64 << 10, 1 << 20} //nolint:gochecknoglobals // benchmark table

func BenchmarkLineReader(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			r := NewLineReader(endless(string(filler(size-1))+"\n"), 0)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if line, err := r.Next(); err != nil || len(line.Raw) != size {
					b.Fatal(len(line.Raw), err)
				}
			}
		})
	}
}

func BenchmarkLineWriter(b *testing.B) {
	w := NewLineWriter(io.Discard)
	msg := filler(1 << 10)
	b.SetBytes(int64(len(msg)))
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Write(msg); err != nil {
			b.Fatal(err)
		}
	}
}

// benchEvents are the shapes that peers write, of about n bytes.
func benchEvents(n int) map[string]string {
	data := string(filler(n))
	return map[string]string{
		"data":  "data: " + data + "\n\n",
		"CRLF":  "event: message\r\ndata: " + data + "\r\n\r\n",
		"CR":    "event: message\rdata: " + data + "\r\r",
		"id":    "event: message\nid: 0123456789abcdef\ndata: " + data + "\n\n",
		"lines": strings.Repeat("data: "+data[:n/16]+"\n", 16) + "\n",
	}
}

func BenchmarkEventReader(b *testing.B) {
	for _, size := range benchSizes {
		for shape, event := range benchEvents(size) {
			b.Run(strconv.Itoa(size)+"/"+shape, func(b *testing.B) {
				r := NewEventReader(endless(event), 0)
				b.SetBytes(int64(len(event)))
				b.ReportAllocs()
				for b.Loop() {
					if got, err := r.Next(); err != nil || !got.Dispatched {
						b.Fatal(len(got.Raw), err)
					}
				}
			})
		}
	}
}

func BenchmarkAppendEvent(b *testing.B) {
	event := OutEvent{Type: "message", ID: "1", Data: filler(1 << 10)}
	var dst []byte
	b.SetBytes(int64(len(event.Data)))
	b.ReportAllocs()
	for b.Loop() {
		dst = AppendEvent(dst[:0], event)
	}
}

// A frame costs the allocation of its bytes, and of its id and joined data where it has them.
func TestReadersAllocateBytesAlone(t *testing.T) {
	lines := NewLineReader(endless(string(filler(1<<10))+"\n"), 0)
	if got := testing.AllocsPerRun(1000, func() { _, _ = lines.Next() }); got > 1 {
		t.Errorf("%v allocations a line, want 1", got)
	}
	want := map[string]float64{"data": 1, "CRLF": 1, "CR": 1, "id": 2, "lines": 2}
	for shape, event := range benchEvents(1 << 10) {
		events := NewEventReader(endless(event), 0)
		if got := testing.AllocsPerRun(1000, func() { _, _ = events.Next() }); got > want[shape] {
			t.Errorf("%v allocations an event of shape %s, want %v", got, shape, want[shape])
		}
	}
}
