package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/reporters"
)

// The page of the specification that the rules in this file come from; it has
// hardly changed since 2024-11-05.
const paginationURL = "https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/pagination"

// paginationCases check the lists: tools/list, resources/list,
// resources/templates/list and prompts/list.
func paginationCases() []conformance.Case {
	return []conformance.Case{
		invalidCursor(), illTypedCursor(), walkEnds(), cursorLeadsOn(), stableCursor(), noDuplicates(),
		cursorIsText(), endWithoutCursor(), paramsAreOptional(), cursorOutlivesConnection(), sharedCacheScope(),
	}
}

func pagination(id, title string, level reporters.Level, needs conformance.Feature, rule, fix string) conformance.Meta {
	return conformance.Meta{
		ID: "mcp.pagination." + id, Title: title, Protocol: conformance.MCP, Area: conformance.Pagination, Level: level,
		Revisions: mcp.Revisions(), Needs: []conformance.Feature{needs}, Rule: reporters.Rule{Text: rule, URL: paginationURL}, Fix: fix,
	}
}

func invalidCursor() conformance.Case {
	return conformance.Case{
		Meta: pagination("invalid-cursor", "a cursor that the server never gave is refused", reporters.Should, AnyList,
			"A cursor that is not valid should be answered with the error -32602 (invalid params).",
			"Check the cursor before using it, and answer -32602 when it is not one that you gave; starting over at the first page makes clients loop."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			var wrong []string
			for _, list := range s.lists(c) {
				reply := s.Ask(ctx, c, list.Method, map[string]any{"cursor": "peerwright-never-given"})
				if reply.Error == nil || reply.Error.Code != -32602 {
					wrong = append(wrong, list.Method+": "+describe(reply))
				}
			}
			c.That(len(wrong) == 0, "error -32602 to a cursor that was never given", "%s", strings.Join(wrong, "; "))
		}),
	}
}

func illTypedCursor() conformance.Case {
	return conformance.Case{
		Meta: pagination("ill-typed-cursor", "a cursor that is no string is refused", reporters.Should, AnyList,
			"A cursor is an opaque string; anything else is not valid and should be answered with -32602 (invalid params).",
			"Validate the params of list requests against their schema."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			var wrong []string
			for _, list := range s.lists(c) {
				reply := s.Ask(ctx, c, list.Method, map[string]any{"cursor": 7})
				if reply.Error == nil {
					wrong = append(wrong, list.Method+": "+describe(reply))
				}
			}
			c.That(len(wrong) == 0, "an error to the cursor 7", "%s", strings.Join(wrong, "; "))
		}),
	}
}

func walkEnds() conformance.Case {
	return conformance.Case{
		Meta: pagination("walk-ends", "following the cursors comes to an end", reporters.Must, AnyList,
			"nextCursor stands for the position after the last item returned, and is absent at the end: a client that follows the cursors reads every page once and stops.",
			"Compute nextCursor from the last item of the page, and leave it out when nothing follows."),
		Run: on(func(_ context.Context, c *conformance.Check, s *Session) {
			for _, list := range s.lists(c) {
				c.That(list.Fault == "", "an end of "+list.Method, "%s", list.Fault)
			}
		}),
	}
}

func cursorLeadsOn() conformance.Case {
	return conformance.Case{
		Meta: pagination("cursor-leads-on", "the page behind a cursor is not the first page again", reporters.Must, Pages,
			"A request with a cursor continues after the position that the cursor stands for.",
			"Read params.cursor, and pass it on unchanged where a proxy stands in between."),
		Run: on(func(_ context.Context, c *conformance.Check, s *Session) {
			for _, list := range s.Facts.paged() {
				first, second := list.page(0), list.page(1)
				c.That(len(first) == 0 || !sameItems(first, second),
					"other items behind the first nextCursor of "+list.Method, "the first page again: %s", brief(second))
			}
		}),
	}
}

func stableCursor() conformance.Case {
	return conformance.Case{
		Meta: pagination("stable-cursor", "one cursor gives one page, however often it is used", reporters.Should, Pages,
			"Servers should provide stable cursors.",
			"Let the cursor hold the position; do not keep a position on the server that moves when a page is read."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			for _, list := range s.Facts.paged() {
				cursor, _ := list.cursor(0)
				again := list.read(s.Must(ctx, c, list.Method, cursorParams(cursor)))
				c.That(sameItems(list.page(1), again), "the items "+brief(list.page(1))+" behind the first nextCursor of "+list.Method,
					"%s when it was used again", brief(again))
			}
		}),
	}
}

func noDuplicates() conformance.Case {
	return conformance.Case{
		Meta: pagination("no-duplicates", "no item stands on two pages", reporters.Should, Pages,
			"nextCursor stands for the position after the last item returned, so no page repeats an item of another.",
			"Begin the next page after the last item of this one, in an order that does not change between requests."),
		Run: on(func(_ context.Context, c *conformance.Check, s *Session) {
			lists := slices.DeleteFunc(s.Facts.paged(), func(l *List) bool { return l.Fault != "" })
			if len(lists) == 0 {
				c.NotVerified("no list of several pages comes to an end")
			}
			for _, list := range lists {
				seen := map[string]int{}
				for i := range list.Pages {
					for _, item := range list.page(i) {
						before, known := seen[item]
						c.That(!known || before == i+1, "each item of "+list.Method+" on one page", "%s on pages %d and %d", item, before, i+1)
						seen[item] = i + 1
					}
				}
			}
		}),
	}
}

func cursorIsText() conformance.Case {
	return conformance.Case{
		Meta: pagination("cursor-is-a-string", "nextCursor is a string or is not there", reporters.Must, AnyList,
			"nextCursor is a string where it is present; null is not a string, and strict clients drop the whole list for it.",
			"Leave the member out when there is no next page."),
		Run: on(func(_ context.Context, c *conformance.Check, s *Session) {
			for _, list := range s.lists(c) {
				for i := range list.Pages {
					raw := list.rawCursor(i)
					c.That(raw == nil || raw[0] == '"', "a string or nothing as nextCursor of "+list.Method, "%s on page %d", raw, i+1)
				}
			}
		}),
	}
}

func endWithoutCursor() conformance.Case {
	m := pagination("end-without-cursor", "the end of a list is told by leaving nextCursor out", reporters.Should, AnyList,
		"Clients should treat a missing nextCursor as the end; an empty string is a cursor like any other, and from 2026-07-28 on must not be taken for the end.",
		"Leave nextCursor out on the last page instead of sending an empty string.")
	return conformance.Case{
		Meta: m,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			for _, list := range s.lists(c) {
				for i := range list.Pages {
					cursor, more := list.cursor(i)
					if !more || cursor != "" {
						continue
					}
					reply := s.Ask(ctx, c, list.Method, cursorParams(""))
					leads := reply.Error == nil && !list.startsOver(reply.Result)
					c.That(leads, "no nextCursor where "+list.Method+" ends",
						`nextCursor "" on page %d, which leads to %s`, i+1, describe(reply))
				}
			}
		}),
	}
}

func paramsAreOptional() conformance.Case {
	m := pagination("params-are-optional", "a list asked for without params is the list asked for with empty ones", reporters.Must, AnyList,
		"The params of a list request are optional, and so is the cursor in them: without one the first page is meant.",
		"Treat absent params like an empty object.")
	m.Revisions = legacy() // later ones always have params, for their _meta
	return conformance.Case{
		Meta: m,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			for _, list := range s.lists(c) {
				reply := s.Ask(ctx, c, list.Method, nil)
				c.That(reply.Error == nil && len(list.read(reply.Result)) == len(list.page(0)),
					fmt.Sprintf("the %d items that %s gives with empty params", len(list.page(0)), list.Method), "%s without params", describe(reply))
			}
		}),
	}
}

func cursorOutlivesConnection() conformance.Case {
	m := pagination("cursor-on-a-new-connection", "a cursor is good on another connection", reporters.Should, Pages,
		"A server should not require that a client reuses the same connection or process for operations that belong together, as the requests for the pages of one list do.",
		"Let the cursor hold all that is needed to find the next page.")
	m.Revisions = []string{mcp.Rev2607}
	m.Rule.URL = "https://modelcontextprotocol.io/specification/2026-07-28/basic/index#statelessness"
	return conformance.Case{
		Meta: m,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			fresh := s.Fresh(ctx, c)
			list := s.Facts.paged()[0]
			cursor, _ := list.cursor(0)
			got := list.read(fresh.Must(ctx, c, list.Method, cursorParams(cursor)))
			c.That(sameItems(list.page(1), got), "the items "+brief(list.page(1))+" behind the cursor", "%s on a new connection", brief(got))
		}),
	}
}

func sharedCacheScope() conformance.Case {
	m := pagination("cache-scope", "all pages of a list have one cacheScope", reporters.Must, Pages,
		"All pages of one list must have the same cacheScope.",
		"Decide the scope for the list, not for the page.")
	m.Revisions = []string{mcp.Rev2607}
	m.Rule.URL = "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching"
	return conformance.Case{
		Meta: m,
		Run: on(func(_ context.Context, c *conformance.Check, s *Session) {
			for _, list := range s.Facts.paged() {
				first := list.member(0, "cacheScope")
				if first == "" {
					c.NotVerified("the first page of %s has no cacheScope", list.Method)
				}
				for i := range list.Pages {
					c.That(list.member(i, "cacheScope") == first, "cacheScope "+first+" on every page of "+list.Method,
						"%s on page %d", list.member(i, "cacheScope"), i+1)
				}
			}
		}),
	}
}
