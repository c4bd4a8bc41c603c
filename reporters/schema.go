package reporters

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// ErrInvalid is wrapped by every error that says what is wrong with a document, as against why it
// could not be read.
var ErrInvalid = errors.New("not a valid " + SchemaName + " document")

//go:embed schema/peerwright.report.v1.schema.json
var schemaText []byte

var compiledSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	const name = "peerwright.report.v1.schema.json"
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	if err := c.AddResource(name, bytes.NewReader(schemaText)); err != nil {
		return nil, fmt.Errorf("read the schema of the report: %w", err)
	}
	return c.Compile(name)
})

// maxComplaints bounds how much of what is wrong one error tells.
const maxComplaints = 5

// Schema returns the JSON Schema (draft 2020-12) of the document.
func Schema() []byte {
	return bytes.Clone(schemaText)
}

// Validate holds a document against [Schema]. The error wraps [ErrInvalid], and names what is wrong
// by JSON pointer. That the counts follow from the cases is not a matter of the schema: see
// [ReadReport].
func Validate(document []byte) error {
	schema, err := compiledSchema()
	if err != nil {
		return err
	}
	value, err := decodeOne(document)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	err = schema.Validate(value)
	if v, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return fmt.Errorf("%w: %s", ErrInvalid, complaints(v))
	}
	return err
}

func decodeOne(document []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(document))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the document")
	}
	return value, nil
}

// complaints tells the innermost causes, which say what is wrong where; those around them only say
// that something inside is.
func complaints(err *jsonschema.ValidationError) string {
	var all []string
	var walk func(*jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		if len(e.Causes) == 0 {
			all = append(all, e.InstanceLocation+": "+e.Message)
		}
		for _, cause := range e.Causes {
			walk(cause)
		}
	}
	walk(err)
	slices.Sort(all) // the validator walks maps
	all = slices.Compact(all)
	if more := len(all) - maxComplaints; more > 0 {
		all = append(all[:maxComplaints], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, "; ")
}
