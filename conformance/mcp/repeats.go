package mcp

import (
	"context"
	"slices"
	"strings"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/reporters"
)

func listRepeats() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.idempotency.list-repeats", Title: "a list asked for twice has the same items", Protocol: conformance.MCP,
			Area: conformance.Idempotency, Level: reporters.Should, Revisions: all(), Needs: []conformance.Feature{AnyList},
			Rule: reporters.Rule{
				Text: "A list request only reads: what it gives changes when the server's tools, resources or prompts do, and not with being asked. (A server that tells of a change in between is not judged.)",
				URL:  page("2026-07-28/server/tools#capabilities"),
			},
			Fix: "Build lists from what there is, not from what was sent before, and in an order that is always the same.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			s.compareLists(ctx, c, s, "asked again")
		}),
	}
}

func listOnAnotherConnection() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.idempotency.list-on-another-connection", Title: "a list has the same items on another connection", Protocol: conformance.MCP,
			Area: conformance.Idempotency, Level: reporters.Must, Revisions: modern(), Needs: []conformance.Feature{AnyList},
			Rule: reporters.Rule{
				Text: "What is listed must not vary by connection or by what was asked before; it may vary by the credentials of the request, which are the same here.",
				URL:  page("2026-07-28/server/tools#capabilities"),
			},
			Fix: "Do not keep lists per connection.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			s.compareLists(ctx, c, s.Fresh(ctx, c), "on another connection")
		}),
	}
}

// compareLists asks for the first page of each list again and compares the items.
func (s *Session) compareLists(ctx context.Context, c *conformance.Check, at *Session, when string) {
	for _, list := range s.lists(c) {
		was := slices.Sorted(slices.Values(list.page(0)))
		is := slices.Sorted(slices.Values(list.read(at.Must(ctx, c, list.Method, noParams()))))
		if !slices.Equal(was, is) && s.listChanged() {
			c.NotVerified("the server said that its lists changed in the meantime")
		}
		c.That(slices.Equal(was, is), "the same items in "+list.Method+" "+when, "%s, where there were %s", brief(is), brief(was))
	}
}

// listChanged tells whether the server said so since the conversation began.
func (s *Session) listChanged() bool {
	for _, in := range s.conv.straySince(0) {
		if strings.HasSuffix(in.Method, "/list_changed") {
			return true
		}
	}
	return false
}

func toolsOrder() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.idempotency.tools-order", Title: "tools are listed in the same order each time", Protocol: conformance.MCP,
			Area: conformance.Idempotency, Level: reporters.Should, Revisions: modern(), Needs: []conformance.Feature{Tools},
			Rule: reporters.Rule{
				Text: "Servers should list their tools in a deterministic order, so that clients can keep the list and models their prompt.",
				URL:  page("2026-07-28/server/tools#capabilities"),
			},
			Fix: "Sort the tools, or keep the order in which they were registered; do not range over a map.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			list := s.Facts.Lists["tools/list"]
			if list == nil || len(list.Pages) == 0 || len(list.page(0)) < 2 {
				c.NotVerified("fewer than two tools are listed on one page")
			}
			for range 3 { // an order by chance may come out the same once
				again := list.read(s.Must(ctx, c, "tools/list", nil))
				if !slices.Equal(slices.Sorted(slices.Values(again)), slices.Sorted(slices.Values(list.page(0)))) {
					c.NotVerified("other tools are listed than before")
				}
				c.That(slices.Equal(again, list.page(0)), "the order "+brief(list.page(0)), "the order %s", brief(again))
			}
		}),
	}
}
