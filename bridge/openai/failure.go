package openai

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/wire"
)

// Failure is a failed request with what its class does not say of it. A Backend may
// return one, or an errclass.Error where that is all there is to say.
type Failure struct { //nolint:errname // a failure is what the error contract calls it
	Cause  errclass.Error
	Status int    // HTTP status; 0 means that of the class
	Code   string // OpenAI's error code; "" means that of the class
	Param  string // the member of the request that is wrong, such as messages[0].role; "" for none
	// Beside stands in the envelope beside error: what was done before the failure came.
	// Of a stream it is in the last event.
	Beside []wire.Member
}

// Error implements error.
func (f Failure) Error() string { return f.Cause.Error() }

// Unwrap returns the errclass.Error.
func (f Failure) Unwrap() error { return f.Cause }

// status returns the HTTP status of the failure.
func (f Failure) status() int {
	if f.Status != 0 {
		return f.Status
	}
	return errclass.HTTPStatus(f.Cause.Class)
}

// words are the type and the code that OpenAI's clients know a class by.
//
// https://platform.openai.com/docs/guides/error-codes
var words = map[errclass.Class]struct{ kind, code string }{
	errclass.Auth:        {"invalid_request_error", "invalid_api_key"},
	errclass.Permission:  {"permission_error", "permission_denied"},
	errclass.InvalidArgs: {"invalid_request_error", "invalid_args"},
	errclass.NotFound:    {"invalid_request_error", "not_found"},
	errclass.Conflict:    {"conflict_error", "conflict"},
	errclass.RateLimit:   {"rate_limit_error", "rate_limit_exceeded"},
	errclass.Transient:   {"api_error", "upstream_unavailable"},
	errclass.Timeout:     {"api_error", "timeout"},
}

// internal is what the client is told of a failure that is the bridge's own fault. Its
// text is for the log: who knows what stands in it.
func internal() Failure {
	const message = "The bridge failed at this request through a fault of its own. Its log says more under the id in X-Request-Id."
	e := errclass.New(errclass.Transient, errclass.Bridge, errclass.Unknown, message, errclass.Call{})
	e.Action = errclass.NotApplicable
	return Failure{Cause: e, Status: http.StatusInternalServerError, Code: internalCode}
}

const internalCode = "internal_error"

// asFailure returns err as a Failure: what it holds of one, or an internal one.
func asFailure(err error) Failure {
	if f, ok := errors.AsType[Failure](err); ok {
		return f
	}
	if f, ok := errors.AsType[*Failure](err); ok && f != nil {
		return *f
	}
	if e, ok := errors.AsType[errclass.Error](err); ok {
		return Failure{Cause: e}
	}
	if e, ok := errors.AsType[*errclass.Error](err); ok && e != nil {
		return Failure{Cause: *e}
	}
	return internal()
}

// Envelope returns the document {"error":{…}} of a failure: the members of the error
// contract, and OpenAI's own type, code and param beside them.
func Envelope(err error) json.RawMessage {
	f := asFailure(err)
	known := words[f.Cause.Class]
	if f.Code == internalCode {
		known.kind = "server_error"
	}
	if f.Code != "" {
		known.code = f.Code
	}
	body, _ := f.Cause.MarshalJSON() // strings and numbers always marshal
	dst := append([]byte(`{"error":{"type":`), wire.Quote(known.kind)...)
	dst = append(append(dst, `,"code":`...), wire.Quote(known.code)...)
	dst = append(dst, `,"param":`...)
	if f.Param == "" {
		dst = append(dst, "null"...)
	} else {
		dst = appendString(dst, f.Param)
	}
	dst = append(append(dst, ','), wire.Get(body, "error")[1:]...)
	return append(appendExtras(dst, f.Beside), '}')
}

// WriteError answers with a failure: its status, the envelope, and the headers by which
// a client knows whether and when to come again. It is for routes beside those of this
// package. An err that holds neither a Failure nor an errclass.Error is answered as an
// internal failure, without its text.
func WriteError(w http.ResponseWriter, now time.Time, err error) {
	f := asFailure(err)
	if x, ok := w.(*exchange); ok {
		x.note(f, err)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	// Without it the official clients repeat 409, 429 and 5xx of their own accord.
	h.Set("X-Should-Retry", strconv.FormatBool(f.Cause.Retryable))
	if wait := f.wait(now); wait > 0 {
		h.Set("Retry-After", strconv.FormatInt(ceil(wait, time.Second), 10))
		h.Set("Retry-After-Ms", strconv.FormatInt(ceil(wait, time.Millisecond), 10))
	}
	if f.Cause.Class == errclass.Auth && h.Get("WWW-Authenticate") == "" {
		h.Set("WWW-Authenticate", `Bearer realm="peerwright"`)
	}
	body := Envelope(err)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(f.status())
	_, _ = w.Write(body) // who does not read the answer cannot be told either
}

// wait returns for how long the client is asked to stay away; 0 where nothing says so.
func (f Failure) wait(now time.Time) time.Duration {
	if f.Cause.SuggestedBackoff > 0 {
		return f.Cause.SuggestedBackoff
	}
	if f.Cause.Context.ResetAt.IsZero() {
		return 0
	}
	return f.Cause.Context.ResetAt.Sub(now)
}

// ceil returns d in whole units, rounded up: who comes too early is refused again.
func ceil(d, unit time.Duration) int64 { return int64((d + unit - 1) / unit) }
