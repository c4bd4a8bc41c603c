package a2a

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/peerwright/peerwright/internal/wire"
)

// problemKind says which rule a problem breaks.
type problemKind string

// The kinds of problem.
const (
	missing   problemKind = "a required member is not there"
	ambiguous problemKind = "not exactly one of several members"
	misspelt  problemKind = "a word that is not one of those allowed"
	snakeCase problemKind = "a member in snake_case"
	badTime   problemKind = "a timestamp that is not UTC"
	mistyped  problemKind = "a value of another type"
)

// problem is one thing that is wrong with an object.
type problem struct {
	kind             problemKind
	expected, actual string
}

// checker collects the problems of one document.
type checker struct {
	shapes   map[string]shape
	problems []problem
}

// check compares a document with a shape of the dialect, and everything in it with
// theirs. A dialect whose shapes are not known gives no problems.
func check(d dialect, shapeName string, raw json.RawMessage) []problem {
	c := &checker{shapes: d.shapes()}
	if s, known := c.shapes[shapeName]; known {
		c.object(shapeName, s, raw)
	}
	return c.problems
}

func (c *checker) report(kind problemKind, expected, actual string) {
	c.problems = append(c.problems, problem{kind, expected, actual})
}

// object checks raw, which stands at path, as an object of the shape.
func (c *checker) object(path string, s shape, raw json.RawMessage) {
	members, err := wire.Members(raw)
	if err != nil {
		c.report(mistyped, path+" to be an object", clip(string(raw)))
		return
	}
	there := map[string]json.RawMessage{}
	for _, m := range members {
		if string(m.Value) != "null" || m.Name == "data" { // null is a value of data, and absence elsewhere
			there[m.Name] = m.Value
		}
	}
	c.presence(path, s, there, raw)
	for _, name := range slices.Sorted(maps.Keys(s.members)) {
		m := s.members[name]
		if _, snake := there[m.snake]; snake {
			c.report(snakeCase, path+"."+name, "the member "+m.snake)
		}
		if value, ok := there[name]; ok {
			c.value(path+"."+name, m, value)
		}
	}
	if more, ok := s.byKind[text(raw, "kind")]; ok {
		c.object(path, more, raw)
	}
}

func (c *checker) presence(path string, s shape, there map[string]json.RawMessage, raw json.RawMessage) {
	for _, name := range s.required {
		if _, ok := there[name]; !ok {
			c.report(missing, path+" with the member "+name, clip(string(raw)))
		}
	}
	if len(s.oneOf) == 0 {
		return
	}
	var found []string
	for _, name := range s.oneOf {
		if _, ok := there[name]; ok {
			found = append(found, name)
		}
	}
	if len(found) != 1 {
		c.report(ambiguous, path+" with exactly one of "+strings.Join(s.oneOf, ", "), clip(string(raw)))
	}
}

func (c *checker) value(path string, m member, raw json.RawMessage) {
	switch {
	case m.many:
		c.array(path, m, raw)
	case m.shape != "":
		c.object(path, c.shapes[m.shape], raw)
	case m.words != nil:
		if value, ok := wire.Text(raw); !ok || !slices.Contains(m.words, value) {
			c.report(misspelt, path+" to be one of "+strings.Join(m.words, ", "), clip(string(raw)))
		}
	case m.instant:
		value, _ := wire.Text(raw)
		if _, err := time.Parse(time.RFC3339Nano, value); err != nil || !strings.HasSuffix(value, "Z") {
			c.report(badTime, path+" to be an ISO 8601 time in UTC, ending in Z", clip(string(raw)))
		}
	}
}

func (c *checker) array(path string, m member, raw json.RawMessage) {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		c.report(mistyped, path+" to be an array", clip(string(raw)))
		return
	}
	if m.notEmpty && len(items) == 0 {
		c.report(missing, path+" to have an element", "[]")
	}
	for _, item := range items {
		if m.shape == "Message" && ofUser(item) {
			continue // history hands back what a client said, whatever that was
		}
		c.object(path+"[]", c.shapes[m.shape], item)
	}
}

func ofUser(message json.RawMessage) bool {
	role := text(message, "role")
	return role == "user" || role == "ROLE_USER"
}
