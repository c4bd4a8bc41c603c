// Package rawjson changes single members of JSON objects and leaves the bytes of
// all others as they are, for the layers that mend what an SDK writes.
//
// It imports nothing of this module but internal/wire.
package rawjson

import (
	"encoding/json"

	"github.com/peerwright/peerwright/internal/wire"
)

// With returns the JSON object raw with the member name set to value, in place of
// the member of that name or at the end. What is no object is returned as it is.
func With(raw []byte, name string, value []byte) []byte {
	members, err := wire.Members(raw)
	if err != nil {
		return raw
	}
	found := false
	for i := range members {
		if members[i].Name == name {
			members[i].Value, found = value, true
		}
	}
	if !found {
		members = append(members, wire.Member{Name: name, Value: value})
	}
	return wire.Object(members)
}

// Without returns the JSON object raw without the member name.
func Without(raw []byte, name string) []byte {
	members, err := wire.Members(raw)
	if err != nil {
		return raw
	}
	kept := members[:0]
	for _, m := range members {
		if m.Name != name {
			kept = append(kept, m)
		}
	}
	return wire.Object(kept)
}

// Within changes the object that stands at the path in raw, where there is one.
func Within(raw []byte, change func([]byte) []byte, path ...string) []byte {
	if len(path) == 0 {
		return change(raw)
	}
	inner := wire.Get(raw, path[0])
	if inner == nil {
		return raw
	}
	return With(raw, path[0], Within(inner, change, path[1:]...))
}

// Array joins JSON values to an array.
func Array(values [][]byte) []byte {
	raws := make([]json.RawMessage, len(values))
	for i, v := range values {
		raws[i] = v
	}
	raw, err := wire.Marshal(raws)
	if err != nil { // values are JSON already
		return []byte("[]")
	}
	return raw
}
