package functions

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/peerwright/peerwright/internal/wire"
)

// Arguments reads the arguments of a function call: a text that should be a JSON object.
// A blank one is {}, as some models write for a tool that takes nothing. The bytes are kept.
func Arguments(text string) (json.RawMessage, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return json.RawMessage(`{}`), nil
	}
	raw := json.RawMessage(text)
	if !wire.Valid(raw) {
		var v any
		err := json.Unmarshal(raw, &v)
		if at, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, fmt.Errorf("they are no JSON: wrong or cut off at byte %d", at.Offset)
		}
		return nil, errors.New("they are no JSON")
	}
	if raw[0] != '{' {
		return nil, errors.New("they are no JSON object; send {} for none")
	}
	return raw, bounded(raw)
}

// bounded refuses numbers that nobody can reckon with. It looks at what may be JSON only.
func bounded(raw json.RawMessage) error {
	inText := false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case !inText && (c == 'e' || c == 'E') && i > 0 && raw[i-1] >= '0' && raw[i-1] <= '9':
			end := i + 1
			for end < len(raw) && strings.IndexByte("+-0123456789", raw[end]) >= 0 {
				end++
			}
			if n, err := strconv.Atoi(string(raw[i+1 : end])); err != nil || n > maxExponent || n < -maxExponent {
				return errExponent
			}
		}
	}
	return nil
}

// Integers returns the arguments with each number that the inputSchema wants to be an
// integer written as one: 5.0 and 5e0 become 5, however long. All else keeps its bytes.
func (t Tool) Integers(args json.RawMessage) json.RawMessage {
	if !hasFraction(args) || t.input.compile() != nil || t.input == nil {
		return args
	}
	return integers{t.input.doc}.mend(args, []any{t.input.doc})
}

// hasFraction tells whether a point or an exponent may stand in a number.
func hasFraction(raw []byte) bool {
	inText := false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case !inText && (c == '.' || i > 0 && (c == 'e' || c == 'E') && raw[i-1] >= '0' && raw[i-1] <= '9'):
			return true
		}
	}
	return false
}

// integers mends numbers by the schema with that root.
type integers struct{ root any }

func (n integers) mend(value json.RawMessage, by []any) json.RawMessage {
	by = n.applied(by)
	switch {
	case len(by) == 0:
	case value[0] == '{':
		members, changed := wire.Fields(value), false
		for i, m := range members {
			members[i].Value = n.mend(m.Value, each(by, func(s map[string]any) []any { return property(s, m.Name) }))
			changed = changed || string(members[i].Value) != string(m.Value)
		}
		if changed {
			return wire.Object(members)
		}
	case value[0] == '[':
		return n.list(value, by)
	case wantsInteger(by):
		return whole(value)
	}
	return value
}

func (n integers) list(value json.RawMessage, by []any) json.RawMessage {
	var parts []string
	changed := false
	wire.EachElement(value, func(item json.RawMessage) bool {
		at := len(parts)
		made := n.mend(item, each(by, func(s map[string]any) []any { return element(s, at) }))
		changed = changed || string(made) != string(item)
		parts = append(parts, string(made))
		return true
	})
	if !changed {
		return value
	}
	return json.RawMessage("[" + strings.Join(parts, ",") + "]")
}

// whole writes a number without fraction as an integer.
func whole(value json.RawMessage) json.RawMessage {
	r, ok := new(big.Rat).SetString(string(value))
	if (value[0] != '-' && (value[0] < '0' || value[0] > '9')) || !ok || !r.IsInt() {
		return value
	}
	return json.RawMessage(r.Num().String())
}
