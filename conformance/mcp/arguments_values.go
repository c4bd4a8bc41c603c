package mcp

import (
	"encoding/json"
	"slices"
	"strings"
)

// values makes up values for schemas that all apply to one value, the simplest
// first. None means that nothing could be made up.
func (m *maker) values(all []any, depth int) []any {
	if depth > maxDepth {
		return nil
	}
	var out []any
	for _, s := range m.shapes(all, nil) {
		for _, v := range m.fill(s, depth) {
			if len(out) == maxCandidates*maxCandidates {
				return out
			}
			out = append(out, v)
		}
	}
	return out
}

// fill makes up values for one shape: those that it names itself, else of each of
// its types in turn.
func (m *maker) fill(s shape, depth int) []any {
	if m.steps--; m.steps < 0 {
		return nil
	}
	out := s.named()
	for _, kind := range s.kinds() {
		switch kind {
		case "object":
			out = append(out, m.objects(s, depth)...)
		case "array":
			out = append(out, m.arrays(s, depth)...)
		case "string":
			out = append(out, s.strings()...)
		case "integer", "number":
			out = append(out, s.numbers(kind == "integer")...)
		case "boolean":
			out = append(out, false, true)
		case "null":
			out = append(out, nil)
		}
	}
	return out
}

// named lists the values that the schemas name, the most telling keyword first. An
// object or a list as a default or an example may hold more than is required, but
// its author wrote it.
func (s shape) named() []any {
	var out []any
	for _, keyword := range []string{"const", "default", "examples", "enum"} {
		for _, one := range s {
			v, ok := one[keyword]
			switch {
			case !ok:
			case keyword == "examples" || keyword == "enum":
				out = append(out, firstOf(list(v), maxCandidates)...)
			default:
				out = append(out, v)
			}
		}
	}
	return out
}

// kinds lists the types that every schema of the shape admits, in their order. With
// no type named, the other keywords tell what is meant.
func (s shape) kinds() []string {
	var kinds []string
	named := false
	for _, one := range s {
		types := typesOf(one["type"])
		switch {
		case types == nil:
		case !named:
			named, kinds = true, types
		default:
			kinds = common(kinds, types)
		}
	}
	if !named {
		return s.implied()
	}
	return kinds
}

func typesOf(v any) []string {
	if name, ok := v.(string); ok {
		return []string{name}
	}
	var names []string
	for _, one := range list(v) {
		if name, ok := one.(string); ok {
			names = append(names, name)
		}
	}
	return names
}

// common keeps the types that stand in both lists; an integer is a number.
func common(a, b []string) []string {
	var out []string
	for _, kind := range a {
		switch {
		case slices.Contains(b, kind):
			out = append(out, kind)
		case kind == "number" && slices.Contains(b, "integer"):
			out = append(out, "integer")
		case kind == "integer" && slices.Contains(b, "number"):
			out = append(out, "integer")
		}
	}
	return out
}

// implied guesses the type of a schema that names none: an object or a list where
// its keywords speak of one, else whatever does.
func (s shape) implied() []string {
	all := []string{"string", "integer", "boolean", "object", "array", "null"}
	for _, one := range s {
		for keyword := range one {
			switch {
			case slices.Contains([]string{"properties", "required", "additionalProperties", "minProperties"}, keyword):
				return append([]string{"object"}, all...)
			case slices.Contains([]string{"items", "prefixItems", "minItems", "contains"}, keyword):
				return append([]string{"array"}, all...)
			case strings.HasSuffix(keyword, "imum"):
				return append([]string{"number"}, all...)
			}
		}
	}
	return all
}

// whole returns the greatest or smallest value of a counting keyword, as pick
// chooses; none when no schema has it or it is out of all measure.
func (s shape) whole(keyword string, none int, pick func(...int) int) int {
	found := []int{}
	for _, one := range s {
		n, ok := one[keyword].(json.Number)
		if !ok {
			continue
		}
		if i, err := n.Int64(); err == nil && i >= 0 && i <= maxMade {
			found = append(found, int(i))
		} else {
			found = append(found, maxMade+1)
		}
	}
	if len(found) == 0 {
		return none
	}
	return pick(found...)
}

func firstOf(l []any, n int) []any { return l[:min(len(l), n)] }
