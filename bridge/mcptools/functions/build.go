package functions

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/wire"
)

// Tool is a tool of an MCP server as a function. It is made by Build.
type Tool struct {
	Server, Name   string          // the id of the server, and the tool's own name there
	Function       string          // ^[a-zA-Z0-9_-]{1,64}$, unique in its catalogue
	Description    string          // with a warning where the tool changes something
	Parameters     json.RawMessage // the inputSchema, made acceptable
	OutputSchema   json.RawMessage // nil without
	Annotations    *errclass.Annotations
	RawAnnotations json.RawMessage // nil without
	Mutates        bool
	Raw            json.RawMessage // as the server listed it

	input, output *schema
}

// Listing is what one server lists.
type Listing struct {
	Server string // its id
	Tools  []json.RawMessage
}

// Problem is something wrong with the list of a server.
type Problem struct {
	Server string
	Tool   string // its name, or its place in the list as in "#3" where it has none
	What   string
}

// String tells the problem in one line.
func (p Problem) String() string { return fmt.Sprintf("%s: tool %s: %s", p.Server, p.Tool, p.What) }

// maxName is how long a tool's name may be: MCP advises 128 characters.
const maxName = 1024

// Build makes a catalogue of all tools that can be called. Those that cannot are left out,
// with a Problem each.
//
// With one server a function has the name of its tool, with several "server__tool" always:
// what it is called goes by the configuration, and not by what other servers happen to offer.
func Build(servers []Listing) (*Catalog, []Problem) {
	c, problems := &Catalog{}, []Problem(nil)
	for _, s := range servers {
		seen := map[string]bool{}
		for i, raw := range s.Tools {
			t, what := read(s.Server, raw)
			if what == "" && seen[t.Name] {
				what = "a tool of that name stands before it in the list; this one is left out"
			}
			if what != "" {
				problems = append(problems, Problem{Server: s.Server, Tool: label(t.Name, i), What: what})
				continue
			}
			seen[t.Name] = true
			c.tools = append(c.tools, t)
		}
	}
	nameAll(c.tools, len(servers) > 1)
	c.index()
	return c, problems
}

func label(name string, i int) string {
	if name == "" {
		return fmt.Sprintf("#%d", i+1)
	}
	if len(name) > 100 {
		name = name[:100] + "…"
	}
	return fmt.Sprintf("%q", name)
}

// read makes a tool of its listing, or says why it cannot be one.
func read(server string, raw json.RawMessage) (Tool, string) {
	t := Tool{Server: server, Raw: raw}
	if !json.Valid(raw) || wire.Fields(raw) == nil {
		return t, "it is no JSON object with members"
	}
	var ok bool
	if t.Name, ok = wire.Text(wire.Get(raw, "name")); !ok {
		return t, "it has no name that is a string"
	}
	if what := flawOf(t.Name); what != "" {
		return t, what
	}
	input := wire.Get(raw, "inputSchema")
	parameters, what := parametersOf(input)
	if what != "" {
		return t, what
	}
	t.Parameters, t.input = parameters, newSchema(input)
	if out := wire.Get(raw, "outputSchema"); out != nil && string(out) != "null" {
		t.OutputSchema, t.output = out, newSchema(out)
	}
	t.RawAnnotations, t.Annotations = annotationsOf(raw)
	t.Mutates = errclass.Mutates(t.Name, t.Annotations)
	said, _ := wire.Text(wire.Get(raw, "description"))
	t.Description = describe(said, t.Mutates, t.Annotations)
	return t, ""
}

func flawOf(name string) string {
	switch {
	case strings.TrimSpace(name) == "":
		return "its name is blank"
	case len(name) > maxName:
		return fmt.Sprintf("its name is over %d bytes long", maxName)
	case !utf8.ValidString(name) || strings.IndexFunc(name, unicode.IsControl) >= 0:
		return "its name holds control characters, or is no UTF-8"
	}
	return ""
}

// annotationsOf reads each hint for itself, so that one of a wrong type takes no other with it.
func annotationsOf(tool json.RawMessage) (json.RawMessage, *errclass.Annotations) {
	raw := wire.Get(tool, "annotations")
	if wire.Fields(raw) == nil {
		return nil, nil
	}
	hint := func(name string) *bool {
		var b *bool
		if json.Unmarshal(wire.Get(raw, name), &b) != nil {
			return nil // what is no boolean says nothing
		}
		return b
	}
	return raw, &errclass.Annotations{
		ReadOnlyHint: hint("readOnlyHint"), DestructiveHint: hint("destructiveHint"), IdempotentHint: hint("idempotentHint"),
	}
}

// describe appends what a model has to know before it calls a tool again.
func describe(said string, mutates bool, a *errclass.Annotations) string {
	if !mutates {
		return said
	}
	warning := "Warning: this call changes something and is not idempotent: made twice, it may act twice. " +
		"Before a retry verify the state, or give the first call and the retry one X-Idempotency-Key."
	if a != nil && a.IdempotentHint != nil && *a.IdempotentHint {
		warning = "Note: this call changes something, and its server says that it is idempotent: the same call made again changes nothing more. " +
			"An X-Idempotency-Key has it made once."
	}
	if said == "" {
		return warning
	}
	return said + "\n\n" + warning
}
