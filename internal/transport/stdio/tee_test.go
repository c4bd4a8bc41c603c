package stdio

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peerwright/peerwright/internal/wire"
)

func TestTeeLeavesNothingOutForATapThatKeepsUp(t *testing.T) {
	seen := make(chan int)
	tee := newTee(func(f wire.Frame) { seen <- len(f.Data) })
	line := append(bytes.Repeat([]byte("x"), 1<<20), '\n')
	for range 2 * teeLimit / len(line) {
		tee.pass(fromServer, line)
		if n := <-seen; n != len(line) {
			t.Fatalf("a frame of %d bytes", n)
		}
	}
	tee.close()
	<-tee.done
}

func TestSplitter(t *testing.T) {
	const m, k, e, s = wire.FrameMessage, wire.FrameChunk, wire.FrameClose, wire.FrameStderr
	type frame struct {
		Kind wire.FrameKind
		Data string
	}
	for _, tc := range []struct {
		name   string
		kind   wire.FrameKind
		pieces []piece
		want   []frame
	}{
		{"whole lines", m, []piece{{data: []byte("a\nb\n")}}, []frame{{m, "a\n"}, {m, "b\n"}}},
		{
			"cut lines", m,
			[]piece{{data: []byte("a")}, {data: []byte("b\r")}, {data: []byte("\nc")}, {end: true}},
			[]frame{{m, "ab\r\n"}, {m, "c"}, {e, ""}},
		},
		{"nothing after the end", m, []piece{{end: true}, {data: []byte("a\n")}, {end: true}}, []frame{{e, ""}}},
		{
			"a gap between lines", m,
			[]piece{{data: []byte("a\n")}, {lost: 5, data: []byte("b\nc\n")}},
			[]frame{{m, "a\n"}, {k, ""}, {k, "b\n"}, {m, "c\n"}},
		},
		{
			"a gap in a line", m,
			[]piece{{data: []byte("a")}, {lost: 5, data: []byte("b")}, {end: true}},
			[]frame{{k, "a"}, {k, ""}, {k, "b"}, {e, ""}},
		},
		{
			"stderr", s,
			[]piece{{data: []byte("a\nb")}, {lost: 5, data: []byte("c\n")}, {end: true}},
			[]frame{{s, "a\n"}, {k, "b"}, {k, ""}, {s, "c\n"}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []frame
			split := splitter{kind: tc.kind, tap: func(f wire.Frame) { got = append(got, frame{f.Kind, string(f.Data)}) }}
			for _, p := range tc.pieces {
				split.take(p)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
