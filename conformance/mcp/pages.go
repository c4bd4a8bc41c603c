package mcp

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/wire"
)

// walked returns the lists of the server in the order of their names.
func (f *Facts) walked() []*List {
	return slices.SortedFunc(maps.Values(f.Lists), func(a, b *List) int { return cmp.Compare(a.Method, b.Method) })
}

// lists returns those of which there is a page, and ends the case where there are
// none: what is refused as a whole is for mcp.lifecycle.declared-lists to judge.
func (s *Session) lists(c *conformance.Check) []*List {
	lists := slices.DeleteFunc(s.Facts.walked(), func(l *List) bool { return len(l.Pages) == 0 })
	if len(lists) == 0 {
		c.NotVerified("no list is answered")
	}
	return lists
}

// tools returns the tools, and ends the case where there are none.
func (s *Session) tools(c *conformance.Check) []Tool {
	if len(s.Facts.Tools) == 0 {
		c.NotVerified("no tool is listed")
	}
	return s.Facts.Tools
}

// paged returns those that have more than one page.
func (f *Facts) paged() []*List {
	return slices.DeleteFunc(f.walked(), func(l *List) bool { return !l.Paged() })
}

// page names the items of page i, from 0, in their order.
func (l *List) page(i int) []string { return l.read(l.Pages[i]) }

// read names the items of a result.
func (l *List) read(result json.RawMessage) []string {
	var items []json.RawMessage
	_ = json.Unmarshal(wire.Get(result, l.Member), &items) // what is no array has no items
	names := make([]string, 0, len(items))
	for _, item := range items {
		names = append(names, itemName(item))
	}
	return names
}

// itemName returns what tells an item from the others: its URI, its URI template, or
// its name.
func itemName(item json.RawMessage) string {
	for _, member := range []string{"uri", "uriTemplate", "name"} {
		if name, ok := wire.Text(wire.Get(item, member)); ok {
			return name
		}
	}
	return string(item)
}

// rawCursor returns the nextCursor of page i as it stands; nil when there is none.
func (l *List) rawCursor(i int) json.RawMessage { return wire.Get(l.Pages[i], "nextCursor") }

// cursor returns the nextCursor of page i, and whether it is a string.
func (l *List) cursor(i int) (string, bool) { return wire.Text(l.rawCursor(i)) }

// startsOver tells whether a result has the items of the first page.
func (l *List) startsOver(result json.RawMessage) bool {
	return sameItems(l.read(result), l.page(0))
}

// sameItems tells whether two pages have the same items, in whatever order: that is
// for mcp.idempotency.tools-order to judge.
func sameItems(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// noParams are the params of a request for the first page. They are an empty object
// and not left out: whether they may be is for one case alone.
func noParams() json.RawMessage { return json.RawMessage(`{}`) }

// member returns the JSON text of a member of page i; "" when there is none.
func (l *List) member(i int, name string) string { return string(wire.Get(l.Pages[i], name)) }

// brief names a few items.
func brief(names []string) string {
	if len(names) == 0 {
		return "no items"
	}
	if len(names) > 4 {
		return strings.Join(names[:4], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
