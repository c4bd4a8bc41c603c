package toolserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Tool describes a tool. Only the name is required.
type Tool struct {
	// Name is 1 to 64 letters, digits, "_", "-" and "."; it is what models call it by.
	Name string
	// Title is what people call it; "" means the name.
	Title string
	// Description tells a model what the tool does and when to use it.
	Description string
	// Timeout bounds one call; 0 means Options.Timeout, less means no bound.
	Timeout time.Duration
	// Idempotent says that a second call with the same arguments changes nothing more.
	// A read-only tool is that anyway.
	Idempotent bool
	// OpenWorld says that the tool reaches things beyond this machine, such as the web.
	OpenWorld bool
}

// entry is a tool as the server keeps it.
type entry struct {
	Tool
	tier     Tier
	input    json.RawMessage // the schema of the arguments
	output   json.RawMessage // the schema of structured results; nil for text
	compiled *jsonschema.Schema
	wraps    bool // the result is the member wrapped of an object
	prepare  func(args json.RawMessage) (runner, error)
}

// runner is a call that only waits to be made.
type runner func(ctx context.Context) (any, error)

// names are those that every client and every model takes.
//
// https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names
var names = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// Add makes a tool of the function. The schema of its arguments is made of In, a struct
// or a map with string keys, and that of its results of Out: names and optional members
// as encoding/json has them, descriptions from the tag `jsonschema:"…"`. Arguments that
// do not fit are refused before anything else; members that are not in the struct do not
// fit, and any fit a map.
//
// An Out that is a string is sent as text. Any other is sent as structured content too,
// and what is no JSON object as the member "result" of one.
//
// The context of a call ends with its timeout, and when the client cancels it; a function
// that goes on all the same is left to itself, and what it returns is dropped. Its error
// is told to the client as a failed call; Errorf gives it a class. A panic is an error.
//
// Add fails when the tool has no tier, no usable name or that of another tool, or when
// its types have no schema. A server with a tool that could not be added does not serve,
// so that the error may be left to the end.
func Add[In, Out any](s *Server, tier Tier, t Tool, run func(context.Context, In) (Out, error)) error {
	e, err := build(tier, t, run)
	if err == nil {
		err = s.add(e)
	}
	if err != nil {
		err = fmt.Errorf("adding the tool %q: %w", t.Name, err)
		s.mu.Lock()
		s.wrong = errors.Join(s.wrong, err)
		s.mu.Unlock()
	}
	return err
}

func build[In, Out any](tier Tier, t Tool, run func(context.Context, In) (Out, error)) (*entry, error) {
	switch {
	case !tier.valid():
		return nil, errors.New("it names no tier: use ReadOnly, Write or Destructive")
	case !names.MatchString(t.Name):
		return nil, errors.New(`a name is 1 to 64 letters, digits, "_", "-" and "."`)
	case run == nil:
		return nil, errors.New("there is no function")
	}
	e := &entry{Tool: t, tier: tier}
	if err := e.describe(inputSchema[In], outputSchema[Out]); err != nil {
		return nil, err
	}
	e.prepare = func(args json.RawMessage) (runner, error) {
		var in In
		if err := json.Unmarshal(args, &in); err != nil {
			return nil, err //nolint:wrapcheck // the pipeline says what it was about
		}
		return func(ctx context.Context) (any, error) { return run(ctx, in) }, nil
	}
	return e, nil
}

// add keeps the tool.
func (s *Server) add(e *entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sealed {
		return errors.New("the server serves already")
	}
	if s.tools[e.Name] != nil {
		return errors.New("there is a tool of that name already")
	}
	s.tools[e.Name] = e
	return nil
}

// sorted lists the tools by name.
func (s *Server) sorted() []*entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*entry, 0, len(s.tools))
	for _, e := range s.tools {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b *entry) int { return strings.Compare(a.Name, b.Name) })
	return list
}
