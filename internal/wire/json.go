package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Member is one member of a JSON object: its decoded name and the bytes of its
// value, untouched.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Members lists the members of the JSON object in raw in their order, duplicates
// included. It fails when raw is not one whole JSON object.
func Members(raw []byte) ([]Member, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	tok, err := dec.Token()
	if err != nil {
		return nil, fmt.Errorf("reading a JSON object: %w", err)
	}
	if tok != json.Delim('{') {
		return nil, fmt.Errorf("reading a JSON object: found %v", tok)
	}
	var members []Member
	for dec.More() {
		m, err := nextMember(dec)
		if err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("reading the end of a JSON object: %w", err)
	}
	return members, nil
}

func nextMember(dec *json.Decoder) (Member, error) {
	name, err := dec.Token()
	if err != nil {
		return Member{}, fmt.Errorf("reading a member name: %w", err)
	}
	var value json.RawMessage
	if err := dec.Decode(&value); err != nil {
		return Member{}, fmt.Errorf("reading member %q: %w", name, err)
	}
	return Member{Name: name.(string), Value: value}, nil
}

// Get returns the value of the named member of the JSON object in raw, the last
// one where it stands twice, and nil when there is none or raw is no object.
func Get(raw []byte, name string) json.RawMessage {
	members, err := Members(raw)
	if err != nil {
		return nil
	}
	var value json.RawMessage
	for _, m := range members {
		if m.Name == name {
			value = m.Value
		}
	}
	return value
}

// Path walks the named members from raw inwards; nil when one is missing.
func Path(raw []byte, names ...string) json.RawMessage {
	value := json.RawMessage(raw)
	for _, name := range names {
		if value = Get(value, name); value == nil {
			return nil
		}
	}
	return value
}

// Text returns the string in raw, and false when raw is not a JSON string.
func Text(raw []byte) (string, bool) {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// Quote returns s as a JSON string, with nothing escaped that JSON does not ask
// to be.
func Quote(s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

// Marshal writes v as JSON on one line, with <, > and & as they are.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("writing JSON: %w", err)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
