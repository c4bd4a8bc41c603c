package mcp

import (
	"encoding/json"

	"github.com/peerwright/peerwright/internal/wire"
)

// withMeta returns params with the members added to its _meta. Members that are
// there already stay as they are; params that are no object stay as they are.
func withMeta(params json.RawMessage, add []wire.Member) json.RawMessage {
	if params == nil {
		params = json.RawMessage(`{}`)
	}
	members, err := wire.Members(params)
	if err != nil {
		return params
	}
	meta, _ := wire.Members(wire.Get(params, "_meta")) // no _meta is an empty one
	for _, m := range add {
		if !holds(meta, m.Name) {
			meta = append(meta, m)
		}
	}
	return wire.Object(replace(members, wire.Member{Name: "_meta", Value: wire.Object(meta)}))
}

func holds(members []wire.Member, name string) bool {
	for _, m := range members {
		if m.Name == name {
			return true
		}
	}
	return false
}

func replace(members []wire.Member, with wire.Member) []wire.Member {
	for i, m := range members {
		if m.Name == with.Name {
			members[i] = with
			return members
		}
	}
	return append(members, with)
}
