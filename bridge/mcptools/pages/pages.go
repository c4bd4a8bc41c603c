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
	if !json.Valid(trimmed) {
		return payload, false
	}
	asked := s
	if args, _, err := Resume(s, sealer, now); err == nil {
		asked.Args = args // with the upstream's own cursor, which a result may repeat
	}
	if trimmed[0] == '[' {
		next := asked.afterBare(trimmed)
		return wire.Object([]wire.Member{{Name: "data", Value: trimmed}, asked.pagination(next, sealer, now)}), true
	}
	f := scan(trimmed, asked)
	list, ok := f.list()
	if !ok {
		return payload, false
	}
	members := []wire.Member{{Name: "data", Value: list.value}, asked.pagination(f.next(list), sealer, now)}
	return wire.Object(append(members, beside(trimmed, list.path)...)), true
}

// beside is the payload without the list.
func beside(payload json.RawMessage, path []string) []wire.Member {
	var rest []wire.Member
	taken := map[string]bool{"data": true, "pagination": true}
	for _, m := range wire.Fields(payload) {
		taken[m.Name] = true
	}
	removed := without(payload, path)
	for _, m := range wire.Fields(removed) {
		if m.Name == "data" || m.Name == "pagination" {
			m.Name = "upstream_" + m.Name
			for taken[m.Name] {
				m.Name += "_"
			}
			taken[m.Name] = true
		}
		rest = append(rest, m)
	}
	return rest
}

// without takes away what stands at the path, and what holds nothing more then.
func without(object json.RawMessage, path []string) json.RawMessage {
	members := wire.Fields(object)
	last := -1
	for i, m := range members {
		if m.Name == path[0] {
			last = i // the last of two of one name is the one that counts
		}
	}
	if len(path) > 1 {
		if members[last].Value = without(members[last].Value, path[1:]); string(members[last].Value) != "{}" {
			return wire.Object(members)
		}
	}
	return wire.Object(append(members[:last:last], members[last+1:]...))
}
