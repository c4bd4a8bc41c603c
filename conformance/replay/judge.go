package replay

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/wire"
)

// judge compares what came with what was recorded.
func (s *Script) judge(c *conformance.Check, st *step, o outcome) {
	switch {
	case o.unplayed != "":
		c.NotVerified("%s", o.unplayed)
	case st.unknown != "":
		c.NotVerified("%s", st.unknown)
	case s.Protocol() == fixtures.MCP:
		s.judgeMCP(c, st, o)
	default:
		s.judgeA2A(c, st, o)
	}
}

func (s *Script) judgeMCP(c *conformance.Check, st *step, o outcome) {
	if st.Answer.Kind == "" && st.Status() >= 400 && o.err != nil { // an HTTP error without a message
		var refused interface{ HTTPStatus() int }
		if errors.As(o.err, &refused) {
			c.That(refused.HTTPStatus() == st.Status(), "HTTP status "+itoa(st.Status()), "%d", refused.HTTPStatus())
			return
		}
	}
	c.Answered(o.err, st.method)
	if st.Request.Kind == wire.KindNotification {
		c.That(o.status < 300, "the notification to be taken", "HTTP status %d", o.status)
		return
	}
	s.judgeStatus(c, st, o)
	s.same(c, s.compare.Compare(st.method, st.Answer.Raw, last(o.payloads), s.volatile(st.AnswerAt)...))
	s.judgeNotes(c, st, o)
}

// judgeStatus compares the HTTP status, where both the recording and this run have
// one.
func (s *Script) judgeStatus(c *conformance.Check, st *step, o outcome) {
	want, got := st.Status(), o.status
	if want == 0 || got == 0 || want == got {
		return
	}
	sameClass := want/100 == got/100
	alike := s.compare.Strictness() == fixtures.Class && sameClass
	// HTTP+SSE answers 202 and tells the answer elsewhere.
	alike = alike || s.Protocol() == fixtures.MCP && sameClass
	c.That(alike, "HTTP status "+itoa(want), "%d", got)
}

// judgeNotes compares the notifications that can be told to belong to the request:
// on a transport with one stream, in the recording or now, those of its progress.
func (s *Script) judgeNotes(c *conformance.Check, st *step, o outcome) {
	if s.compare.Strictness() == fixtures.Class {
		return
	}
	want, got := st.Notes, o.notes
	if own := st.Number != 0 && s.frames[st.AnswerAt].Exchange == st.Number; !own || !o.ownStream {
		want, got = progress(want), progress(got)
	}
	s.same(c, s.compare.CompareSet(st.method, raws(want), raws(got)))
	c.That(rising(got) || !rising(want), "progress that rises, as it did when it was recorded", "%s", join(raws(progress(got))))
}

func progress(notes []wire.Message) []wire.Message {
	var all []wire.Message
	for _, n := range notes {
		if n.Method == "notifications/progress" {
			all = append(all, n)
		}
	}
	return all
}

// rising tells whether each progress notification tells of more than the last.
func rising(notes []wire.Message) bool {
	last, any := 0.0, false
	for _, n := range progress(notes) {
		var view struct {
			Progress float64 `json:"progress"`
		}
		if json.Unmarshal(n.Params, &view) != nil || any && view.Progress <= last {
			return false
		}
		last, any = view.Progress, true
	}
	return true
}

func raws(notes []wire.Message) [][]byte {
	var all [][]byte
	for _, n := range notes {
		all = append(all, n.Raw)
	}
	return all
}

func join(texts [][]byte) string {
	parts := make([]string, len(texts))
	for i, t := range texts {
		parts[i] = string(t)
	}
	return strings.Join(parts, " ")
}

func last(payloads [][]byte) []byte {
	if len(payloads) == 0 {
		return nil
	}
	return payloads[len(payloads)-1]
}

// maxNamed bounds how many differences a result names.
const maxNamed = 5

// same ends the case unless nothing differs.
func (s *Script) same(c *conformance.Check, found []fixtures.Mismatch) {
	if len(found) == 0 {
		return
	}
	lines := make([]string, 0, maxNamed+1)
	for i, m := range found {
		if i == maxNamed {
			lines = append(lines, "and "+itoa(len(found)-i)+" more")
			break
		}
		lines = append(lines, m.String())
	}
	c.That(false, "the recorded answer, compared by "+string(s.compare.Strictness()), "%s", strings.Join(lines, "; "))
}
