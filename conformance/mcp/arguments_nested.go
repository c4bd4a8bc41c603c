package mcp

import (
	"maps"
	"slices"
)

// objects makes up objects with the required members, and as many others as
// minProperties asks for. The first has the first value for every member; the rest
// differ from it in one member each.
func (m *maker) objects(s shape, depth int) []any {
	names := s.memberNames()
	first := map[string]any{}
	choices := map[string][]any{}
	for _, name := range names {
		values := m.values(s.about(name), depth+1)
		if len(values) == 0 {
			return nil
		}
		first[name], choices[name] = values[0], values[1:]
	}
	out := []any{first}
	for _, name := range names {
		for _, value := range firstOf(choices[name], maxCandidates) {
			other := maps.Clone(first)
			other[name] = value
			out = append(out, other)
		}
	}
	return out
}

// memberNames lists the members that an object has to have.
func (s shape) memberNames() []string {
	var names []string
	add := func(more ...string) {
		for _, name := range more {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, one := range s {
		add(typesOf(one["required"])...)
	}
	for i := 0; i < len(names); i++ { // names grows
		for _, one := range s {
			add(typesOf(member(one["dependentRequired"], names[i]))...)
		}
	}
	least := s.whole("minProperties", 0, maxOf)
	for _, one := range s {
		for _, name := range sortedKeys(one["properties"]) {
			if len(names) < least {
				add(name)
			}
		}
	}
	for c := 'a'; c <= 'z' && len(names) < least; c++ {
		add(string(c))
	}
	return names
}

// about lists the schemas for one member.
func (s shape) about(name string) []any {
	var all []any
	for _, one := range s {
		if said, ok := member(one["properties"], name), isMember(one["properties"], name); ok {
			all = append(all, said)
			continue
		}
		if rest, ok := one["additionalProperties"]; ok {
			all = append(all, rest)
		}
	}
	return all
}

func isMember(of any, name string) bool {
	m, _ := of.(map[string]any)
	_, ok := m[name]
	return ok
}

// arrays makes up lists of the least length, all of whose items are of one kind,
// and one whose items differ.
func (m *maker) arrays(s shape, depth int) []any {
	length := s.leastItems()
	if length > maxItems {
		return nil
	}
	plain, varied := []any{}, []any{}
	for i := range length {
		values := m.values(s.item(i), depth+1)
		if len(values) == 0 {
			return nil
		}
		plain = append(plain, values[0])
		varied = append(varied, values[min(i, len(values)-1)])
	}
	if length < 2 {
		return []any{plain}
	}
	return []any{plain, varied}
}

// leastItems is minItems, and one where the list has to contain something.
func (s shape) leastItems() int {
	least := s.whole("minItems", 0, maxOf)
	for _, one := range s {
		if one["contains"] != nil {
			return max(least, s.whole("minContains", 1, maxOf))
		}
	}
	return least
}

// item lists the schemas for the item at position i.
func (s shape) item(i int) []any {
	var all []any
	for _, one := range s {
		places := list(one["prefixItems"])
		if places == nil {
			places = list(one["items"]) // so until 2019-09
		}
		switch {
		case i < len(places):
			all = append(all, places[i])
		case list(one["items"]) == nil && one["items"] != nil:
			all = append(all, one["items"])
		}
		if wanted := one["contains"]; wanted != nil {
			all = append(all, wanted)
		}
	}
	return all
}

func maxOf(all ...int) int { return slices.Max(all) }
func minOf(all ...int) int { return slices.Min(all) }
