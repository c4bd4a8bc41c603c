package functions

import (
	"cmp"
	"slices"
	"strings"
)

// Catalog is a set of tools, found by name. It is made by Build, does not change, and is
// safe for use by many goroutines.
type Catalog struct {
	tools    []Tool
	function map[string]int // by function name
	original map[string]int // by the tool's own name; -1 where several have it
}

func (c *Catalog) index() {
	c.function, c.original = make(map[string]int, len(c.tools)), make(map[string]int, len(c.tools))
	for i, t := range c.tools {
		c.function[t.Function] = i
		if _, there := c.original[t.Name]; there {
			i = -1
		}
		c.original[t.Name] = i
	}
}

// Tools lists the tools in the order of the listings. The slice is shared: it is to be read only.
func (c *Catalog) Tools() []Tool { return c.tools }

// Find returns the tool with that function name, or else the one whose own name it is,
// where only one server has it.
func (c *Catalog) Find(name string) (Tool, bool) {
	if i, ok := c.function[name]; ok {
		return c.tools[i], true
	}
	if i, ok := c.original[name]; ok && i >= 0 {
		return c.tools[i], true
	}
	return Tool{}, false
}

// Check compiles all schemas, and tells which cannot be used. Arguments and results of
// those tools are passed on unchecked. What is compiled here is not compiled again.
func (c *Catalog) Check() []Problem {
	var problems []Problem
	for _, t := range c.tools {
		for _, s := range []struct {
			name   string
			schema *schema
		}{{"inputSchema", t.input}, {"outputSchema", t.output}} {
			if err := s.schema.compile(); err != nil {
				problems = append(problems, Problem{t.Server, label(t.Name, 0), "nothing is checked by its " + s.name + ": " + err.Error()})
			}
		}
	}
	return problems
}

// maxNear is how many names Nearest returns.
const maxNear = 3

// Nearest returns the function names most like the name, the likest first; none where
// nothing is like it.
func (c *Catalog) Nearest(name string) []string {
	type near struct {
		name     string
		distance int
	}
	if len(name) > maxFunction {
		name = name[:maxFunction]
	}
	var found []near
	for _, t := range c.tools {
		d := min(distance(name, t.Function), distance(name, t.Name[:min(len(t.Name), maxFunction)]))
		if d <= max(2, len(name)/3) {
			found = append(found, near{t.Function, d})
		}
	}
	slices.SortFunc(found, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, n := range found[:min(len(found), maxNear)] {
		names = append(names, n.name)
	}
	return names
}

// distance counts the letters to change, put in or take out to make b of a.
func distance(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
