package errclass

import "net/http"

// Class is the kind of a failure. The zero value is no class.
type Class string

// The classes.
const (
	Auth        Class = "auth"         // who calls is not known
	Permission  Class = "permission"   // who calls may not
	InvalidArgs Class = "invalid_args" // the call itself is wrong
	NotFound    Class = "not_found"    // what is called, or what it is about, is not there
	Conflict    Class = "conflict"     // the state of things does not allow it
	RateLimit   Class = "rate_limit"   // too many calls
	Transient   Class = "transient"    // it may work another time
	Timeout     Class = "timeout"      // no answer in time
)

// Action is what the caller can do about a failure.
type Action string

// The actions.
const (
	FixCredentials   Action = "fix_credentials"
	CheckPermissions Action = "check_permissions"
	FixArguments     Action = "fix_arguments"
	WaitAndRetry     Action = "wait_and_retry"
	Retry            Action = "retry"
	NotApplicable    Action = "not_applicable" // nothing that would help in general
)

// Outcome is what is known of the call itself.
type Outcome string

// The outcomes.
const (
	NotRun  Outcome = "not_run" // it was refused, or never sent: nothing has happened
	Failed  Outcome = "failed"  // it was answered with a failure: part of it may have happened
	Unknown Outcome = "unknown" // it was sent and never answered: it may have happened
)

// property is what the contract says of a class.
type property struct {
	status    int  // the HTTP status for the caller
	retryable bool // if the call is safe to send again
	action    Action
	outcome   Outcome // where only the class is known
}

// contract is the table. A timeout is retryable when the call is, as that is all it depends on.
var contract = map[Class]property{
	Auth:        {http.StatusUnauthorized, false, FixCredentials, NotRun},
	Permission:  {http.StatusForbidden, false, CheckPermissions, NotRun},
	InvalidArgs: {http.StatusUnprocessableEntity, false, FixArguments, NotRun},
	NotFound:    {http.StatusNotFound, false, NotApplicable, NotRun},
	Conflict:    {http.StatusConflict, false, NotApplicable, Failed},
	RateLimit:   {http.StatusTooManyRequests, true, WaitAndRetry, NotRun},
	Transient:   {http.StatusServiceUnavailable, true, Retry, Failed},
	Timeout:     {http.StatusGatewayTimeout, true, NotApplicable, Unknown},
}

// HTTPStatus returns the status with which a failure of this class is passed on to an HTTP caller, and
// 500 for what is no class.
func HTTPStatus(c Class) int {
	if p, ok := contract[c]; ok {
		return p.status
	}
	return http.StatusInternalServerError
}
