package a2a

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
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
			c.That(w.expected == "", w.expected, "%s", w.actual)
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
				c.NotVerified("the way through the pages did not come to its end: %s", cmp.Or(w.actual, "there are many"))
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
	// expected and actual say where the way went wrong, and was not followed further.
	expected, actual string
}

// walk reads pages until the last, or maxPages of them.
func (s *Session) walk(ctx context.Context, c *conformance.Check, params object) walk {
	var w walk
	var tokens []string
	for range maxPages {
		p := s.page(ctx, c, params)
		w.total = number(p.raw, "totalSize")
		switch on := fmt.Sprintf(" again on page %d", len(tokens)+1); {
		case !w.add(p.tasks):
			w.expected, w.actual = "each task on one page only", "the task "+w.ids[len(w.ids)-1]+on
			return w
		case p.next == "":
			w.ended = true
			return w
		case slices.Contains(tokens, p.next):
			w.expected, w.actual = "another nextPageToken on each page", clip(p.next)+on
			return w
		}
		tokens = append(tokens, p.next)
		params["pageToken"] = p.next
	}
	return w
}

// add takes the tasks of a page; it stops at one that was listed before.
func (w *walk) add(tasks []json.RawMessage) bool {
	for _, t := range tasks {
		id := text(t, "id")
		known := slices.Contains(w.ids, id)
		w.ids = append(w.ids, id)
		if known {
			return false
		}
	}
	return true
}
