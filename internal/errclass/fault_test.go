package errclass

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

func TestFromTransport(t *testing.T) {
	tests := map[Fault]struct {
		class           Class
		outcome         Outcome
		read, unchecked bool // a read, a mutation with neither key nor annotation: may be sent again
	}{
		Unreachable: {Transient, NotRun, true, false},
		Closed:      {Transient, Unknown, true, false},
		TimedOut:    {Timeout, Unknown, true, false},
		Cancelled:   {Timeout, Unknown, false, false},
		Malformed:   {Transient, Unknown, true, false},
		TooLong:     {Transient, Unknown, false, false},
		"surprise":  {Transient, Unknown, true, false},
	}
	for fault, tt := range tests {
		e := FromTransport(fault, errors.New("m"), read)
		if e.Class != tt.class || e.Context.Outcome != tt.outcome || e.Retryable != tt.read || e.Context.Source != Transport || e.Message != "m" {
			t.Errorf("%s of a read: %+v", fault, e)
		}
		if (e.SuggestedBackoff > 0) != tt.read {
			t.Errorf("%s: backoff %s", fault, e.SuggestedBackoff)
		}
		for call, want := range map[Call]bool{mutation: tt.unchecked, idempotent: tt.read, keyed: tt.read} {
			if e := FromTransport(fault, nil, call); e.Retryable != want || e.Message != string(fault) {
				t.Errorf("%s of %+v: %+v", fault, call, e)
			}
		}
	}
	if len(tests) != len(faults)+1 {
		t.Errorf("%d faults are tested of %d", len(tests)-1, len(faults))
	}
}

func TestFaultOf(t *testing.T) {
	var syntax, kind error
	syntax = json.Unmarshal([]byte("{"), &struct{}{})
	kind = json.Unmarshal([]byte("[]"), &struct{}{})
	dial := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	_, noProgram := exec.LookPath("no-such-program-here")
	for name, tt := range map[string]struct {
		err  error
		want Fault
	}{
		"deadline":            {context.DeadlineExceeded, TimedOut},
		"deadline, wrapped":   {&url.Error{Op: "Post", Err: fmt.Errorf("x: %w", context.DeadlineExceeded)}, TimedOut},
		"deadline of a pipe":  {os.ErrDeadlineExceeded, TimedOut},
		"read timed out":      {&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, TimedOut},
		"cancelled":           {fmt.Errorf("x: %w", context.Canceled), Cancelled},
		"refused":             {&url.Error{Op: "Post", Err: dial}, Unreachable},
		"dial timed out":      {&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, Unreachable},
		"no such host":        {&net.DNSError{IsNotFound: true}, Unreachable},
		"no such program":     {noProgram, Unreachable},
		"no JSON":             {syntax, Malformed},
		"other JSON":          {kind, Malformed},
		"end":                 {io.EOF, Closed},
		"reset":               {&net.OpError{Op: "read", Err: syscall.ECONNRESET}, Closed},
		"text says timed out": {errors.New("timed out"), Closed},
		"nothing":             {nil, Closed},
	} {
		if got := FaultOf(tt.err); got != tt.want {
			t.Errorf("%s: %v is %q, want %q", name, tt.err, got, tt.want)
		}
	}
}
