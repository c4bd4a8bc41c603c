package functions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// The bounds of checking. A schema or a value past them is passed on unchecked: its server
// has to judge it.
const (
	maxSchema = 1 << 20 // bytes
	maxVisits = 200_000 // of one schema by one value, in one check
)

// schema is a JSON Schema, compiled when it is first needed. A nil one lets all pass.
type schema struct {
	raw json.RawMessage

	once     sync.Once
	doc      any // decoded, numbers as json.Number
	compiled *jsonschema.Schema
	err      error // why it cannot be used

	mu     sync.Mutex // one check at a time, for visits
	visits int
}

func newSchema(raw json.RawMessage) *schema {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	return &schema{raw: raw}
}

// base is where the schema is said to stand. Nothing is loaded from anywhere.
const base = "peerwright:///tool.json"

// compile returns why the schema cannot be used.
func (s *schema) compile() error {
	if s == nil {
		return nil
	}
	s.once.Do(func() { s.compiled, s.err = s.make() })
	return s.err
}

func (s *schema) make() (made *jsonschema.Schema, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			made, err = nil, fmt.Errorf("it cannot be compiled: %v", fault)
		}
	}()
	if len(s.raw) > maxSchema {
		return nil, fmt.Errorf("it is over %d bytes long", maxSchema)
	}
	if s.doc, err = decode(s.raw); err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.Draft, c.LoadURL = jsonschema.Draft2020, refuseToLoad
	c.RegisterExtension("visits", nil, meter{s})
	if err := c.AddResource(base, bytes.NewReader(s.raw)); err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	made, err = c.Compile(base)
	if err != nil {
		return nil, fmt.Errorf("it cannot be compiled: %w", err)
	}
	return made, nil
}

func refuseToLoad(url string) (io.ReadCloser, error) {
	return nil, fmt.Errorf("%s is elsewhere, and is not fetched", url)
}

// errTooMuch ends a check that goes on and on.
var errTooMuch = errors.New("checking takes too long")

// meter is an extension that every schema has, and that counts how often one is applied:
// a few that refer to each other can be made to go on for years.
type meter struct{ of *schema }

// Compile implements jsonschema.ExtCompiler.
func (m meter) Compile(jsonschema.CompilerContext, map[string]any) (jsonschema.ExtSchema, error) {
	return m, nil
}

// Validate implements jsonschema.ExtSchema. A panic is the only way to end the check.
func (m meter) Validate(jsonschema.ValidationContext, any) error {
	if m.of.visits++; m.of.visits > maxVisits {
		panic(errTooMuch)
	}
	return nil
}

// check returns nil for a value that fits, or that cannot be judged.
func (s *schema) check(raw json.RawMessage) error {
	if s.compile() != nil || s == nil {
		return nil
	}
	value, err := decode(raw)
	if err != nil {
		return &ArgumentsError{Faults: []Fault{{Message: err.Error()}}}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.visits = 0
	return s.explain(s.validate(value))
}

func (s *schema) validate(value any) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%w: %v", errTooMuch, fault)
		}
	}()
	return s.compiled.Validate(value)
}

func decode(raw json.RawMessage) (any, error) {
	if err := bounded(raw); err != nil {
		return nil, err
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("it is no JSON: %w", err)
	}
	return v, nil
}
