package wire

import (
	"bytes"
	"encoding/json"
)

// ID is the id of a JSON-RPC message as it stood on the wire: `1`, `"1"`, `1.0`
// and `9007199254740993` are four different ids. The zero ID means that the
// message had no id member; an id of null is NullID. IDs compare with ==, except
// that two spellings of one string (`"a"`, `"\u0061"`) are equal only by Equal.
//
// https://www.jsonrpc.org/specification#request_object
type ID struct{ raw string }

// NullID is the id `null`, which JSON-RPC allows only in the answer to a request
// whose id could not be read, and MCP nowhere.
var NullID = ID{"null"} //nolint:gochecknoglobals // a constant that Go cannot spell as one

// RawID returns the id written as the JSON text raw.
func RawID(raw []byte) ID { return ID{string(bytes.TrimSpace(raw))} }

// IntID returns the id with the value n.
func IntID(n int64) ID {
	b, _ := json.Marshal(n) // an int64 always marshals
	return ID{string(b)}
}

// StringID returns the id with the value s.
func StringID(s string) ID { return ID{string(Quote(s))} }

// IsZero tells whether the message had no id member.
func (id ID) IsZero() bool { return id.raw == "" }

// String returns the JSON text of the id, "" for the zero ID.
func (id ID) String() string { return id.raw }

// IsString and IsNumber tell the JSON type of the id.
func (id ID) IsString() bool { return len(id.raw) > 0 && id.raw[0] == '"' }

// IsNumber tells whether the id is a JSON number, whole or not.
func (id ID) IsNumber() bool {
	return len(id.raw) > 0 && (id.raw[0] == '-' || id.raw[0] >= '0' && id.raw[0] <= '9')
}

// Equal tells whether two ids have the same JSON type and the same value: strings
// by their characters, numbers by their digits.
func (id ID) Equal(other ID) bool {
	if id.raw == other.raw {
		return true
	}
	if !id.IsString() || !other.IsString() {
		return false
	}
	var a, b string
	if json.Unmarshal([]byte(id.raw), &a) != nil || json.Unmarshal([]byte(other.raw), &b) != nil {
		return false
	}
	return a == b
}

// MarshalJSON writes the id as it was read, null when there was none.
func (id ID) MarshalJSON() ([]byte, error) {
	if id.raw == "" {
		return []byte("null"), nil
	}
	return []byte(id.raw), nil
}
