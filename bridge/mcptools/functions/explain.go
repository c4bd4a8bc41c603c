package functions

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// ArgumentsError says where a value does not fit a schema. It repeats no value: there may
// be secrets among them.
type ArgumentsError struct{ Faults []Fault } // never empty, the outermost first

// Fault is one thing that does not fit.
type Fault struct {
	Path    string // JSON pointer; "" is the whole
	Message string
}

// Error implements the error interface.
func (e *ArgumentsError) Error() string {
	var said []string
	for _, f := range e.Faults {
		if f.Path != "" {
			f.Message = "at " + f.Path + ": " + f.Message
		}
		said = append(said, f.Message)
	}
	return strings.Join(said, "; ")
}

const (
	maxFaults = 5
	maxText   = 300 // bytes of a message
)

// explain makes an ArgumentsError of what the validator found. A check that came to no end
// is no fault of the value.
func (s *schema) explain(err error) error {
	breach, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return nil
	}
	faults := s.faults(breach)
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/"))
	})
	faults = slices.Compact(faults)
	return &ArgumentsError{faults[:min(len(faults), maxFaults)]}
}

func (s *schema) faults(e *jsonschema.ValidationError) []Fault {
	if len(e.Causes) == 0 {
		return []Fault{{clip(e.InstanceLocation), clip(s.message(e))}}
	}
	var all []Fault
	for _, cause := range e.Causes {
		all = append(all, s.faults(cause)...)
		if len(all) > 100*maxFaults {
			break // alternatives of alternatives
		}
	}
	return all
}

// message is what the validator says, less the value that it repeats, and more what is allowed.
func (s *schema) message(e *jsonschema.ValidationError) string {
	keyword := e.KeywordLocation[strings.LastIndex(e.KeywordLocation, "/")+1:]
	switch said := e.Message; keyword {
	case "format":
		return "is not of the format " + said[strings.LastIndex(said, " ")+1:]
	case "additionalProperties", "unevaluatedProperties":
		if known := s.properties(e.AbsoluteKeywordLocation); len(known) > 0 {
			return said + "; allowed are " + strings.Join(known, ", ")
		}
		return said
	case "contentEncoding", "contentMediaType":
		return "does not have the " + keyword + " that the schema says"
	case "":
		return cmp.Or(said, "no value is allowed here")
	default:
		said, _, _ = strings.Cut(said, " but found ")
		said, _, _ = strings.Cut(said, ", but got length ")
		return said
	}
}

// properties lists the names that stand beside the keyword at that place of the document.
func (s *schema) properties(location string) []string {
	_, pointer, _ := strings.Cut(location, "#")
	parent := pointer[:max(0, strings.LastIndex(pointer, "/"))]
	at, ok := resolve(s.doc, parent).(map[string]any)
	if !ok {
		return nil
	}
	known, _ := at["properties"].(map[string]any)
	var names []string
	for _, name := range slices.Sorted(maps.Keys(known)) {
		names = append(names, strconv.Quote(name))
	}
	return names
}

func clip(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}

// Validate returns nil for arguments that fit the tool's inputSchema, and an *ArgumentsError
// for others. The dialect is the one that the schema declares, 2020-12 by default. The schema
// is compiled at the first use; one that cannot be lets all pass, which Catalog.Check tells.
// Arguments with two members of one name, in whatever object, fit no tool.
func (t Tool) Validate(args json.RawMessage) error {
	value, err := decodeStrict(args)
	if err != nil {
		return &ArgumentsError{Faults: []Fault{{Message: err.Error()}}}
	}
	return t.input.check(value, len(args))
}

// ValidateResult is Validate for structuredContent and the outputSchema. A tool that has an
// outputSchema must answer with structured content.
//
// https://modelcontextprotocol.io/specification/2025-11-25/server/tools#output-schema
func (t Tool) ValidateResult(structured json.RawMessage) error {
	switch {
	case t.output == nil:
		return nil
	case len(structured) == 0:
		return &ArgumentsError{[]Fault{{Message: fmt.Sprintf("there is no structuredContent, though %s declares an outputSchema", t.Name)}}}
	}
	value, err := decode(structured)
	if err != nil {
		return &ArgumentsError{Faults: []Fault{{Message: err.Error()}}}
	}
	return t.output.check(value, len(structured))
}
