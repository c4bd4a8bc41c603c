package audit

import (
	"encoding/json"
	"time"
)

// Outcome is how a call ended.
type Outcome string

// The outcomes.
const (
	OK      Outcome = "ok"
	Error   Outcome = "error"   // it ran, and failed
	Timeout Outcome = "timeout" // it was given up; it may have had its effect
	Denied  Outcome = "denied"  // it was not allowed, and did not run
	Invalid Outcome = "invalid" // its arguments were wrong, and it did not run
)

// Outcomes lists every outcome.
func Outcomes() []Outcome { return []Outcome{OK, Error, Timeout, Denied, Invalid} }

// Source is which part of the program saw the call.
type Source string

// The sources.
const (
	Toolserver Source = "toolserver"
	Relay      Source = "relay"
)

// Entry is one call.
type Entry struct {
	Seq      int64         `json:"seq"`         // 1 for the first of a file, without gaps; given by the log
	At       time.Time     `json:"at"`          // when the call came; kept to the microsecond, in UTC
	Duration time.Duration `json:"duration_ns"` // until it was answered; kept to the microsecond
	Source   Source        `json:"source"`
	Server   string        `json:"server"` // the name of the tool server, or of the relayed one
	Caller   string        `json:"caller"` // who called, "" where nobody said so
	Tool     string        `json:"tool"`
	Outcome  Outcome       `json:"outcome"`
	Detail   string        `json:"detail,omitempty"` // why it was denied, what the error was
	// Correlation is the id under which logs elsewhere tell of the call.
	Correlation string `json:"correlation,omitempty"`
	// Arguments are those of the call, without their secrets; text that is no JSON
	// stands as a JSON string.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Hash chains the row to the one before, in hexadecimal; given by the log.
	Hash string `json:"hash"`
}

// Filter chooses entries. The zero value chooses all.
type Filter struct {
	Tool, Caller, Server string // "" means any
	Outcome              Outcome
	Source               Source
	Since, Until         time.Time // inclusive; zero means without bound
	Limit                int       // the newest so many; 0 means all
}
