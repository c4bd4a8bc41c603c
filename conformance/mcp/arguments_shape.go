package mcp

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maker makes up values for the schemas of one document.
type maker struct {
	root  any
	steps int // what is left of the work that may be put in
}

// shape is one way to satisfy schemas that all apply to one value: plain members
// only, without references and alternatives.
type shape []map[string]any

// shapes resolves the references and spreads the alternatives of schemas that all
// apply to one value. followed names the references that were taken for this value;
// to take one again would add nothing.
func (m *maker) shapes(all []any, followed []string) []shape {
	if m.steps--; m.steps < 0 {
		return nil
	}
	if len(all) == 0 {
		return []shape{nil}
	}
	if all[0] == false {
		return nil
	}
	first, _ := all[0].(map[string]any) // true, and what is no schema, constrain nothing
	base := slices.Clone(list(first["allOf"]))
	if ref, ok := first["$ref"].(string); ok && !slices.Contains(followed, ref) {
		followed = append(slices.Clone(followed), ref)
		base = append(base, m.resolve(ref))
	}
	var out []shape
	for _, way := range ways(first, base) {
		for _, rest := range m.shapes(append(way, all[1:]...), followed) {
			if len(out) < maxCandidates {
				out = append(out, append(shape{first}, rest...))
			}
		}
	}
	return out
}

// ways lists what else applies besides the members of s itself and base: one each
// of what anyOf, oneOf and if leave to choose.
func ways(s map[string]any, base []any) [][]any {
	out := spread([][]any{base}, alternatives(s["anyOf"]))
	out = spread(out, alternatives(s["oneOf"]))
	if condition, ok := s["if"]; ok {
		out = spread(out, [][]any{present(s["else"]), append(present(s["then"]), condition)})
	}
	return out
}

func alternatives(v any) [][]any {
	var out [][]any
	for _, one := range list(v) {
		out = append(out, []any{one})
	}
	return out
}

func present(v any) []any {
	if v == nil {
		return nil
	}
	return []any{v}
}

// spread joins every way with every choice; no choice at all changes nothing.
func spread(ways, choices [][]any) [][]any {
	if len(choices) == 0 {
		return ways
	}
	var out [][]any
	for _, way := range ways {
		for _, choice := range choices {
			if len(out) < maxCandidates {
				out = append(out, append(slices.Clone(way), choice...))
			}
		}
	}
	return out
}

// resolve finds what a reference inside the document points to. What it cannot
// find constrains nothing: the validator judges the outcome.
func (m *maker) resolve(ref string) any {
	pointer, local := strings.CutPrefix(ref, "#")
	if !local {
		return true
	}
	if pointer != "" && pointer[0] != '/' {
		return anchored(m.root, pointer, maxDepth)
	}
	at := m.root
	for _, step := range strings.Split(pointer, "/")[1:] {
		at = inside(at, strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
	}
	return at
}

// inside takes one step of a JSON pointer.
func inside(at any, step string) any {
	if l := list(at); l != nil {
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(l) {
			return l[i]
		}
	}
	return member(at, step)
}

// anchored finds the schema with the $anchor; nil when there is none.
func anchored(at any, name string, depth int) any {
	if member(at, "$anchor") == name {
		return at
	}
	for _, key := range sortedKeys(at) {
		if depth == 0 {
			break
		}
		if found := anchored(member(at, key), name, depth-1); found != nil {
			return found
		}
	}
	return nil
}

// member returns the named member of a decoded object; nil when there is none.
func member(of any, name string) any {
	m, _ := of.(map[string]any)
	return m[name]
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func sortedKeys(v any) []string {
	m, _ := v.(map[string]any)
	return slices.Sorted(maps.Keys(m))
}
