package stdio

import (
	"bytes"
	"testing"

	"github.com/peerwright/peerwright/internal/wire"
)

// FuzzSplitter cuts bytes anywhere: the frames must be those of the whole, and lose
// nothing.
func FuzzSplitter(f *testing.F) {
	f.Add([]byte("{}\r\n\n{"), []byte{1, 3})
	f.Add([]byte("\n"), []byte{})
	f.Fuzz(func(t *testing.T, data, cuts []byte) {
		frames := func(cuts []byte) (list [][]byte) {
			s := splitter{kind: wire.FrameMessage, tap: func(f wire.Frame) {
				if f.Kind == wire.FrameMessage {
					list = append(list, f.Data)
				}
			}}
			rest := data
			for _, n := range cuts {
				at := min(int(n), len(rest))
				s.take(piece{data: bytes.Clone(rest[:at])})
				rest = rest[at:]
			}
			s.take(piece{data: bytes.Clone(rest), end: true})
			return list
		}
		whole, cut := frames(nil), frames(cuts)
		if !bytes.Equal(bytes.Join(whole, nil), data) {
			t.Errorf("frames %q of %q", whole, data)
		}
		if !bytes.Equal(bytes.Join(cut, []byte("|")), bytes.Join(whole, []byte("|"))) {
			t.Errorf("cut at %v: %q, whole: %q", cuts, cut, whole)
		}
	})
}
