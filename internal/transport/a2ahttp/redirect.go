package a2ahttp

import "fmt"

// RedirectError is a redirect that is not followed. It wraps ErrMalformed.
type RedirectError struct {
	Method string // of the request
	Status int
	From   string // without a user
	To     string // where the redirect leads, without a user and a query; "" when that is no URL
	why    string
}

// Error implements the error interface.
func (e *RedirectError) Error() string { return fmt.Sprintf("%v: %s %s", ErrMalformed, e.From, e.why) }

// Unwrap returns ErrMalformed.
func (e *RedirectError) Unwrap() error { return ErrMalformed }
