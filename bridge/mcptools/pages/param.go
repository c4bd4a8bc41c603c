package pages

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/peerwright/peerwright/internal/wire"
)

// paged tells whether the tool can be asked for pages.
func (s Source) paged() bool {
	return s.param(slices.Concat(tokenParams, pageParams, offsetParams)) != ""
}

// param returns the parameter of the tool that goes by the first of the names, from its
// schema or else from the arguments; "" without.
func (s Source) param(names []string) string {
	known := append(wire.Fields(wire.Get(s.Schema, "properties")), wire.Fields(s.Args)...)
	for _, name := range names {
		for _, m := range known {
			if plain(m.Name) == name {
				return m.Name
			}
		}
	}
	return ""
}

// argument returns a number among the arguments.
func (s Source) argument(names []string) (int, bool) {
	for _, m := range wire.Fields(s.Args) {
		if slices.Contains(names, plain(m.Name)) {
			if n, err := strconv.Atoi(string(m.Value)); err == nil {
				return n, true
			}
		}
	}
	return 0, false
}

// given tells whether the arguments hold the value as a cursor, so that a result that repeats it leads in a circle.
func (s Source) given(value json.RawMessage) bool {
	for _, m := range wire.Fields(s.Args) {
		key := plain(m.Name)
		if string(m.Value) == string(value) && key != "scrollid" && slices.Contains(tokenParams, key) {
			return true
		}
	}
	return false
}

// typed writes the text from a link as the parameter's type wants it.
func (s Source) typed(param, text string) json.RawMessage {
	kind, _ := wire.Text(wire.Path(s.Schema, "properties", param, "type"))
	if (kind == "integer" || kind == "number") && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return wire.Quote(text)
}
