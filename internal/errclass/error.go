package errclass

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Source is who says that a call failed.
type Source string

// The sources.
const (
	Upstream  Source = "upstream"  // the peer that was called
	Transport Source = "transport" // nobody: the way to the peer broke
	Bridge    Source = "bridge"    // the bridge, of itself
	Relay     Source = "relay"     // the relay, of itself
)

// Error is a failed call as the contract tells it. It is made by [New] or one of the From functions,
// so that its members agree.
type Error struct {
	Class            Class
	Retryable        bool          // the same call may be sent again
	SuggestedBackoff time.Duration // how long to wait before that; 0 where it is not retryable
	Message          string
	Action           Action
	Context          Context
}

// Context is where a failure comes from.
type Context struct {
	Source       Source
	UpstreamCode int       // the HTTP status or the JSON-RPC code of the peer; 0 if there is none
	ResetAt      time.Time // when the peer will take calls again; zero if it did not say
	Outcome      Outcome
}

// defaultBackoff is suggested where the peer suggests nothing.
const defaultBackoff = time.Second

// New returns a failure with everything that follows from its class and from the call.
func New(class Class, source Source, outcome Outcome, message string, call Call) Error {
	p := contract[class]
	e := Error{
		Class:     class,
		Retryable: p.retryable && call.repeatable(),
		Message:   message,
		Action:    p.action,
		Context:   Context{Source: source, Outcome: outcome},
	}
	if e.Retryable {
		e.SuggestedBackoff = defaultBackoff
	}
	return e
}

// withCode says which code of the peer the failure comes from.
func (e Error) withCode(code int) Error {
	e.Context.UpstreamCode = code
	return e
}

// withWait says how long the peer asks to wait, from now. That is told even where the call must not be
// sent again, for others that may.
func (e Error) withWait(wait time.Duration, now time.Time) Error {
	e.Context.ResetAt = now.Add(wait)
	if e.Retryable {
		e.SuggestedBackoff = wait
	}
	return e
}

// Error implements error.
func (e Error) Error() string {
	if e.Message == "" {
		return string(e.Class)
	}
	return fmt.Sprintf("%s: %s", e.Class, e.Message)
}

// MarshalJSON writes the envelope {"error":{…}}.
func (e Error) MarshalJSON() ([]byte, error) {
	body := envelope{
		Class: e.Class, Retryable: e.Retryable, Message: e.Message, Action: e.Action,
		Context: origin{
			Source: e.Context.Source, UpstreamCode: e.Context.UpstreamCode, Outcome: e.Context.Outcome,
		},
	}
	if e.Retryable {
		ms := ceil(e.SuggestedBackoff, time.Millisecond)
		body.BackoffMS = &ms
	}
	if !e.Context.ResetAt.IsZero() {
		at := ceil(time.Duration(e.Context.ResetAt.Nanosecond()), time.Second) + e.Context.ResetAt.Unix()
		body.Context.ResetAt = &at
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // whoever marshals the whole decides that
	err := enc.Encode(map[string]envelope{"error": body})
	return out.Bytes(), err
}

// ceil returns d in whole units, rounded up: who comes too early is refused again.
func ceil(d, unit time.Duration) int64 {
	return int64((d + unit - 1) / unit)
}

type envelope struct {
	Class     Class  `json:"class"`
	Retryable bool   `json:"retryable"`
	BackoffMS *int64 `json:"suggested_backoff_ms"` // null where the call is not retryable
	Message   string `json:"message"`
	Action    Action `json:"action"`
	Context   origin `json:"context"`
}

type origin struct {
	Source       Source  `json:"source"`
	UpstreamCode int     `json:"upstream_code,omitempty"`
	ResetAt      *int64  `json:"reset_at,omitempty"` // seconds since 1970
	Outcome      Outcome `json:"outcome"`
}
