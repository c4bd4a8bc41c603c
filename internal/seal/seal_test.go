package seal_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/seal"
)

func TestOpensWhatItSealed(t *testing.T) {
	for _, size := range []int{0, 1, 2, 3, 15, 16, 17, 1 << 20} {
		v := bytes.Repeat([]byte{0xa5}, size)
		s := seal.New([]byte("secret"))
		got, err := s.Open("a1.", s.Seal("a1.", v))
		if err != nil || !bytes.Equal(got, v) {
			t.Errorf("%d bytes: got %d bytes, %v", size, len(got), err)
		}
	}
}

func TestOpensNothingElse(t *testing.T) {
	s := seal.New([]byte("secret"))
	text := s.Seal("a1.", []byte("value"))
	for name, altered := range map[string]string{
		"empty": "", "prefix alone": "a1.", "other prefix": "b1." + text[3:], "cut": text[:len(text)-1],
		"longer": text + "A", "line break": text[:8] + "\n" + text[8:], "padded": text + "=",
		"no base64": "a1.!!!!", "other secret": seal.New([]byte("Secret")).Seal("a1.", []byte("value")),
		"other purpose": s.Seal("a2.", []byte("value")),
	} {
		if got, err := s.Open("a1.", altered); !errors.Is(err, seal.ErrBroken) {
			t.Errorf("%s: opened as %q, %v", name, got, err)
		}
	}
}

func TestSealDoesNotWriteBehindItsValue(t *testing.T) {
	room := []byte("value and more")
	seal.New(nil).Seal("a1.", room[:5])
	if string(room) != "value and more" {
		t.Errorf("the bytes behind the value are now %q", room)
	}
}

func FuzzNoAlteredTextOpens(f *testing.F) {
	s := seal.New([]byte("secret"))
	f.Add([]byte("value"), 5, byte('A'))
	f.Fuzz(func(t *testing.T, v []byte, at int, to byte) {
		text := []byte(s.Seal("a1.", v))
		at = int(uint(at) % uint(len(text)))
		if text[at] == to {
			return
		}
		text[at] = to
		if got, err := s.Open("a1.", string(text)); err == nil {
			t.Errorf("%q opened as %q", text, got)
		}
		if strings.HasPrefix(string(v), "a1.") {
			if got, err := s.Open("a1.", string(v)); err == nil {
				t.Errorf("made up text opened as %q", got)
			}
		}
	})
}
