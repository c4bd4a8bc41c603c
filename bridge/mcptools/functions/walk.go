package functions

import (
	"encoding/json"
	"slices"
)

// place is what stands at a place of a schema document.
type place int

const (
	aValue   place = iota // data: an example, a default, an enum, or a keyword that is not known
	aSchema               // a schema
	aList                 // an array of schemas
	aMap                  // an object whose values are schemas
	orSchema              // a schema, or an array of schemas
)

// keywords are those of all dialects under which schemas stand.
//
// https://json-schema.org/draft/2020-12/json-schema-core#name-keywords-for-applying-subsch
var keywords = map[string]place{
	"additionalProperties": aSchema, "unevaluatedProperties": aSchema, "propertyNames": aSchema,
	"additionalItems": aSchema, "unevaluatedItems": aSchema, "contains": aSchema, "items": orSchema,
	"not": aSchema, "if": aSchema, "then": aSchema, "else": aSchema, "contentSchema": aSchema,
	"allOf": aList, "anyOf": aList, "oneOf": aList, "prefixItems": aList,
	"properties": aMap, "patternProperties": aMap, "dependentSchemas": aMap, "dependencies": aMap,
	"$defs": aMap, "definitions": aMap,
}

// walk goes over a schema that is valid JSON, and finds the objects that have no properties.
type walk struct {
	dec   *json.Decoder
	raw   []byte
	found []insertion
}

// next cannot fail: the document was found to be valid.
func (w *walk) next() json.Token {
	t, _ := w.dec.Token()
	return t
}

func (w *walk) value(p place) []string {
	switch t := w.next().(type) {
	case json.Delim:
		if t == '[' {
			return w.array(p)
		}
		w.object(p)
	case string:
		return []string{t}
	}
	return nil
}

// array returns the texts in it, for the sake of the type keyword.
func (w *walk) array(p place) []string {
	inner := aValue
	if p == aList || p == orSchema {
		inner = aSchema
	}
	var texts []string
	for w.dec.More() {
		texts = append(texts, w.value(inner)...)
	}
	w.next()
	return texts
}

func (w *walk) object(p place) {
	begin := int(w.dec.InputOffset())
	isObject, hasProperties := false, false
	for w.dec.More() {
		name, _ := w.next().(string)
		texts := w.value(inside(p, name))
		switch name {
		case "type":
			isObject = slices.Contains(texts, "object")
		case "properties":
			hasProperties = true
		}
	}
	w.next()
	if (p == aSchema || p == orSchema) && isObject && !hasProperties {
		w.found = append(w.found, insertion{begin, member(`"properties":{}`, w.raw[begin:])})
	}
}

// inside tells what the member of an object is.
func inside(p place, name string) place {
	switch p {
	case aSchema, orSchema:
		return keywords[name]
	case aMap:
		return aSchema
	}
	return aValue
}
