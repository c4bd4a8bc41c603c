package pages

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/peerwright/peerwright/internal/wire"
)

// maxDepth is how deep in objects a list is looked for.
const maxDepth = 6

// place is a member somewhere in the payload. Arrays are not entered.
type place struct {
	path  []string
	key   string // the last name, in small letters and without marks
	value json.RawMessage
}

// under is the key of the object that it stands in.
func (p place) under() string {
	if len(p.path) < 2 {
		return ""
	}
	return plain(p.path[len(p.path)-2])
}

type findings struct {
	source Source
	top    []wire.Member // of the payload
	arrays []place
	leaves []place
}

func scan(payload json.RawMessage, s Source) findings {
	f := findings{source: s, top: wire.Fields(payload)}
	f.enter(f.top, nil)
	return f
}

func (f *findings) enter(members []wire.Member, path []string) {
	for _, m := range members {
		p := place{append(path[:len(path):len(path)], m.Name), plain(m.Name), m.Value}
		switch {
		case m.Value[0] == '[':
			f.arrays = append(f.arrays, p)
		case m.Value[0] == '{' && len(path) < maxDepth:
			f.enter(wire.Fields(m.Value), p.path)
		default:
			f.leaves = append(f.leaves, p)
		}
	}
}

// plain is a name by its letters and digits: next_page_token and nextPageToken are one.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return -1
	}, name)
}

// list is the one array that is the page, where the payload tells of pages at all.
func (f findings) list() (place, bool) {
	if !f.tellsOfPages() {
		return place{}, false
	}
	for _, fits := range []func(place) bool{
		func(place) bool { return true },
		func(p place) bool { return !slices.Contains(asides, p.key) },
		func(p place) bool { return slices.Contains(itemNames, p.key) },
		func(p place) bool { return len(p.path) == 1 && slices.Contains(itemNames, p.key) },
	} {
		if found := where(f.arrays, fits); len(found) == 1 {
			return found[0], slices.Equal(found[0].path, f.last(found[0].path))
		}
	}
	return place{}, false
}

// last returns the path if no later member of the same path hides it, as in {"a":[1],"a":2}.
func (f findings) last(path []string) []string {
	for _, p := range f.leaves {
		if slices.Equal(p.path, path) {
			return nil
		}
	}
	return path
}

func where(all []place, fits func(place) bool) []place {
	var found []place
	for _, p := range all {
		if fits(p) {
			found = append(found, p)
		}
	}
	return found
}

// tellsOfPages asks for one member that is used for pages only, or for one that is used for
// them among others, where the tool can be asked for pages.
func (f findings) tellsOfPages() bool {
	if f.source.Resumed || f.source.declared() {
		return true
	}
	among := false
	for _, p := range f.leaves {
		switch {
		case slices.Contains(sure, p.key), p.key == "after" && p.under() == "next", (p.key == "next" || p.isLink("next")) && isURL(p.value):
			return true
		case slices.Contains(maybe, p.key), slices.Contains(flags, p.key), p.isAround():
			among = true
		}
	}
	for _, p := range f.arrays {
		among = among || len(p.path) == 2 && p.path[0] == "_embedded"
	}
	return among && f.source.paged()
}

// isLink tells whether the place is a link of that relation, as {"next":{"href":"…"}}.
//
// https://datatracker.ietf.org/doc/html/draft-kelly-json-hal-11 section 5, and
// https://jsonapi.org/format/#document-links
func (p place) isLink(relation string) bool { return p.key == "href" && p.under() == relation }

// isAround tells whether the place is a link to another page than the next.
func (p place) isAround() bool {
	for _, relation := range around {
		if p.isLink(relation) || p.key == relation && p.under() == "links" {
			return true
		}
	}
	return false
}

// declared tells whether the tool's results have members that are used for pages only.
func (s Source) declared() bool {
	return slices.ContainsFunc(wire.Fields(wire.Get(s.Output, "properties")), func(m wire.Member) bool {
		return slices.Contains(sure, plain(m.Name))
	})
}

func isURL(raw json.RawMessage) bool {
	text, ok := wire.Text(raw)
	return ok && (strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "/")) && strings.Contains(text, "?")
}
