package mcpschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
)

// decode reads one JSON value and keeps the digits of its numbers.
func decode(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("it is more than one JSON value")
	}
	return v, nil
}

// vast matches numbers that the validator would write out zero by zero, or cannot hold.
var vast = regexp.MustCompile(`^.{400,}$|[eE][+-]?0*[1-9][0-9]{3,}$`)

// holdsVast tells whether such a number stands anywhere in a decoded value.
func holdsVast(v any) bool {
	switch v := v.(type) {
	case json.Number:
		return vast.MatchString(string(v))
	case []any:
		return slices.ContainsFunc(v, holdsVast)
	case map[string]any:
		for _, member := range v {
			if holdsVast(member) {
				return true
			}
		}
	}
	return false
}
