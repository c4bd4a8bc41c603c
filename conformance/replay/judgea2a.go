package replay

import (
	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/transport"
)

func (s *Script) judgeA2A(c *conformance.Check, st *step, o outcome) {
	c.Answered(o.err, st.method)
	s.judgeStatus(c, st, o)
	want, got := transport.MediaType(st.Answered().Header), transport.MediaType(o.header)
	strict := s.compare.Strictness() != fixtures.Class
	c.That(!strict || want == got, "Content-Type "+want, "%q", got)
	recorded := st.Payloads()
	switch {
	case got == "text/event-stream" && want == got:
		s.judgeEnd(c, st, recorded, o.payloads)
		s.same(c, s.compare.CompareSet(st.method, recorded, o.payloads))
	case len(recorded) == 0 && len(o.payloads) == 0:
	default:
		s.same(c, s.compare.Compare(st.method, last(recorded), last(o.payloads), s.volatile(st.last())...))
	}
}

// judgeEnd compares how a stream ends: in the same state.
func (s *Script) judgeEnd(c *conformance.Check, st *step, want, got [][]byte) {
	if len(want) == 0 || len(got) == 0 {
		return
	}
	w, g := fixtures.ClassOf(st.method, last(want)), fixtures.ClassOf(st.method, last(got))
	c.That(w == g, "a stream that ends with "+w, "%s", g)
}

// last is the number of the last frame that has a payload.
func (st *step) last() int {
	n := 0
	for _, f := range st.In {
		if len(f.Payload()) > 0 {
			n = f.Seq
		}
	}
	return n
}
