package toolserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/peerwright/peerwright/internal/errclass"
)

// Class is the kind of a failure in the canonical error contract, by which a program can
// decide what to do about it.
type Class = errclass.Class

// The classes that the error of a tool may have.
const (
	Auth        = errclass.Auth        // the tool's own credentials are not good
	Permission  = errclass.Permission  // it may not
	InvalidArgs = errclass.InvalidArgs // the arguments mean nothing
	NotFound    = errclass.NotFound    // what they name is not there
	Conflict    = errclass.Conflict    // the state of things does not allow it
	RateLimit   = errclass.RateLimit   // too many calls
	Transient   = errclass.Transient   // it may work another time
	TimedOut    = errclass.Timeout     // it took too long
)

// Failure is a failed call as clients are told of it: by its class, whether it may be sent
// again, and whether it may have had its effect.
type Failure = errclass.Error //nolint:errname // it is told to clients, not returned as an error

// Errorf makes an error of a class, for a tool to return. Format and arguments are those
// of fmt.Errorf.
func Errorf(class Class, format string, args ...any) error {
	return &classed{class, fmt.Errorf(format, args...)}
}

type classed struct {
	class Class
	error
}

func (c *classed) Unwrap() error { return c.error }

// RetryAfter says with an error when the call may be sent again. It is told where the
// class and the tool allow a retry.
func RetryAfter(err error, wait time.Duration) error { return &delayed{wait, err} }

type delayed struct {
	wait time.Duration
	error
}

func (d *delayed) Unwrap() error { return d.error }

// classOf returns the class of a tool's error: the one it was given, else what errors of
// the standard library mean. Of any other nothing is known but that it failed.
func classOf(err error) Class {
	var c *classed
	switch {
	case errors.As(err, &c):
		return c.class
	case errors.Is(err, context.DeadlineExceeded):
		return TimedOut
	case errors.Is(err, fs.ErrNotExist):
		return NotFound
	case errors.Is(err, fs.ErrPermission):
		return Permission
	case errors.Is(err, fs.ErrExist):
		return Conflict
	}
	return Transient
}

// failed makes the failure of a tool that ran.
func failed(err error, call errclass.Call) *Failure {
	f := errclass.New(classOf(err), errclass.Upstream, errclass.Failed, err.Error(), call)
	var d *delayed
	if errors.As(err, &d) && f.Retryable {
		f.SuggestedBackoff = max(d.wait, 0)
	}
	return &f
}

// refused makes the failure of a call that did not run.
func refused(class Class, call errclass.Call, format string, args ...any) *Failure {
	f := errclass.New(class, errclass.Upstream, errclass.NotRun, fmt.Sprintf(format, args...), call)
	return &f
}
