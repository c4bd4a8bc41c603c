package errclass

import (
	"encoding/json"
	"net/http"
	"time"
)

// FromA2AREST classifies an HTTP response of an A2A agent over its HTTP binding that is no success: by
// the reason in its body, else by the canonical code there (A2A 1.0 §11.6), else by the status. The
// statuses of A2A errors changed from 1.0.0 to 1.0.1, the reasons did not.
func FromA2AREST(status int, h http.Header, body []byte, now time.Time, call Call) Error {
	e := FromHTTP(status, h, now, call)
	var told struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &told) == nil && told.Error.Message != "" {
		e.Message = told.Error.Message
	}
	hint := readHints(body)
	if hint.class == "" || hint.status != 0 {
		return hint.addWait(e, now)
	}
	e = New(hint.class, Upstream, hint.outcome, e.Message, call).withCode(status)
	return hint.addWait(withHeader(e, h, now), now)
}
