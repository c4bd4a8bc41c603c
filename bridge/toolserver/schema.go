package toolserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	schemas "github.com/google/jsonschema-go/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

// describe gives the tool its schemas.
func (e *entry) describe(input func() (json.RawMessage, error), output func() (json.RawMessage, bool, error)) (err error) {
	if e.input, err = input(); err != nil {
		return fmt.Errorf("its arguments: %w", err)
	}
	if e.output, e.wraps, err = output(); err != nil {
		return fmt.Errorf("its result: %w", err)
	}
	if e.compiled, err = compile(e.input); err != nil {
		return fmt.Errorf("its arguments: %w", err)
	}
	return nil
}

// inputSchema makes the schema of arguments, which are an object.
//
// https://modelcontextprotocol.io/specification/2025-11-25/schema#tool
func inputSchema[In any]() (json.RawMessage, error) {
	s, err := schemas.For[In](nil)
	if err != nil {
		return nil, fmt.Errorf("%v has no schema: %w", reflect.TypeFor[In](), err)
	}
	if !isObject(s) {
		return nil, fmt.Errorf("%v is no object: use a struct, or a map with string keys", reflect.TypeFor[In]())
	}
	s.Type, s.Types = "object", nil
	return json.Marshal(s)
}

// outputSchema makes the schema of structured results, which are objects in every
// revision before 2026-07-28: what is none becomes a member of one. Text has none.
func outputSchema[Out any]() (schema json.RawMessage, wraps bool, err error) {
	if reflect.TypeFor[Out]().Kind() == reflect.String {
		return nil, false, nil
	}
	s, err := schemas.For[Out](nil)
	if err != nil {
		return nil, false, fmt.Errorf("%v has no schema: %w", reflect.TypeFor[Out](), err)
	}
	if wraps = !isPlainObject(s); wraps {
		s = &schemas.Schema{Type: "object", Properties: map[string]*schemas.Schema{wrapped: s}, Required: []string{wrapped}}
	}
	schema, err = json.Marshal(s)
	return schema, wraps, err
}

// wrapped is the member that holds a result that is no object.
const wrapped = "result"

// isObject tells whether the schema is that of a struct or a map, or of a pointer to one.
func isObject(s *schemas.Schema) bool {
	if isPlainObject(s) {
		return true
	}
	return len(s.Types) == 2 && s.Types[0] == "null" && s.Types[1] == "object"
}

func isPlainObject(s *schemas.Schema) bool { return s.Type == "object" }

// compile compiles a schema; nothing outside of it is fetched.
func compile(raw json.RawMessage) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.LoadURL = func(url string) (io.ReadCloser, error) { return nil, fmt.Errorf("%s is not fetched", url) }
	const here = "mem:arguments"
	if err := c.AddResource(here, bytes.NewReader(raw)); err != nil {
		return nil, fmt.Errorf("reading its schema: %w", err)
	}
	s, err := c.Compile(here)
	if err != nil {
		return nil, fmt.Errorf("compiling its schema: %w", err)
	}
	return s, nil
}
