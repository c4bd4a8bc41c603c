package errclass

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// hints are what an error says in a form that programs read, beside its code.
type hints struct {
	class   Class // empty if nothing is said
	outcome Outcome
	status  int // the HTTP status that is named, 0 if none
	wait    time.Duration
	waits   bool // wait is set
}

// canonical are the codes of google.rpc.Code, which A2A over HTTP names in its errors (A2A 1.0 §11.6).
var canonical = map[string]verdict{
	"CANCELLED":           {Timeout, Unknown},
	"UNKNOWN":             {Transient, Failed},
	"INVALID_ARGUMENT":    {InvalidArgs, NotRun},
	"DEADLINE_EXCEEDED":   {Timeout, Unknown},
	"NOT_FOUND":           {NotFound, NotRun},
	"ALREADY_EXISTS":      {Conflict, NotRun},
	"PERMISSION_DENIED":   {Permission, NotRun},
	"UNAUTHENTICATED":     {Auth, NotRun},
	"RESOURCE_EXHAUSTED":  {RateLimit, NotRun},
	"FAILED_PRECONDITION": {Conflict, NotRun},
	"ABORTED":             {Conflict, Failed},
	"OUT_OF_RANGE":        {InvalidArgs, NotRun},
	"UNIMPLEMENTED":       {NotFound, NotRun},
	"INTERNAL":            {Transient, Failed},
	"UNAVAILABLE":         {Transient, NotRun},
	"DATA_LOSS":           {Transient, Failed},
}

// The members in which hints stand. Those of the first kind hold a class of this contract, the name of a
// canonical code, or an HTTP status.
var (
	codeMembers   = []string{"class", "reason", "status", "statusCode", "status_code", "httpStatus", "http_status", "code"}
	secondMembers = []string{"retryAfter", "retry_after", "retryAfterSeconds", "retry_after_seconds"}
	milliMembers  = []string{"retryAfterMs", "retry_after_ms", "suggested_backoff_ms"}
)

// readHints reads hints from an object, from the object under its member error, or from the details of
// an error (google.rpc.ErrorInfo and RetryInfo). Whatever is not understood says nothing.
func readHints(data json.RawMessage) hints {
	var h hints
	for _, object := range objects(data, maxHintDepth) {
		h.read(object)
	}
	if h.class == "" && h.waits {
		h.class, h.outcome = RateLimit, NotRun // who says when to come again refuses until then
	}
	return h
}

// maxHintDepth is how deep objects in objects are looked into.
const maxHintDepth = 4

// objects returns the objects of data in which hints may stand, the innermost first, as they say most.
func objects(data json.RawMessage, depth int) []map[string]json.RawMessage {
	if depth == 0 {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		list = []json.RawMessage{data}
	}
	var found []map[string]json.RawMessage
	for _, item := range list {
		var object map[string]json.RawMessage
		if json.Unmarshal(item, &object) != nil || object == nil {
			continue
		}
		for _, inner := range []string{"details", "error"} {
			if object[inner] != nil {
				found = append(found, objects(object[inner], depth-1)...)
			}
		}
		found = append(found, object)
	}
	return found
}

// read takes what the object says and nothing has said before.
func (h *hints) read(object map[string]json.RawMessage) {
	for _, name := range codeMembers {
		if h.class == "" {
			h.readCode(object[name])
		}
	}
	for _, name := range secondMembers {
		h.readWait(object[name], time.Second)
	}
	for _, name := range milliMembers {
		h.readWait(object[name], time.Millisecond)
	}
	var delay string // google.rpc.RetryInfo: "3.5s"
	if json.Unmarshal(object["retryDelay"], &delay) == nil {
		if wait, err := time.ParseDuration(delay); err == nil && !h.waits {
			h.wait, h.waits = bounded(wait), true
		}
	}
}

func (h *hints) readCode(raw json.RawMessage) {
	var status int
	var name string
	switch {
	case json.Unmarshal(raw, &status) == nil && status >= 400 && status < 600:
		v := ofStatus(status)
		h.class, h.outcome, h.status = v.class, v.outcome, status
	case json.Unmarshal(raw, &name) == nil:
		h.readName(name)
	}
}

func (h *hints) readName(name string) {
	if p, ok := contract[Class(name)]; ok {
		h.class, h.outcome = Class(name), p.outcome
	} else if code, ok := a2aReasons[name]; ok {
		h.class, h.outcome = a2aCodes[code].class, a2aCodes[code].outcome
	} else if v, ok := canonical[name]; ok {
		h.class, h.outcome = v.class, v.outcome
	}
}

func (h *hints) readWait(raw json.RawMessage, unit time.Duration) {
	if h.waits || len(raw) == 0 {
		return
	}
	h.wait, h.waits = number(strings.Trim(string(raw), `"`), unit)
}

// or returns what the hints say, and v where they say nothing.
func (h hints) or(v verdict) verdict {
	if h.class == "" {
		return v
	}
	return verdict{h.class, h.outcome}
}

// addWait adds how long to wait, where that has a meaning.
func (h hints) addWait(e Error, now time.Time) Error {
	if h.waits && slices.Contains([]Class{RateLimit, Transient}, e.Class) {
		return e.withWait(h.wait, now)
	}
	return e
}
