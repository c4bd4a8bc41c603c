package functions

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// applied lists the schemas that say something of a value, and those that they in turn
// apply to it. A reference is followed once, so that one in a circle comes to an end.
func (n integers) applied(by []any) []any {
	var all []any
	seen := map[string]bool{}
	for todo := slices.Clone(by); len(todo) > 0; {
		s, ok := todo[0].(map[string]any)
		todo = todo[1:]
		if !ok {
			continue
		}
		all = append(all, s)
		for _, name := range []string{"allOf", "anyOf", "oneOf"} {
			list, _ := s[name].([]any)
			todo = append(todo, list...)
		}
		for _, name := range []string{"if", "then", "else"} {
			todo = append(todo, s[name])
		}
		if ref, ok := s["$ref"].(string); ok && strings.HasPrefix(ref, "#") && !seen[ref] {
			seen[ref] = true
			todo = append(todo, resolve(n.root, ref[1:]))
		}
	}
	return all
}

func each(by []any, of func(map[string]any) []any) []any {
	var all []any
	for _, s := range by {
		all = append(all, of(s.(map[string]any))...)
	}
	return all
}

// property lists what a schema says of the member with that name.
func property(s map[string]any, name string) []any {
	var all []any
	named, _ := s["properties"].(map[string]any)
	if p, ok := named[name]; ok {
		all = append(all, p)
	}
	patterns, _ := s["patternProperties"].(map[string]any)
	for pattern, p := range patterns {
		if re, err := regexp.Compile(pattern); err == nil && re.MatchString(name) {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		all = append(all, s["additionalProperties"])
	}
	return all
}

// element lists what a schema says of the element at that place of an array.
func element(s map[string]any, at int) []any {
	for _, name := range []string{"prefixItems", "items"} {
		if list, ok := s[name].([]any); ok && at < len(list) {
			return []any{list[at]}
		}
	}
	if _, isTuple := s["items"].([]any); isTuple {
		return []any{s["additionalItems"]}
	}
	return []any{s["items"]}
}

// wantsInteger tells whether a schema wants an integer, and none is content with a number.
func wantsInteger(by []any) bool {
	wants := false
	for _, s := range by {
		switch kind := s.(map[string]any)["type"].(type) {
		case string:
			wants = wants || kind == "integer"
			if kind == "number" {
				return false
			}
		case []any:
			wants = wants || slices.Contains(kind, any("integer"))
			if slices.Contains(kind, any("number")) {
				return false
			}
		}
	}
	return wants
}

// resolve follows a JSON pointer; nil is nowhere.
func resolve(doc any, pointer string) any {
	if pointer == "" {
		return doc
	}
	for _, step := range strings.Split(pointer, "/")[1:] {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch at := doc.(type) {
		case map[string]any:
			doc = at[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(at) {
				return nil
			}
			doc = at[i]
		default:
			return nil
		}
	}
	return doc
}
