package toolserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Ask is what a confirmation hook is asked: may this call run?
type Ask struct {
	Server, Tool, Description string
	Caller                    string
	// Arguments are the very ones that the tool will get, secrets included: who decides
	// must see what will happen.
	Arguments json.RawMessage
	// User reaches the person at the client; nil where there is no way.
	User User
}

// Question puts the ask in a sentence for a person. Whatever could move a terminal's
// cursor or turn text around is written out.
func (a Ask) Question() string {
	return fmt.Sprintf("Allow %s of %s with %s?", a.Tool, a.Server, printable(string(a.Arguments)))
}

// Confirm decides about a destructive call. It is called for valid calls only, by a
// goroutine of its own for each, and may take until its context ends. A call is denied
// when it returns false, an error, panics, or does not return in time.
type Confirm func(ctx context.Context, ask Ask) (bool, error)

// ErrCannotAsk is wrapped by hooks that have nobody to ask; the call is denied.
var ErrCannotAsk = errors.New("there is nobody to ask")

// Allowlist allows the named tools, whatever their arguments, for servers that run
// where nobody sits.
func Allowlist(tools ...string) Confirm {
	tools = slices.Clone(tools)
	return func(_ context.Context, ask Ask) (bool, error) { return slices.Contains(tools, ask.Tool), nil }
}

// FirstOf asks one hook after another until one of them has somebody to ask.
func FirstOf(hooks ...Confirm) Confirm {
	hooks = slices.Clone(hooks)
	return func(ctx context.Context, ask Ask) (bool, error) {
		for _, hook := range hooks {
			if ok, err := hook(ctx, ask); !errors.Is(err, ErrCannotAsk) {
				return ok, err
			}
		}
		return false, ErrCannotAsk
	}
}

// confirmed asks the hook, and returns why the call is denied, nil when it is not.
func (s *Server) confirmed(ctx context.Context, e *entry, c Call) error {
	if s.opts.Confirm == nil {
		return errors.New("it is destructive, and this server has no confirmation hook")
	}
	ctx, stop := context.WithTimeoutCause(ctx, s.opts.ConfirmTimeout, errNoDecision(s.opts.ConfirmTimeout))
	defer stop()
	ask := Ask{Server: s.name, Tool: e.Name, Description: e.Description, Caller: c.Caller, Arguments: slices.Clone(c.Arguments), User: c.User}
	if u, ok := c.User.(*user); ok {
		ask.User = u.about(e.Name, c.Arguments)
	}
	answer := make(chan error, 1)
	go s.decide(ctx, ask, answer)
	select {
	case err := <-answer:
		if ctx.Err() != nil && !isPending(err) {
			return context.Cause(ctx) // an answer after the end is none
		}
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func errNoDecision(d time.Duration) error { return fmt.Errorf("nobody decided within %s", d) }

// decide calls the hook; nil is a yes. There is always an answer.
func (s *Server) decide(ctx context.Context, ask Ask, answer chan<- error) {
	err := errors.New("the confirmation hook ended its goroutine")
	defer func() {
		if p := recover(); p != nil {
			err = s.log.panicked(ctx, "the confirmation hook", p, debug.Stack())
		}
		answer <- err
	}()
	ok, failed := s.opts.Confirm(ctx, ask)
	switch {
	case failed != nil:
		err = fmt.Errorf("it was not confirmed: %w", failed)
	case !ok:
		err = errors.New("it was not confirmed")
	default:
		err = nil
	}
}

// printable writes out what is no plain character.
func printable(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u{%X}`, r)
		}
	}
	return b.String()
}
