package reporters

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestClip(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"short":          {"abc", "abc"},
		"exact":          {strings.Repeat("a", 40), strings.Repeat("a", 40)},
		"long":           {strings.Repeat("a", 41), strings.Repeat("a", 19) + "… (41 bytes in all)"},
		"whole runes":    {strings.Repeat("€", 20), strings.Repeat("€", 6) + "… (60 bytes in all)"},
		"broken":         {"a\xffb", "a\ufffdb"},
		"broken is long": {strings.Repeat("a\xff", 30), "a\ufffda\ufffda\ufffda\ufffda" + "… (120 bytes in all)"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := clip(tt.in, 40)
			if got != tt.want {
				t.Errorf("clip(%q) = %q, want %q", tt.in, got, tt.want)
			}
			if again := clip(got, 40); again != got {
				t.Errorf("clipped again: %q", again)
			}
		})
	}
}

func TestClipFrames(t *testing.T) {
	var frames []Frame
	for i := range 3 * MaxFrames {
		frames = append(frames, Frame{N: i + 1, Text: "x"})
	}
	frames[MaxFrames].LeftOut = 7 // left out before this came here
	frames[0].Text = strings.Repeat("€", maxFrame)
	got := clipFrames(frames)

	if len(got) != MaxFrames || got[0].N != 1 || got[MaxFrames-1].N != 3*MaxFrames {
		t.Fatalf("kept %d frames, %d to %d", len(got), got[0].N, got[len(got)-1].N)
	}
	if want := 2*MaxFrames + 7; got[MaxFrames/2].LeftOut != want {
		t.Errorf("says that %d are left out, want %d", got[MaxFrames/2].LeftOut, want)
	}
	first := got[0]
	if !first.Truncated || len(first.Text) > maxFrame || len(first.Text) < maxFrame-2 || !utf8.ValidString(first.Text) {
		t.Errorf("first text: truncated %t, %d bytes, valid %t", first.Truncated, len(first.Text), utf8.ValidString(first.Text))
	}
	if got[1].Truncated || frames[0].Truncated {
		t.Error("a frame is marked that was not cut")
	}
	if diff := cmp.Diff(got, clipFrames(got)); diff != "" {
		t.Errorf("clipped again:\n%s", diff)
	}
}

// Whatever the size of what a peer says, the report stays small.
func TestReportIsBounded(t *testing.T) {
	huge := strings.Repeat("x", 1<<20)
	c := baseCase("mcp.tools.x", Failed)
	c.Title, c.Reason, c.Expected, c.Actual, c.Fix = huge, huge, huge, huge, huge
	for range 3 * MaxFrames {
		c.Transcript = append(c.Transcript, Frame{N: 1, Dir: In, Kind: huge, Text: huge})
	}
	p := basePeer(c)
	p.Transport, p.Target, p.Name, p.Version, p.Revision, p.Error = huge, huge, huge, huge, huge, huge
	p.Features = []string{huge}
	p.Calls = []Call{{huge, huge, 1}}
	for _, format := range Formats() {
		var out strings.Builder
		if err := Render(&out, format, baseReport(p)); err != nil {
			t.Fatal(err)
		}
		if out.Len() > 256<<10 {
			t.Errorf("%s has %d bytes", format, out.Len())
		}
	}
}
