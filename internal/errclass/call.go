package errclass

// Call is what is known of the call that failed. The zero value is the most dangerous: it changes
// something, twice if it is sent twice, and nobody would notice.
type Call struct {
	ReadOnly   bool // it changes nothing
	Idempotent bool // its annotations say that the second time changes nothing more
	Keyed      bool // it carries an idempotency key
}

// repeatable reports whether the call may be sent again. The call alone decides that, whatever the
// outcome is said to be: a gateway says "not run" in good faith, and cannot know.
func (c Call) repeatable() bool {
	return c.ReadOnly || c.Idempotent || c.Keyed
}

// Annotations are those members of ToolAnnotations that say what a tool does (MCP 2025-11-25,
// schema.ts, ToolAnnotations; since 2025-03-26). A nil member was not sent.
type Annotations struct {
	ReadOnlyHint    *bool `json:"readOnlyHint,omitempty"`
	DestructiveHint *bool `json:"destructiveHint,omitempty"`
	IdempotentHint  *bool `json:"idempotentHint,omitempty"`
}

// CallOf returns what is known of a call of the tool with that name and those annotations, nil if it
// has none.
func CallOf(name string, a *Annotations, keyed bool) Call {
	return Call{
		ReadOnly:   !Mutates(name, a),
		Idempotent: a != nil && a.IdempotentHint != nil && *a.IdempotentHint,
		Keyed:      keyed,
	}
}

// Mutates reports whether a tool changes something. Its annotations decide if they say anything: a
// tool that is not said to be read-only is not, as that is the default of readOnlyHint. Only where
// they say nothing does the name decide.
func Mutates(name string, a *Annotations) bool {
	switch {
	case a == nil, *a == Annotations{}:
		return !readsByName(name)
	case a.ReadOnlyHint != nil:
		return !*a.ReadOnlyHint
	}
	return true
}
