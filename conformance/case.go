package conformance

import (
	"context"
	"time"
)

// Case is an active check of one rule.
type Case struct {
	Meta
	// Isolated asks for a conversation of its own: the case breaks rules on purpose,
	// tests the lifecycle, or leaves the conversation in a state that others must
	// not meet.
	Isolated bool
	// Timeout bounds the case; 0 means the harness's own.
	Timeout time.Duration
	// Run puts the peer through the rule. It returns when the rule held; otherwise
	// it ends through the Check.
	Run func(ctx context.Context, c *Check, p Peer)
}

// Monitor is a passive check: it reads what travelled and judges a rule by it.
type Monitor struct {
	Meta
	// Judge reads one conversation.
	Judge func(t Trace) Judgement
}

// Judgement is what a monitor found in one conversation.
type Judgement struct {
	// Exercised counts how often the rule could be seen at work. A monitor that
	// never was is not-verified.
	Exercised  int
	Violations []Violation
}

// Violation is one place where a rule was broken.
type Violation struct {
	Expected string
	Actual   string
	Frames   []int // Seq of the frames that show it
}
