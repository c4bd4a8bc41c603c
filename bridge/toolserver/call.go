package toolserver

import (
	"context"
	"encoding/json"
)

// Call is one call of a tool, however it came.
type Call struct {
	Tool      string
	Arguments json.RawMessage // an object; empty means {}
	// Caller is who calls, for the audit; "" where nobody said so.
	Caller string
	// Key makes a call of a tool that is not read-only happen once: a second call with
	// the key is answered with what the first came to. "" is no key.
	Key string
	// Correlation is the id under which other logs tell of the call; "" is none.
	Correlation string
	// User reaches the person for whom the client calls; nil where there is no way.
	User User
	// Progress is given to the tool's context; nil where nobody listens.
	Progress func(done, total float64, message string)
}

// User asks the person at the client, for the hook Elicit.
type User interface {
	// Confirm asks whether to go on. It fails with ErrCannotAsk when the client has no
	// way to ask.
	Confirm(ctx context.Context, question string) (bool, error)
}

// Result is what a call came to.
type Result struct {
	Outcome Outcome
	// Text is the result for a model to read, or the message of the failure.
	Text string
	// Structured is the result as a JSON object; nil for text and for failures.
	Structured json.RawMessage
	// Failure says what went wrong; nil when the call succeeded.
	Failure *Failure
	// Replayed tells that an earlier call with the same key had this result.
	Replayed bool

	pending *pendingAnswer // the client's user must answer first
}

type progressKey struct{}

// Progress tells the client of the call whose context it is how far the call is, if it
// asked to be told. A total of 0 is not known.
func Progress(ctx context.Context, done, total float64, message string) {
	if tell, ok := ctx.Value(progressKey{}).(func(done, total float64, message string)); ok && tell != nil {
		tell(done, total, message)
	}
}
