package wire

import "encoding/json"

// EachMember calls visit with each member of the JSON object in raw, in their order
// and duplicates included, until visit says no. The values are parts of raw. It is for
// what json.Valid was asked about already, and tells whether raw is an object.
func EachMember(raw []byte, visit func(name string, value json.RawMessage) bool) bool {
	return eachMember(raw, func(name, value []byte) bool { return visit(decodeName(name), value) })
}

// EachElement calls visit with each element of the JSON array in raw until visit says
// no. The elements are parts of raw. It is for what json.Valid was asked about already,
// and tells whether raw is an array.
func EachElement(raw []byte, visit func(value json.RawMessage) bool) bool {
	i := skipSpace(raw, 0)
	if i >= len(raw) || raw[i] != '[' {
		return false
	}
	i = skipSpace(raw, i+1)
	if i < len(raw) && raw[i] == ']' {
		return skipSpace(raw, i+1) == len(raw)
	}
	for {
		begin := i
		if i = skipValue(raw, i); i < 0 {
			return false
		}
		if !visit(raw[begin:i:i]) {
			return true
		}
		i = skipSpace(raw, i)
		if i < len(raw) && raw[i] == ']' {
			return skipSpace(raw, i+1) == len(raw)
		}
		if i = expect(raw, i, ','); i < 0 {
			return false
		}
	}
}
