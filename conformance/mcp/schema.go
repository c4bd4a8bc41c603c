package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Bounds on the schemas of a server, which may be hostile or merely large.
const (
	maxSchemaBytes = 1 << 20
	maxSchemaSteps = 200_000 // subschemas tried for one value
	maxPatternCost = 5_000   // instructions of one regular expression
)

// errTooCostly is the end of a validation that tried too many subschemas.
var errTooCostly = errors.New("the schema is too costly to validate with")

// dialect is what a tool's schema is of when it does not say.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic#json-schema-usage
func dialect() *jsonschema.Draft { return jsonschema.Draft2020 }

// schema is a compiled JSON Schema. It judges within bounds, and was compiled
// without a look at the network or the disk.
type schema struct {
	doc      any // decoded
	compiled *jsonschema.Schema
	steps    *stepCounter
}

// compileSchema compiles raw by the dialect that it declares, 2020-12 when it
// declares none. "format" is a constraint only with assertFormats: the dialects
// leave it to the reader or make it a note, so that no peer is judged by it.
func compileSchema(raw json.RawMessage, assertFormats bool) (*schema, error) {
	if len(raw) > maxSchemaBytes {
		return nil, fmt.Errorf("the schema has %d bytes, more than the %d that are read", len(raw), maxSchemaBytes)
	}
	doc, err := decodeJSON(raw)
	if err == nil {
		err = checkPatterns(doc)
	}
	s := &schema{doc: doc, steps: &stepCounter{left: maxSchemaSteps}}
	err = cmp.Or(err, guarded(func() error {
		c := jsonschema.NewCompiler()
		c.Draft, c.AssertFormat, c.LoadURL = dialect(), assertFormats, refuseToLoad
		if !assertFormats { // the validator asserts them where $schema is missing
			ignoreFormats(c)
		}
		c.RegisterExtension("steps", nil, s.steps)
		if err := c.AddResource(schemaName, bytes.NewReader(raw)); err != nil {
			return err
		}
		var err error
		s.compiled, err = c.Compile(schemaName)
		return err
	}))
	if err != nil {
		return nil, fmt.Errorf("the schema cannot be used: %w", err)
	}
	return s, nil
}

func ignoreFormats(c *jsonschema.Compiler) {
	for name := range jsonschema.Formats {
		c.Formats[name] = func(any) bool { return true }
	}
}

// schemaName is the base that relative references are resolved against.
const schemaName = "peerwright:///schema"

// refuseToLoad keeps references inside the document: a server's schema does not
// make the suite fetch anything.
func refuseToLoad(url string) (io.ReadCloser, error) {
	return nil, fmt.Errorf("it refers to %s, and nothing outside the schema is fetched", url)
}

// check tells why the value is not one that the schema accepts; nil when it is.
func (s *schema) check(value json.RawMessage) error {
	s.steps.left = maxSchemaSteps
	return s.checkOn(value)
}

// checkOn is check with what is left of the steps after the values before.
func (s *schema) checkOn(value json.RawMessage) error {
	v, err := decodeJSON(value)
	if err != nil {
		return err
	}
	return guarded(func() error { return s.compiled.Validate(v) })
}

// decodeJSON reads one JSON value and keeps the digits of its numbers.
func decodeJSON(raw json.RawMessage) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("reading JSON: %w", err)
	}
	return v, nil
}

// guarded runs f and makes an error of a panic: the validator panics on numbers
// that it cannot hold, and stepCounter stops it by one.
func guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			cause, ok := r.(error)
			if !ok {
				cause = fmt.Errorf("%v", r)
			}
			err = fmt.Errorf("validating: %w", cause)
		}
	}()
	return f()
}

// stepCounter is a keyword that every subschema has and no schema names. It counts
// the subschemas that a validation tries, of which a few lines can hold more than
// there is time for.
type stepCounter struct{ left int }

// Compile implements jsonschema.ExtCompiler.
func (n *stepCounter) Compile(jsonschema.CompilerContext, map[string]any) (jsonschema.ExtSchema, error) {
	return n, nil
}

// Validate implements jsonschema.ExtSchema.
func (n *stepCounter) Validate(jsonschema.ValidationContext, any) error {
	if n.left--; n.left < 0 {
		panic(errTooCostly) // an error would not stop the search; guarded takes it
	}
	return nil
}
