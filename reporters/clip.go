package reporters

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// What a peer says ends up in the report, and a peer may say any amount.
const (
	maxName  = 256     // bytes of a name, title, version or target
	maxProse = 4 << 10 // bytes of reason, expected, actual
	maxFrame = 4 << 10 // bytes of the text of a frame
)

// MaxFrames is how many frames of a transcript a report keeps: as many of the first as of
// the last. The text of those between need not be written.
const MaxFrames = 40

func clipPeer(p *Peer) {
	for _, s := range []*string{&p.Transport, &p.Target, &p.Name, &p.Version, &p.Revision} {
		*s = clip(*s, maxName)
	}
	p.Error = clip(p.Error, maxProse)
}

func clipCase(c *Case) {
	c.Title = clip(c.Title, maxName)
	for _, s := range []*string{&c.Reason, &c.Expected, &c.Actual, &c.Fix} {
		*s = clip(*s, maxProse)
	}
	c.Transcript = clipFrames(c.Transcript)
}

// clipFrames keeps the beginning and the end: the request that began it, and what went wrong.
func clipFrames(frames []Frame) []Frame {
	out := slices.Clone(frames)
	if n := len(frames) - MaxFrames; n > 0 {
		out = slices.Concat(frames[:MaxFrames/2], frames[len(frames)-MaxFrames/2:])
		for _, f := range frames[MaxFrames/2 : len(frames)-MaxFrames/2] {
			n += f.LeftOut
		}
		out[MaxFrames/2].LeftOut += n
	}
	for i := range out {
		out[i].Kind = clip(out[i].Kind, maxName)
		out[i].Text = validUTF8(out[i].Text)
		if len(out[i].Text) > maxFrame {
			out[i].Text, out[i].Truncated = cut(out[i].Text, maxFrame), true
		}
	}
	return out
}

// clip returns s as valid UTF-8 in at most limit bytes, and says what it left out.
func clip(s string, limit int) string {
	s = validUTF8(s)
	if len(s) <= limit {
		return s
	}
	note := fmt.Sprintf("… (%d bytes in all)", len(s))
	return cut(s, limit-len(note)) + note
}

// cut returns the longest beginning of s that has at most limit bytes and no broken character.
func cut(s string, limit int) string {
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

func validUTF8(s string) string {
	return strings.ToValidUTF8(s, string(utf8.RuneError))
}
