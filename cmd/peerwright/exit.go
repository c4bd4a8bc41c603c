package main

import (
	"errors"
	"fmt"

	"github.com/peerwright/peerwright/internal/config"
	"github.com/peerwright/peerwright/internal/store"
	"github.com/peerwright/peerwright/internal/transport"
)

// The exit codes, the same for every command.
const (
	exitGood        = 0
	exitBad         = 1 // done, and the answer is bad
	exitUsage       = 2 // usage or configuration error
	exitUnreachable = 3 // a peer could not be started or reached
)

// errTold wraps nothing to print: the output has said it already.
var errTold = errors.New("told")

// errBad says that the work was done and the answer is bad.
var errBad = fmt.Errorf("the answer is bad (%w)", errTold)

// errUnreachable says that the report holds a peer that could not be reached.
var errUnreachable = fmt.Errorf("%w (%w)", transport.ErrUnreachable, errTold)

// exitStatus is the exit status of a command that ran in the place of this program.
type exitStatus int //nolint:errname // it is a status first

func (e exitStatus) Error() string { return fmt.Sprintf("the command ended with status %d", int(e)) }

// Is makes it an error that needs no words: the command has had its own.
func (e exitStatus) Is(target error) bool { return target == errTold }

// usageError is a mistake in what the user wrote.
type usageError struct{ error }

func usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func (e usageError) Unwrap() error { return e.error }

func exitCode(err error) int {
	var misuse usageError
	var misconfigured *config.Error
	var status exitStatus
	switch {
	case err == nil:
		return exitGood
	case errors.As(err, &status):
		return int(status)
	case errors.Is(err, store.ErrUnreachable): // whatever named the store
		return exitUnreachable
	case errors.As(err, &misuse), errors.As(err, &misconfigured):
		return exitUsage
	case errors.Is(err, transport.ErrUnreachable):
		return exitUnreachable
	}
	return exitBad
}
