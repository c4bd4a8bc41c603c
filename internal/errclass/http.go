package errclass

import (
	"fmt"
	"net/http"
	"time"
)

// verdict is what a code says.
type verdict struct {
	class   Class
	outcome Outcome
}

// statuses are the HTTP statuses that say more than their hundred does (RFC 9110 §15, RFC 6585).
var statuses = map[int]verdict{
	http.StatusUnauthorized:                  {Auth, NotRun},
	http.StatusPaymentRequired:               {Permission, NotRun},
	http.StatusForbidden:                     {Permission, NotRun},
	http.StatusNotFound:                      {NotFound, NotRun},
	http.StatusMethodNotAllowed:              {NotFound, NotRun},
	http.StatusProxyAuthRequired:             {Auth, NotRun},
	http.StatusRequestTimeout:                {Timeout, NotRun},
	http.StatusConflict:                      {Conflict, Failed},
	http.StatusGone:                          {NotFound, NotRun},
	http.StatusPreconditionFailed:            {Conflict, NotRun},
	http.StatusMisdirectedRequest:            {Transient, NotRun},
	http.StatusLocked:                        {Conflict, NotRun},
	http.StatusFailedDependency:              {Conflict, Failed},
	http.StatusTooEarly:                      {Transient, NotRun},
	http.StatusPreconditionRequired:          {Conflict, NotRun},
	http.StatusTooManyRequests:               {RateLimit, NotRun},
	http.StatusUnavailableForLegalReasons:    {Permission, NotRun},
	http.StatusNotImplemented:                {NotFound, NotRun},
	http.StatusBadGateway:                    {Transient, Unknown},
	http.StatusServiceUnavailable:            {Transient, NotRun},
	http.StatusGatewayTimeout:                {Transient, Unknown},
	http.StatusHTTPVersionNotSupported:       {InvalidArgs, NotRun},
	http.StatusNetworkAuthenticationRequired: {Auth, NotRun},
}

// ofStatus returns what a status says that is no success. One that nobody knows is taken for the first
// of its hundred (RFC 9110 §15).
func ofStatus(status int) verdict {
	if v, ok := statuses[status]; ok {
		return v
	}
	switch status / 100 {
	case 3: // followed by whoever may; what is left leads nowhere
		return verdict{NotFound, NotRun}
	case 4:
		return verdict{InvalidArgs, NotRun}
	}
	return verdict{Transient, Failed}
}

// FromHTTP classifies an HTTP response that is no success. The message names the status; a caller that
// has read the body may put something better there.
func FromHTTP(status int, h http.Header, now time.Time, call Call) Error {
	v := ofStatus(status)
	if status == http.StatusForbidden && rateLimited(h) {
		v = verdict{RateLimit, NotRun}
	}
	message := fmt.Sprintf("the peer answered with HTTP status %d %s", status, http.StatusText(status))
	return withHeader(New(v.class, Upstream, v.outcome, message, call).withCode(status), h, now)
}

// withHeader adds what the header says of when to come again.
func withHeader(e Error, h http.Header, now time.Time) Error {
	wait, ok := time.Duration(0), false
	switch e.Class {
	case RateLimit:
		wait, ok = RetryAfter(h, now)
	case Transient:
		wait, ok = retryAfterField(h, now)
	}
	if ok {
		return e.withWait(wait, now)
	}
	return e
}
