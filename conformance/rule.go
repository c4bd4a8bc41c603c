package conformance

import (
	"slices"

	"github.com/peerwright/peerwright/reporters"
)

// Area is the part of a protocol that a rule belongs to.
type Area string

// The areas.
const (
	Errors        Area = "errors"
	Pagination    Area = "pagination"
	Idempotency   Area = "idempotency"
	Streaming     Area = "streaming"
	Lifecycle     Area = "lifecycle"
	Framing       Area = "framing"
	Schema        Area = "schema"
	Tools         Area = "tools"
	Resources     Area = "resources"
	Prompts       Area = "prompts"
	Subscriptions Area = "subscriptions"
	Tasks         Area = "tasks"
	Cancellation  Area = "cancellation"
	Security      Area = "security"
	Discovery     Area = "discovery"
	Push          Area = "push"
)

// The protocols.
const (
	MCP  = "mcp"
	A2A  = "a2a"
	Chat = "chat" // OpenAI's chat completions
)

// Feature names something that a peer may have: a capability it declares, a
// transport it is reached by, or something it was seen to offer. The packages of
// the protocols list theirs.
type Feature string

// Meta says what a case or a monitor is about.
type Meta struct {
	ID       string // words, stable for ever: mcp.pagination.invalid-cursor
	Title    string // what holds when it passes, in one line
	Protocol string // MCP, A2A or Chat
	Area     Area
	Level    reporters.Level
	// Revisions lists the revisions that have the rule.
	Revisions []string
	// Needs lists what the peer must have for the rule to be exercised.
	Needs []Feature
	// Core marks a rule that any peer of its revisions can be put through.
	Core bool
	Rule reporters.Rule // the rule in our words, and the page that makes it
	Fix  string         // what the author of a peer can do
}

// Plan is what becomes of a rule for one peer before anything is run.
type Plan struct {
	Status reporters.Status // "" when it is to be run
	Reason string
}

// PlanFor decides whether the rule applies to the surveyed peer: not-applicable
// when it is of another revision or needs what the peer does not declare,
// not-verified when the peer declares it and offers nothing to exercise it with.
func (m Meta) PlanFor(s Survey) Plan {
	if !slices.Contains(m.Revisions, s.Revision) {
		return Plan{reporters.NotApplicable, "the rule is not of revision " + s.Revision}
	}
	missing := Plan{}
	for _, need := range m.Needs {
		offer, declared := s.Features[need]
		switch {
		case !declared:
			return Plan{reporters.NotApplicable, "the peer has no " + string(need)}
		case !offer.Usable && missing.Status == "":
			missing = Plan{reporters.NotVerified, offer.Why}
		}
	}
	return missing
}
