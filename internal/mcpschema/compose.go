package mcpschema

// Marks of a schema in the documents: the first and the last revision that have it.
const (
	since = "since"
	until = "until"
)

// compose returns what a document says of one revision: without the schemas of other
// revisions, and without the marks. It reports false where nothing is left.
func compose(node any, revision string) (any, bool) {
	switch node := node.(type) {
	case map[string]any:
		return composeObject(node, revision)
	case []any:
		return composeArray(node, revision)
	}
	return node, true
}

func composeObject(object map[string]any, revision string) (any, bool) {
	// Revisions are dates: their order is that of their letters.
	if first, ok := object[since].(string); ok && revision < first {
		return nil, false
	}
	if last, ok := object[until].(string); ok && revision > last {
		return nil, false
	}
	out := make(map[string]any, len(object))
	for name, member := range object {
		if name == since || name == until {
			continue
		}
		if composed, ok := compose(member, revision); ok {
			out[name] = composed
		}
	}
	return out, true
}

// composeArray drops an array whose elements are all of other revisions: an empty
// allOf is no schema.
func composeArray(array []any, revision string) (any, bool) {
	out := make([]any, 0, len(array))
	for _, element := range array {
		if composed, ok := compose(element, revision); ok {
			out = append(out, composed)
		}
	}
	return out, len(out) > 0 || len(array) == 0
}
