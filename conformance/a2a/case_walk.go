package a2a

import (
	"context"
	"slices"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/reporters"
)

// maxPages is how far the suite walks: its own tasks are among the latest.
const maxPages = 20

// walkCases are about the way from page to page.
func walkCases() []conformance.Case {
	return []conformance.Case{walkEnds(), walkComplete()}
}

func walkEnds() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.pagination.walk-ends", Title: `The way through the pages ends with nextPageToken "", and meets no task twice`,
			Area: conformance.Pagination, Level: reporters.Must, Revisions: since10(), Needs: needs(ListTasks),
			Rule: rule(`Pages are cut by a cursor: each nextPageToken leads further, to tasks that were not listed yet, and the one of the `+
				`last page is "".`, listTasks),
			Fix: "Make nextPageToken name the last task of the page, and continue after that task; do not count offsets.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			first, _ := s.twoTasks(ctx, c)
			w := s.walk(ctx, c, object{"contextId": first.ContextID, "pageSize": 1})
			if len(w.ids) == 0 {
				c.NotVerified("the agent lists no task of the context")
			}
			if !w.ended && len(w.ids) < w.total {
				c.NotVerified("the list has more pages than the suite reads")
			}
			c.That(w.ended, `a last page, with nextPageToken ""`, "more than %d pages, when all %d tasks were listed", maxPages, w.total)
		}),
	}
}

func walkComplete() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.pagination.walk-complete", Title: "The way through the pages leaves no task out",
			Area: conformance.Pagination, Level: reporters.Should, Revisions: since10(), Needs: needs(ListTasks),
			Rule: rule("ListTasks with a contextId returns, page by page, the tasks of the context that this client may see.", listTasks),
			Fix:  "Continue directly after the last task of the page before, and list what messages of the same client made.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			first, second := s.twoTasks(ctx, c)
			w := s.walk(ctx, c, object{"contextId": first.ContextID, "pageSize": 1})
			if !w.ended {
				c.NotVerified("the list has more pages than the suite reads")
			}
			for _, it := range []item{first, second} {
				c.That(slices.Contains(w.ids, it.TaskID), "the task "+it.TaskID+" among those listed", "%q", w.ids)
			}
		}),
	}
}

// walk is a way through pages.
type walk struct {
	ids   []string
	ended bool // the last page was reached
	total int  // how many tasks the agent says there are
}

// walk reads pages until the last or maxPages. It ends the case as failed when the
// way leads in a circle.
func (s *Session) walk(ctx context.Context, c *conformance.Check, params object) walk {
	var w walk
	var tokens []string
	for range maxPages {
		p := s.page(ctx, c, params)
		for _, t := range p.tasks {
			id := text(t, "id")
			c.That(!slices.Contains(w.ids, id), "each task on one page only", "the task %s again on page %d", id, len(tokens)+1)
			w.ids = append(w.ids, id)
		}
		w.total = number(p.raw, "totalSize")
		if p.next == "" {
			c.That(p.hasToken, `nextPageToken to be ""`+" on the last page", "no nextPageToken")
			w.ended = true
			return w
		}
		c.That(!slices.Contains(tokens, p.next), "another nextPageToken on each page", "%q again on page %d", p.next, len(tokens)+1)
		tokens = append(tokens, p.next)
		params["pageToken"] = p.next
	}
	return w
}
