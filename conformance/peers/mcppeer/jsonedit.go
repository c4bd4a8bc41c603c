package mcppeer

import (
	"bytes"
	"encoding/json"

	"github.com/peerwright/peerwright/internal/wire"
)

// with returns the JSON object raw with the member name set to value, in place of
// the member of that name or at the end. What is no object is returned as it is.
func with(raw []byte, name string, value []byte) []byte {
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
	return object(members)
}

// without returns the JSON object raw without the member name.
func without(raw []byte, name string) []byte {
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
	return object(kept)
}

// within changes the object that stands at the path in raw, where there is one.
func within(raw []byte, change func([]byte) []byte, path ...string) []byte {
	if len(path) == 0 {
		return change(raw)
	}
	inner := wire.Get(raw, path[0])
	if inner == nil {
		return raw
	}
	return with(raw, path[0], within(inner, change, path[1:]...))
}

func object(members []wire.Member) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(wire.Quote(m.Name))
		b.WriteByte(':')
		b.Write(m.Value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// array joins JSON values to an array.
func array(values [][]byte) []byte {
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
