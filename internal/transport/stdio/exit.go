package stdio

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// State is how a server ended. The zero State means that it still runs.
type State struct {
	Ended bool
	// Code is the exit status, as a shell tells it: 128 and the number of the signal
	// where a signal ended it.
	Code   int
	Signal string // the signal that ended it, such as "killed"; "" when it exited by itself
}

// stateOf reads what the system tells of a process that has been waited for.
func stateOf(ps *os.ProcessState) State {
	s := State{Ended: true, Code: ps.ExitCode()}
	if status, ok := ps.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		s.Signal = status.Signal().String()
		s.Code = 128 + int(status.Signal())
	}
	return s
}

// String says the state in words that follow "server".
func (s State) String() string {
	switch {
	case !s.Ended:
		return "closed its stdout and still runs"
	case s.Signal != "":
		return "was ended by signal: " + s.Signal
	default:
		return fmt.Sprintf("exited with status %d", s.Code)
	}
}

// Rung is the step of the ladder on which a server ended.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#stdio
type Rung string

// The rungs, from the mildest.
const (
	RungSelf  Rung = "self"  // it ended before it was asked to
	RungStdin Rung = "stdin" // it ended when its stdin was closed
	RungTerm  Rung = "term"  // it ended on SIGTERM
	RungKill  Rung = "kill"  // only SIGKILL ended it
)

// ExitInfo says how a server ended. The zero ExitInfo means that it has not.
type ExitInfo struct {
	Rung  Rung
	State State
	// LeftBehind tells that the server ended and left processes of its group
	// running, which were then ended by signals.
	LeftBehind bool
}

// ExitError tells that the server ended, or closed its stdout, while the
// conversation was open. It is wrapped together with transport.ErrClosed.
type ExitError struct {
	Args     []string // the command; may hold secrets, and is not part of the text
	State    State
	Answered bool   // whether any message had come from it
	Stderr   string // the last of what it wrote to stderr, at most 8 KiB
	Err      error  // what an in-process server returned
}

// Unwrap returns what an in-process server returned.
func (e *ExitError) Unwrap() error { return e.Err }

// Error names the end, and quotes the last lines of stderr.
func (e *ExitError) Error() string {
	when := "before it answered"
	if e.Answered {
		when = "in the middle of the conversation"
	}
	text := fmt.Sprintf("server %v %s", e.State, when)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if last := lastLines(e.Stderr); last != "" {
		text += "; last lines of its stderr: " + last
	}
	return text
}

// lastLines returns the end of text: at most ten lines and 1 KiB.
func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := strings.Join(lines[max(0, len(lines)-10):], "\n")
	return strings.ToValidUTF8(last[max(0, len(last)-1024):], "")
}
