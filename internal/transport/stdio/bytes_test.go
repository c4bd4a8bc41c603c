//go:build unix

package stdio

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

func TestRawBytesGoAsTheyAre(t *testing.T) {
	for _, tc := range []struct{ raw, want string }{
		{ping, ping + "\n"},
		{ping + "\n", ping + "\n"},
		{ping + "\r\n", ping + "\r\n"},
		{"[" + ping + "," + ping + "]", "[" + ping + "," + ping + "]\n"},
		{"{\n}", "{\n}\n"}, // what the peer must refuse
		{"\xff\x00", "\xff\x00\n"},
		{"", "\n"},
	} {
		t.Run(fmt.Sprintf("%q", tc.raw), func(t *testing.T) {
			var tap frames
			c := dial(t, script("echo"), transport.Options{Tap: tap.see})
			room := append(make([]byte, 0, len(tc.raw)+8), tc.raw...)
			if _, err := c.Send(limited(t), transport.Outgoing{Raw: room}); err != nil {
				t.Fatal(err)
			}
			if got := room[:len(room)+1][len(room)]; got != 0 {
				t.Error("Send wrote into the room behind the caller's bytes")
			}
			heard := ""
			for range strings.Count(tc.want, "\n") {
				line, _ := wire.Text(receive(t, c).Result)
				heard += line + "\n"
			}
			if want := strings.ToValidUTF8(strings.ReplaceAll(tc.want, "\r", ""), "\ufffd"); heard != want {
				t.Errorf("child heard %q, want %q", heard, want)
			}
			if got := tap.data(wire.Out, wire.FrameMessage); got != tc.want {
				t.Errorf("tap saw %q", got)
			}
		})
	}
}

func TestLimit(t *testing.T) {
	for _, size := range []int{64<<10 - 1, 64 << 10, 64<<10 + 1, 5 << 20} {
		c := dial(t, script(fmt.Sprintf("big=%d", size)), transport.Options{})
		send(t, c, ping)
		if pad, _ := wire.Text(wire.Get(receive(t, c).Raw, "pad")); len(pad) != size {
			t.Errorf("received %d bytes of %d", len(pad), size)
		}
	}
}

func TestOneLineOverTheLimitFailsAlone(t *testing.T) {
	var tap frames
	c := dial(t, script("big=100000"), transport.Options{Limit: 1000, Tap: tap.see})
	for range 2 {
		send(t, c, ping)
		in := receive(t, c)
		var long *wire.TooLongError
		if !errors.As(in.Err, &long) || in.Kind != wire.KindInvalid || len(in.Problems) != 1 || in.End {
			t.Errorf("received %+v", in)
		}
		if in := receive(t, c); in.Kind != wire.KindResult || in.Err != nil {
			t.Errorf("then received %+v", in)
		}
	}
	if got := tap.of(wire.In, wire.FrameChunk); len(got) != 2 || !strings.Contains(got[0].Note, "over the limit") {
		t.Errorf("the tap saw %v", got)
	}
}

func TestEveryCutIsHealed(t *testing.T) {
	const text = `{"é€😀":"` + "\u2028" + `"}` + "\r\n"
	var tap frames
	c := dial(t, script("write="+text), transport.Options{Tap: tap.see})
	for range len(text) {
		if in := receive(t, c); string(in.Raw) != strings.TrimSpace(text) {
			t.Errorf("received %q", in.Raw)
		}
	}
	if err := c.Close(limited(t)); err != nil {
		t.Fatal(err)
	}
	if got := tap.data(wire.In, wire.FrameMessage); got != strings.Repeat(text, len(text)) {
		t.Errorf("the tap saw %q", got)
	}
}

func TestCRLF(t *testing.T) {
	var tap frames
	c := dial(t, script("crlf"), transport.Options{Tap: tap.see})
	send(t, c, ping)
	if in := receive(t, c); in.Kind != wire.KindResult || strings.HasSuffix(string(in.Raw), "\r") {
		t.Errorf("received %q", in.Raw)
	}
	if got := tap.data(wire.In, wire.FrameMessage); !strings.HasSuffix(got, "}\r\n") {
		t.Errorf("the tap saw %q", got)
	}
}

func TestFramesOfAnEnd(t *testing.T) {
	var tap frames
	c := dial(t, script("unterminated"), transport.Options{Tap: tap.see})
	<-c.done
	got := tap.of(wire.In, wire.FrameMessage, wire.FrameClose)
	if len(got) != 2 || got[0].Note == "" || got[1].Note != "exited with status 4" {
		t.Errorf("the tap saw %+v", got)
	}
	if got := tap.of(wire.Out, wire.FrameClose); len(got) != 1 {
		t.Errorf("the tap saw %+v", got)
	}
}
