package toolserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// validate returns the call ready to be made, and its arguments in the one form that is
// shown to the hook and given to the tool. The error says for a model what to mend.
func (s *Server) validate(ctx context.Context, e *entry, raw json.RawMessage) (runner, json.RawMessage, error) {
	value, err := decode(raw)
	if err != nil {
		return nil, nil, err
	}
	if err := s.fits(ctx, e, value); err != nil {
		return nil, nil, faults(err)
	}
	args, err := json.Marshal(whole(value))
	if err != nil {
		return nil, nil, fmt.Errorf("the arguments cannot be read: %w", err)
	}
	run, err := s.prepare(ctx, e, args)
	if err != nil {
		return nil, nil, unfit(err)
	}
	return run, args, nil
}

// fits tells why the arguments do not fit the schema, over which the validator may trip.
func (s *Server) fits(ctx context.Context, e *entry, value any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = s.log.panicked(ctx, "the schema", p, debug.Stack())
		}
	}()
	return e.compiled.Validate(value) //nolint:wrapcheck // the caller puts it in words
}

// prepare reads the arguments into the function's own type, whose methods may panic.
func (s *Server) prepare(ctx context.Context, e *entry, args json.RawMessage) (_ runner, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = s.log.panicked(ctx, "reading them", p, debug.Stack())
		}
	}()
	return e.prepare(args)
}

// decode reads arguments, keeping the digits of numbers. What is validated is what runs:
// of two members of one name the last counts, as everywhere after this.
func decode(raw json.RawMessage) (any, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return map[string]any{}, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, errors.New("the arguments are not JSON")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the arguments are more than one JSON value")
	}
	if _, ok := value.(map[string]any); !ok {
		return nil, errors.New("the arguments must be a JSON object")
	}
	if !reckonable(value) {
		return nil, fmt.Errorf("the arguments hold a number with an exponent over %d", maxExponent)
	}
	return value, nil
}

// maxExponent bounds numbers: a few bytes may stand for one of a million digits, and the
// validator cannot take a larger one at all.
const maxExponent = 1000

// reckonable tells whether every number in value is one that can be compared with others.
func reckonable(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		for _, member := range v {
			if !reckonable(member) {
				return false
			}
		}
	case []any:
		for _, item := range v {
			if !reckonable(item) {
				return false
			}
		}
	case json.Number:
		if at := strings.IndexAny(v.String(), "eE"); at >= 0 {
			n, err := strconv.Atoi(v.String()[at+1:])
			return err == nil && n <= maxExponent && n >= -maxExponent
		}
	}
	return true
}

// whole writes whole numbers without a fraction, which Go's integers do not take though
// a schema does: 5.0 is the integer 5.
func whole(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = whole(member)
		}
	case []any:
		for i, item := range v {
			v[i] = whole(item)
		}
	case json.Number:
		if head, zeros, ok := strings.Cut(v.String(), "."); ok && strings.Trim(zeros, "0") == "" {
			return json.Number(head)
		}
	}
	return value
}

// mostFaults is how many faults of one call are told, and mostWords how many bytes of each:
// a validator names every member that is not allowed.
const mostFaults, mostWords = 5, 300

// faults puts what the validator found in words: the innermost causes, each with its
// place.
func faults(err error) error {
	var found *jsonschema.ValidationError
	if !errors.As(err, &found) {
		return fmt.Errorf("the arguments do not fit the schema: %w", err)
	}
	var told []string
	leaves(found, func(leaf *jsonschema.ValidationError) {
		if len(told) < mostFaults {
			told = append(told, short(place(leaf.InstanceLocation)+leaf.Message))
		}
	})
	return fmt.Errorf("the arguments do not fit the schema: %s", strings.Join(told, "; "))
}

func short(text string) string {
	if len(text) <= mostWords {
		return text
	}
	return strings.ToValidUTF8(text[:mostWords], "") + "…"
}

func leaves(e *jsonschema.ValidationError, visit func(*jsonschema.ValidationError)) {
	if len(e.Causes) == 0 {
		visit(e)
	}
	for _, cause := range e.Causes {
		leaves(cause, visit)
	}
}

func place(pointer string) string {
	if pointer == "" {
		return ""
	}
	return pointer + ": "
}

// unfit says that a value of the right type does not fit the tool's own, such as a
// number that is too large.
func unfit(err error) error {
	var mistyped *json.UnmarshalTypeError
	if errors.As(err, &mistyped) {
		return fmt.Errorf("the arguments do not fit the tool: %s cannot be a %s", mistyped.Field, mistyped.Value)
	}
	return fmt.Errorf("the arguments do not fit the tool: %w", err)
}
