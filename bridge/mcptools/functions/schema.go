package functions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// The bounds of checking. A schema or a value past them is passed on unchecked: its server
// has to judge it.
const (
	maxSchema = 1 << 20 // bytes
	maxVisits = 200_000 // of the schema and its parts by one value and its, in one check
	minVisits = 10_000  // that every check has, and some more for each byte of the value
)

// schema is a JSON Schema, compiled when it is first needed. A nil one lets all pass.
type schema struct {
	raw json.RawMessage

	once sync.Once
	doc  any    // decoded, numbers as json.Number
	easy *plain // the same, where it asks for little; else nil
	err  error  // why it cannot be used
	free chan *checker
	made atomic.Int64 // checkers
}

// checker is a compiled schema that counts its visits down. It is for one check at a time: of
// each schema there are as many as processors, made when they are needed.
type checker struct {
	compiled *jsonschema.Schema
	left     int // visits that the check at hand may still make
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
	s.once.Do(func() {
		if len(s.raw) > maxSchema {
			s.err = fmt.Errorf("it is over %d bytes long", maxSchema)
			return
		}
		if s.doc, s.err = decode(s.raw); s.err != nil {
			return
		}
		s.free = make(chan *checker, runtime.GOMAXPROCS(0))
		var first *checker
		if first, s.err = s.make(); s.err == nil {
			s.easy = readPlain(s.doc)
			s.made.Store(1)
			s.free <- first
		}
	})
	return s.err
}

// take returns a checker that nobody uses.
func (s *schema) take() *checker {
	select {
	case c := <-s.free:
		return c
	default:
	}
	if s.made.Add(1) <= int64(cap(s.free)) {
		if c, err := s.make(); err == nil { // as it was the first time
			return c
		}
	}
	s.made.Add(-1)
	return <-s.free
}

func (s *schema) make() (made *checker, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			made, err = nil, fmt.Errorf("it cannot be compiled: %v", fault)
		}
	}()
	made = &checker{}
	c := jsonschema.NewCompiler()
	c.Draft, c.LoadURL = jsonschema.Draft2020, refuseToLoad
	c.RegisterExtension("visits", nil, meter{made})
	if err := c.AddResource(base, bytes.NewReader(s.raw)); err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	if made.compiled, err = c.Compile(base); err != nil {
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
type meter struct{ of *checker }

// Compile implements jsonschema.ExtCompiler.
func (m meter) Compile(jsonschema.CompilerContext, map[string]any) (jsonschema.ExtSchema, error) {
	return m, nil
}

// Validate implements jsonschema.ExtSchema. A panic is the only way to end the check.
func (m meter) Validate(jsonschema.ValidationContext, any) error {
	if m.of.left--; m.of.left < 0 {
		panic(errTooMuch)
	}
	return nil
}

// check returns nil for a value of so many bytes that fits, or that cannot be judged.
func (s *schema) check(value any, size int) error {
	if s.compile() != nil || s == nil || s.easy.fits(value) {
		return nil
	}
	c := s.take()
	defer func() { s.free <- c }()
	return s.explain(c.validate(value, min(maxVisits, minVisits+4*size)))
}

// validate checks the value in so many visits at most. One that goes deep into a schema
// costs a thousand times what a plain one does, so that a small value has few.
func (c *checker) validate(value any, visits int) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%w: %v", errTooMuch, fault)
		}
	}()
	c.left = visits
	return c.compiled.Validate(value)
}
