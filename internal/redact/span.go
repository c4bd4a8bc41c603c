package redact

import (
	"cmp"
	"slices"
)

// span is a part of some text that is to be replaced.
type span struct {
	from, to int
	with     []byte // what stands instead
	// Where with is nil, secret under name stands instead; it is made only when it is needed.
	name   string
	secret []byte
}

// within reports whether s lies inside one of the others, which are in order and apart.
func (s span) within(others []span) bool {
	i, _ := slices.BinarySearchFunc(others, s.to, func(o span, to int) int { return cmp.Compare(o.to, to) })
	return i < len(others) && others[i].from <= s.from
}

// replace returns b with the spans replaced, but for those inside a replacement that stands there
// already. Where two overlap, the one that begins first is replaced whole, and the rest of the other
// after it.
func (r *Redactor) replace(b []byte, spans []span) []byte {
	if len(spans) == 0 {
		return b
	}
	done := marks(b)
	spans = slices.DeleteFunc(spans, func(s span) bool { return s.within(done) })
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	var out []byte
	at := 0
	for _, s := range spans {
		if s.to <= at {
			continue
		}
		out = append(out, b[at:max(at, s.from)]...)
		if s.with == nil {
			s.with = r.mark(s.name, s.secret)
		}
		out = append(out, s.with...)
		at = s.to
	}
	if at == 0 {
		return b
	}
	return append(out, b[at:]...)
}
