package a2a

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

const listTasks = spec10 + "#314-list-tasks"

// listCases are about single pages of ListTasks, which 1.0 introduced.
func listCases() []conformance.Case {
	return []conformance.Case{listMembers(), emptyList(), pageSizeKept(), pageSizeBounds(), invalidPageToken(), listOrder(), contextFilter()}
}

func listMembers() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.pagination.members", Title: "A page says everything that a page has to say",
			Area: conformance.Pagination, Level: reporters.Must, Revisions: since10(), Needs: needs(ListTasks),
			Rule: rule("The answer to ListTasks always has tasks, nextPageToken, pageSize and totalSize, whatever their values.", listTasks),
			Fix:  "Write all four members also when they are zero or empty; many protobuf encoders leave those out.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			p := s.page(ctx, c, object{})
			c.That(p.tasks != nil, "tasks to be an array", "%s", orNone(wire.Get(p.raw, "tasks")))
			c.That(p.hasToken, "nextPageToken to be a string", "%s", orNone(wire.Get(p.raw, "nextPageToken")))
			for _, name := range []string{"pageSize", "totalSize"} {
				c.That(wire.RawID(wire.Get(p.raw, name)).IsNumber(), name+" to be a number", "%s", orNone(wire.Get(p.raw, name)))
			}
		}),
	}
}

func emptyList() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.pagination.empty-list", Title: "A list without tasks still has its nextPageToken and totalSize",
			Area: conformance.Pagination, Level: reporters.Must, Revisions: since10(), Needs: needs(ListTasks),
			Rule: rule(`nextPageToken is always present and "" on the last page; totalSize is required. The text also wants required `+
				"arrays to have an element, so an empty list may leave tasks out.", listTasks),
			Fix: `Answer {"tasks":[],"nextPageToken":"","pageSize":50,"totalSize":0} when nothing matches.`,
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			p := s.page(ctx, c, object{"contextId": s.target.newID()})
			c.That(len(p.tasks) == 0, "no task for a context that does not exist", "%d tasks", len(p.tasks))
			c.That(p.hasToken && p.next == "", `nextPageToken to be ""`, "%s", orNone(wire.Get(p.raw, "nextPageToken")))
			c.That(string(wire.Get(p.raw, "totalSize")) == "0", "totalSize to be 0", "%s", orNone(wire.Get(p.raw, "totalSize")))
		}),
	}
}

func pageSizeKept() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.pagination.page-size", Title: "A page holds no more tasks than were asked for",
			Area: conformance.Pagination, Level: reporters.Should, Revisions: since10(), Needs: needs(ListTasks),
			Rule: rule("pageSize is the maximum number of tasks to return.", listTasks),
			Fix:  "Apply pageSize, and hand out the rest by nextPageToken.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			s.twoTasks(ctx, c)
			p := s.page(ctx, c, object{"pageSize": 1})
			if len(p.tasks) == 0 {
				c.NotVerified("the agent lists none of its tasks")
			}
			c.That(len(p.tasks) == 1, "one task for pageSize 1", "%d", len(p.tasks))
		}),
	}
}

func pageSizeBounds() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.pagination.page-size-bounds", Title: "A page size out of bounds is answered with -32602",
			Area: conformance.Pagination, Level: reporters.Must, Revisions: since10(), Needs: needs(ListTasks),
			Rule: rule("pageSize is 1 to 100, agents validate all input, and refuse what fails as invalid params: -32602 or HTTP 400.", listTasks),
			Fix:  "Refuse pageSize below 1 and above 100, and tell 0 from an absent one.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			for _, size := range []int{0, 101} {
				reply, fault := s.Call(ctx, c, a2ahttp.ListTasks, object{"pageSize": size})
				s.refused(c, reply, fault, fmt.Sprintf("pageSize %d", size), codeInvalidParams)
			}
		}),
	}
}

func invalidPageToken() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.pagination.invalid-token", Title: "A page token that the agent never gave is answered with -32602",
			Area: conformance.Pagination, Level: reporters.Must, Revisions: since10(), Needs: needs(ListTasks),
			Rule: rule("Agents validate all input before they process it: a pageToken that is none of theirs is refused as invalid "+
				"params, -32602 or HTTP 400, and never taken as the beginning.", spec10+"#332-error-handling"),
			Fix: "Refuse a pageToken that cannot be decoded, instead of starting over or failing with an internal error.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			reply, fault := s.Call(ctx, c, a2ahttp.ListTasks, object{"pageToken": "peerwright-was-never-given-this"})
			s.refused(c, reply, fault, "a pageToken that the agent never gave", codeInvalidParams)
		}),
	}
}

func listOrder() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.pagination.order", Title: "Tasks are listed by their last update, the latest first",
			Area: conformance.Pagination, Level: reporters.Must, Revisions: since10(), Needs: needs(ListTasks),
			Rule: rule("Tasks are sorted by the timestamp of their status in descending order.", listTasks),
			Fix:  "Sort by status.timestamp, latest first, and by id where those are equal.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			s.twoTasks(ctx, c)
			times := timestamps(s.page(ctx, c, object{"pageSize": 20}).tasks)
			if len(times) < 2 {
				c.NotVerified("fewer than two of the listed tasks have a timestamp")
			}
			for i := 1; i < len(times); i++ {
				c.That(!times[i].After(times[i-1]), "no task that is later than the one before it", "%s after %s",
					times[i].Format(time.RFC3339Nano), times[i-1].Format(time.RFC3339Nano))
			}
		}),
	}
}

func timestamps(tasks []json.RawMessage) []time.Time {
	var times []time.Time
	for _, t := range tasks {
		at, err := time.Parse(time.RFC3339Nano, text(wire.Get(t, "status"), "timestamp"))
		if err == nil {
			times = append(times, at)
		}
	}
	return times
}

func contextFilter() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.pagination.context-filter", Title: "A list for one context holds no task of another",
			Area: conformance.Pagination, Level: reporters.Should, Revisions: since10(), Needs: needs(ListTasks),
			Rule: rule("contextId filters the list to the tasks of that context.", listTasks),
			Fix:  "Apply the contextId of ListTasks before the page is cut.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			it := s.known(ctx, c)
			if it.ContextID == "" {
				c.NotVerified("the task has no contextId")
			}
			if !ofAnother(s.page(ctx, c, object{"pageSize": 100}).tasks, it.ContextID) {
				c.NotVerified("the agent lists no task of another context")
			}
			tasks := s.page(ctx, c, object{"contextId": it.ContextID}).tasks
			if len(tasks) == 0 {
				c.NotVerified("the agent lists no task of the context")
			}
			for _, t := range tasks {
				c.That(text(t, "contextId") == it.ContextID, "tasks of the context "+it.ContextID, "%s", clip(string(t)))
			}
		}),
	}
}

func ofAnother(tasks []json.RawMessage, contextID string) bool {
	return slices.ContainsFunc(tasks, func(t json.RawMessage) bool { return text(t, "contextId") != contextID })
}

// page is one answer to ListTasks.
type page struct {
	raw      json.RawMessage
	tasks    []json.RawMessage
	next     string
	hasToken bool
}

func (s *Session) page(ctx context.Context, c *conformance.Check, params object) page {
	raw := json.RawMessage(s.Must(ctx, c, a2ahttp.ListTasks, params).Result)
	p := page{raw: raw, tasks: list(raw, "tasks")}
	p.next, p.hasToken = wire.Text(wire.Get(raw, "nextPageToken"))
	return p
}

// twoTasks makes sure that the agent has two tasks of the suite's, in one context and
// at rest, and returns them. While a task goes on, its place in the list changes.
func (s *Session) twoTasks(ctx context.Context, c *conformance.Check) (item, item) {
	first := s.known(ctx, c)
	second := answer(c, s.second(ctx, c))
	if second.Kind != isTask || second.TaskID == first.TaskID || second.ContextID != first.ContextID {
		c.NotVerified("the agent made no second task in the context of the first")
	}
	s.rested(ctx, c, first)
	s.rested(ctx, c, second)
	return first, second
}
