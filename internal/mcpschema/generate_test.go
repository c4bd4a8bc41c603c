package mcpschema

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// generator makes instances of published definitions: one element an array, every
// member or only those that are required, and of alternatives the one that is chosen.
type generator struct {
	defs    map[string]any
	bare    bool           // only what is required
	choices map[string]int // by the place of the alternatives
	seen    map[string]int // how many there are
}

// instances makes so many of one schema that each alternative in it is taken once, and
// one with the least members.
func (p *published) instances(def, member string) []any {
	schema := p.defs[def]
	if member != "" {
		schema = p.member(schema, member)
	}
	all := []any{generator{p.defs, true, nil, map[string]int{}}.make(schema, def, 0)}
	tried := map[string]bool{}
	for queue := []map[string]int{{}}; len(queue) > 0; queue = queue[1:] {
		g := generator{p.defs, false, queue[0], map[string]int{}}
		all = append(all, g.make(schema, def, 0))
		for _, place := range slices.Sorted(maps.Keys(g.seen)) {
			for i := 1; i < g.seen[place]; i++ {
				if key := fmt.Sprint(place, i); !tried[key] {
					tried[key] = true
					next := maps.Clone(queue[0])
					next[place] = i
					queue = append(queue, next)
				}
			}
		}
	}
	return all
}

// member finds the schema of a member, through references.
func (p *published) member(schema any, name string) any {
	m, _ := schema.(map[string]any)
	properties, _ := m["properties"].(map[string]any)
	return properties[name]
}

func (g generator) choose(place string, n int) int {
	g.seen[place] = n
	return g.choices[place]
}

func (g generator) make(schema any, place string, depth int) any {
	s, _ := schema.(map[string]any)
	switch {
	case place == "JSONObject": // which holds itself
		return map[string]any{"own": "value"}
	case depth > 100:
		panic(place + " has no end")
	case s["$ref"] != nil:
		name := s["$ref"].(string)
		name = name[strings.LastIndex(name, "/")+1:]
		return g.make(g.defs[name], name, depth+1)
	case s["const"] != nil:
		return s["const"]
	case s["enum"] != nil:
		some := s["enum"].([]any)
		return some[g.choose(place, len(some))]
	case s["anyOf"] != nil:
		some := s["anyOf"].([]any)
		i := g.choose(place, len(some))
		return g.make(some[i], fmt.Sprint(place, "/", i), depth+1)
	case s["allOf"] != nil:
		whole := map[string]any{}
		for i, part := range s["allOf"].([]any) {
			m, _ := g.make(part, fmt.Sprint(place, "/", i), depth+1).(map[string]any)
			maps.Copy(whole, m)
		}
		return whole
	}
	return g.ofType(s, place, depth)
}

func (g generator) ofType(s map[string]any, place string, depth int) any {
	kind := s["type"]
	if kinds, several := kind.([]any); several {
		kind = kinds[g.choose(place+"/type", len(kinds))]
	}
	switch kind {
	case "string":
		return textFor(s, place)
	case "integer", "number":
		return 1.0
	case "boolean":
		return true
	case "null":
		return nil
	case "array":
		return []any{g.make(s["items"], place+"/items", depth+1)}
	}
	return g.object(s, place, depth)
}

func (g generator) object(s map[string]any, place string, depth int) any {
	object := map[string]any{}
	if extra, ok := s["additionalProperties"].(map[string]any); ok && len(extra) > 0 && !g.bare {
		object["own"] = g.make(extra, place+"/own", depth+1)
	}
	required, _ := s["required"].([]any)
	properties, _ := s["properties"].(map[string]any)
	for name, property := range properties {
		if !g.bare || slices.Contains(required, any(name)) {
			object[name] = g.make(property, place+"/"+name, depth+1)
		}
	}
	return object
}

// textFor also knows what the prose wants of members that are any text to the schema.
func textFor(s map[string]any, place string) string {
	byFormat := map[any]string{"uri": "https://host.example/a", "uri-template": "file:///{a}", "byte": "aGk="}
	switch {
	case byFormat[s["format"]] != "":
		return byFormat[s["format"]]
	case place == "InputRequiredResult/resultType":
		return "input_required"
	case strings.HasSuffix(place, "/resultType"):
		return "complete"
	case strings.HasSuffix(place, "/mimeType"):
		return "image/png"
	case strings.HasSuffix(place, "At"):
		return "2026-07-28T00:00:00Z"
	}
	return "text"
}

// oddities are put in the place of each value in turn.
func oddities() []any {
	return []any{nil, true, 1.0, 1.5, -1.0, "", "odd", []any{}, []any{"odd"}, map[string]any{}, map[string]any{"own": nil}}
}

// mutator tells what a value becomes when one part of it is left out, or is another
// value, or stands there a hundred times more.
type mutator struct {
	yield func(place string, mutant any)
	done  map[string]bool // parts of one look, at places where they were before
}

// mutate takes a part of the whole that into makes.
func (m mutator) mutate(part any, place string, into func(any) any) {
	look := place + outline(part)
	before := m.done[look]
	m.done[look] = true
	each := func(name string, member any, into func(any) any) {
		for _, odd := range oddities() {
			if !before {
				m.yield(place+"/"+name, into(odd))
			}
		}
		m.mutate(member, place+"/"+name, into)
	}
	switch part := part.(type) {
	case map[string]any:
		for name, member := range part {
			less := maps.Clone(part)
			delete(less, name)
			if !before {
				m.yield(place+"/"+name, into(less))
			}
			each(name, member, func(other any) any {
				changed := maps.Clone(part)
				changed[name] = other
				return into(changed)
			})
		}
	case []any:
		if !before && len(part) > 0 {
			m.yield(place, into(slices.Repeat(part, 101)))
		}
		for i, member := range part {
			each(fmt.Sprint(i), member, func(other any) any {
				changed := slices.Clone(part)
				changed[i] = other
				return into(changed)
			})
		}
	}
}

// outline is a value without what stands deeper in it.
func outline(part any) string {
	flat := func(v any) any {
		switch v.(type) {
		case map[string]any, []any:
			return fmt.Sprintf("%T", v)
		}
		return v
	}
	switch part := part.(type) {
	case map[string]any:
		shallow := map[string]any{}
		for name, member := range part {
			shallow[name] = flat(member)
		}
		return fmt.Sprint(shallow) // with the names in order
	case []any:
		var shallow []any
		for _, member := range part {
			shallow = append(shallow, flat(member))
		}
		return fmt.Sprint(shallow)
	}
	return fmt.Sprint(part)
}
