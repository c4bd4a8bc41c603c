package errclass

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"syscall"
)

// Fault is how a call failed that got no answer, or none that can be read.
type Fault string

// The faults.
const (
	Unreachable Fault = "unreachable" // no connection could be made, so nothing was sent
	Closed      Fault = "closed"      // the connection, or the process, ended before the answer
	TimedOut    Fault = "timed out"   // no answer came in time
	Cancelled   Fault = "cancelled"   // the caller gave up
	Malformed   Fault = "malformed"   // the answer is none: no JSON, no JSON-RPC
	TooLong     Fault = "too long"    // the answer is over the limit
)

// faults says what each fault is in the contract. Some would only come again.
var faults = map[Fault]struct {
	verdict
	again bool
}{
	Unreachable: {verdict{Transient, NotRun}, true},
	Closed:      {verdict{Transient, Unknown}, true},
	TimedOut:    {verdict{Timeout, Unknown}, true},
	Cancelled:   {verdict{Timeout, Unknown}, false},
	Malformed:   {verdict{Transient, Unknown}, true},
	TooLong:     {verdict{Transient, Unknown}, false},
}

// FromTransport classifies a call that got no answer. A caller that knows the fault says so, any other
// passes [FaultOf] the error. The message is that of err.
func FromTransport(fault Fault, err error, call Call) Error {
	f, ok := faults[fault]
	if !ok {
		f = faults[Closed]
	}
	message := string(fault)
	if err != nil {
		message = err.Error()
	}
	e := New(f.class, Transport, f.outcome, message, call)
	if !f.again {
		e.Retryable, e.SuggestedBackoff = false, 0
	}
	return e
}

// FaultOf returns the fault that an error of the standard library stands for, at any depth, and
// [Closed] for any other: of a call that may have been sent the worst must be assumed.
func FaultOf(err error) Fault {
	var timeout interface{ Timeout() bool }
	_, notDialled := errors.AsType[*net.DNSError](err)
	_, notStarted := errors.AsType[*exec.Error](err)
	_, notJSON := errors.AsType[*json.SyntaxError](err)
	_, otherJSON := errors.AsType[*json.UnmarshalTypeError](err)
	op, isOp := errors.AsType[*net.OpError](err)
	switch {
	case errors.Is(err, context.Canceled):
		return Cancelled
	case isOp && op.Op == "dial", notDialled, notStarted, errors.Is(err, syscall.ECONNREFUSED):
		return Unreachable
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return TimedOut
	case notJSON, otherJSON:
		return Malformed
	}
	return Closed
}
