package replay

import (
	"context"
	"fmt"
	"strings"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/reporters"
)

const docsURL = "https://github.com/peerwright/peerwright/blob/main/docs/fixtures.md#replay"

// Cases lists the exchanges of the script as cases for this target, in order. What
// the fixture holds and a replay does not play is among them, and says why.
func (t *Target) Cases() []conformance.Case {
	s := t.script
	cases := make([]conformance.Case, 0, len(s.steps))
	digits := len(fmt.Sprint(len(s.steps)))
	for i, st := range s.steps {
		cases = append(cases, conformance.Case{
			Meta: conformance.Meta{
				ID:        fmt.Sprintf("replay.%s.%0*d.%s", slug(s.name), digits, i+1, slug(st.method)),
				Title:     fmt.Sprintf("%s is answered as recorded", st.subject()),
				Protocol:  s.Protocol(),
				Area:      st.area,
				Level:     reporters.Must,
				Revisions: s.revisions(),
				Needs:     st.needs,
				Rule:      reporters.Rule{Text: "The peer answers as it did when the fixture was recorded.", URL: docsURL},
				Fix:       "Where the new answer is meant, record the fixture again; where only a value differs, give the fixture a matcher for its place.",
			},
			Run: func(ctx context.Context, c *conformance.Check, p conformance.Peer) { t.run(ctx, c, p, st) },
		})
	}
	return cases
}

// subject names the step for people.
func (st *step) subject() string {
	for _, name := range []string{"name", "uri"} {
		if value := st.param(name); value != "" {
			return st.method + " of " + value
		}
	}
	return st.method
}

// slug makes a word that can stand in an id.
func slug(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	if len(words) == 0 {
		return "unnamed"
	}
	return strings.Join(words, "-")
}

func (t *Target) run(ctx context.Context, c *conformance.Check, p conformance.Peer, st *step) {
	play, err := t.open(ctx)
	c.Answered(err, "the opening of a conversation")
	if h, ok := p.(*handle); ok {
		h.from = play.transcript.Len()
	}
	t.script.judge(c, st, play.result(ctx, st))
}
