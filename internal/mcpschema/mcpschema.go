// Package mcpschema holds the project's own wire schemas of MCP, keyed by method and
// revision, and judges results, notifications and errors of a server by them.
//
// The schemas are written from the specification: its TypeScript schema, which it
// calls the source of truth, and its prose, where that forbids what the published
// schemas let pass. Unknown members are always allowed. It stands on the standard
// library and the validator alone, and imports nothing of this module.
//
// https://modelcontextprotocol.io/specification/2026-07-28/schema
package mcpschema

import "strconv"

// MaxBytes is the size from which on a value is not judged: decoding a larger one
// costs many times its bytes.
const MaxBytes = 8 << 20

// The tables of methods.json.
const (
	results       = "results"
	notifications = "notifications"
	faults        = "errors"
)

// Known tells whether the revision defines a result or a notification by the name of
// method, so that Result or Notification have something to judge by.
func Known(revision, method string) bool {
	return find(revision, results, method) != nil || find(revision, notifications, method) != nil
}

// KnownFailure tells the same of Failure and an error code.
func KnownFailure(revision string, code int64) bool {
	return find(revision, faults, strconv.FormatInt(code, 10)) != nil
}

// Result judges the result of a request by its method, as the revision defines it. It
// returns an *Error when something is wrong. What cannot be judged is not wrong: a
// result of a request that the revision does not know, of more than MaxBytes, or with
// a number of four hundred digits.
func Result(revision, method string, result []byte) error {
	return judge(revision, results, method, result)
}

// Notification judges the params of a notification in the same way; params that are
// absent count as {}.
func Notification(revision, method string, params []byte) error {
	if len(params) == 0 {
		params = []byte("{}")
	}
	return judge(revision, notifications, method, params)
}

// Failure judges the error member of a response by its code. Codes that the revision
// gives no data of their own are not judged.
func Failure(revision string, code int64, fault []byte) error {
	return judge(revision, faults, strconv.FormatInt(code, 10), fault)
}

func judge(revision, table, name string, raw []byte) error {
	s := find(revision, table, name)
	if s == nil || len(raw) > MaxBytes {
		return nil
	}
	value, err := decode(raw)
	if err != nil {
		return &Error{Message: err.Error()}
	}
	if holdsVast(value) {
		return nil
	}
	if err := s.Validate(value); err != nil {
		return explain(err, value)
	}
	return nil
}
