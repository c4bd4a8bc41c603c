// Package pages gives the lists that tools return one shape, {"data","pagination"}, with a
// cursor that leads to the next page whatever the server calls it.
//
// What is a list goes by the shape of the result: a bare array, or an object in which
// members that tell of a next page stand beside exactly one array that can be the page. The
// last page often tells nothing: it is a list where a cursor led to it, or where the tool's
// outputSchema has such members. All other results are left alone. Nothing of a list is dropped: what stood beside the array
// stands beside data.
//
// It is pure, and imports seal and wire of this module.
package pages

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/peerwright/peerwright/internal/seal"
	"github.com/peerwright/peerwright/internal/wire"
)

// Source is the call that a result is the answer to.
type Source struct {
	Server, Tool, Caller string
	Args                 json.RawMessage // as the caller gave them
	Schema               json.RawMessage // the tool's inputSchema
	Output               json.RawMessage // its outputSchema; nil without
	Resumed              bool            // a cursor led here, so that the answer is a page
}

// Normalize returns the list as {"data":[…],"pagination":{"has_more","cursor"},…}, and the
// payload itself with false where it is no list. Where there is more, and no way to ask for
// it is known, the cursor is null and pagination.note says why. Members of the payload that
// are called data or pagination themselves stand as upstream_data and upstream_pagination.
func Normalize(s Source, payload json.RawMessage, sealer *seal.Sealer, now time.Time) (out json.RawMessage, isList bool) {
	trimmed := bytes.TrimSpace(payload)
	if !mayBeList(trimmed) {
		return payload, false
	}
	if trimmed[0] == '[' {
		if !json.Valid(trimmed) {
			return payload, false
		}
		s = s.resumed(sealer, now)
		return wire.Object([]wire.Member{{Name: "data", Value: trimmed}, s.pagination(s.afterBare(trimmed), sealer, now)}), true
	}
	f := scan(trimmed, s)
	list, ok := f.list()
	if !ok || !json.Valid(trimmed) { // the scan trusts nothing, and most results are no lists
		return payload, false
	}
	f.source = s.resumed(sealer, now)
	members := []wire.Member{{Name: "data", Value: list.value}, f.source.pagination(f.next(list), sealer, now)}
	return wire.Object(append(members, beside(f.top, list.path)...)), true
}

// mayBeList tells by a glance whether there is an array in the payload at all.
func mayBeList(payload []byte) bool {
	return len(payload) > 0 && (payload[0] == '[' || payload[0] == '{' && bytes.IndexByte(payload, '[') > 0)
}

// resumed is the source as the upstream was asked: with its own cursor, which a result may repeat.
func (s Source) resumed(sealer *seal.Sealer, now time.Time) Source {
	if args, _, err := Resume(s, sealer, now); err == nil {
		s.Args = args
	}
	return s
}

// beside is the payload without the list.
func beside(payload []wire.Member, path []string) []wire.Member {
	taken := map[string]bool{"data": true, "pagination": true}
	for _, m := range payload {
		taken[m.Name] = true
	}
	rest := without(payload, path)
	for i, m := range rest {
		if m.Name != "data" && m.Name != "pagination" {
			continue
		}
		name := "upstream_" + m.Name
		for taken[name] {
			name += "_"
		}
		rest[i].Name, taken[name] = name, true
	}
	return rest
}

// without takes away what stands at the path, and what holds nothing more then.
func without(members []wire.Member, path []string) []wire.Member {
	last := -1
	for i, m := range members {
		if m.Name == path[0] {
			last = i // the last of two of one name is the one that counts
		}
	}
	rest := slices.Clone(members)
	if len(path) > 1 {
		if inner := without(wire.Fields(members[last].Value), path[1:]); len(inner) > 0 {
			rest[last].Value = wire.Object(inner)
			return rest
		}
	}
	return slices.Delete(rest, last, last+1)
}
