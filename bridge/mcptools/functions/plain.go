package functions

import (
	"encoding/json"
	"slices"
	"strings"
)

// plain is a schema of the keywords that nearly all tools get by with. It tells in a moment,
// and with little stack, that a value fits. Whether one does not, and why, is for the
// validator to say, which stands in for all other schemas.
type plain struct {
	kind     string // "" is any
	members  map[string]*plain
	required []string
	closed   bool // no members but those
	items    *plain
	enum     []string // nil is any
}

// silent are the keywords that ask for nothing.
var silent = []string{"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"} //nolint:gochecknoglobals // a table

// kinds are the types that plain knows.
var kinds = []string{"object", "array", "string", "integer", "number", "boolean"} //nolint:gochecknoglobals // a table

// readPlain returns nil for a schema that asks for more.
func readPlain(doc any) *plain {
	members, ok := doc.(map[string]any)
	if !ok {
		return nil
	}
	p := &plain{}
	for keyword, value := range members {
		if !slices.Contains(silent, keyword) && !p.read(keyword, value) {
			return nil
		}
	}
	return p
}

// read takes one keyword, and tells whether it is known in this form.
//
// https://json-schema.org/draft/2020-12/json-schema-validation
func (p *plain) read(keyword string, value any) (known bool) {
	switch keyword {
	case "$schema":
		said, _ := value.(string)
		return strings.TrimSuffix(said, "#") == "http://json-schema.org/draft-07/schema" || said == "https://json-schema.org/draft/2020-12/schema"
	case "type":
		p.kind, _ = value.(string)
		return slices.Contains(kinds, p.kind)
	case "properties":
		return p.readMembers(value)
	case "required":
		p.required, known = texts(value)
	case "enum":
		p.enum, known = texts(value)
	case "additionalProperties":
		var open bool
		open, known = value.(bool)
		p.closed = !open
	case "items":
		p.items = readPlain(value)
		known = p.items != nil
	}
	return known
}

func (p *plain) readMembers(value any) bool {
	members, ok := value.(map[string]any)
	p.members = make(map[string]*plain, len(members))
	for name, doc := range members {
		member := readPlain(doc)
		if member == nil {
			return false
		}
		p.members[name] = member
	}
	return ok
}

func texts(value any) (list []string, ok bool) {
	all, ok := value.([]any)
	list = make([]string, len(all))
	for i := range all {
		text, isText := all[i].(string)
		list[i], ok = text, ok && isText
	}
	return list, ok
}

// fits tells that the value fits for certain; nil knows of none.
func (p *plain) fits(value any) bool {
	if p == nil {
		return false
	}
	ok := p.kind == "" && p.enum == nil
	switch v := value.(type) {
	case map[string]any:
		ok = ok || p.kind == "object"
		return ok && p.fitMembers(v)
	case []any:
		ok = ok || p.kind == "array"
		return ok && (p.items == nil || !slices.ContainsFunc(v, func(item any) bool { return !p.items.fits(item) }))
	case string:
		ok = ok || p.kind == "string" || p.kind == ""
		return ok && (p.enum == nil || slices.Contains(p.enum, v))
	case json.Number:
		return ok || p.enum == nil && (p.kind == "number" || p.kind == "integer" && !strings.ContainsAny(v.String(), ".eE"))
	case bool:
		return ok || p.enum == nil && p.kind == "boolean"
	}
	return ok
}

func (p *plain) fitMembers(members map[string]any) bool {
	for _, name := range p.required {
		if _, there := members[name]; !there {
			return false
		}
	}
	for name, value := range members {
		member, named := p.members[name]
		if named && !member.fits(value) || !named && p.closed {
			return false
		}
	}
	return p.enum == nil
}
