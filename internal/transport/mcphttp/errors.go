package mcphttp

import (
	"errors"
	"fmt"
	"net/http"
)

// ErrCancelled is the cause of an exchange that Cancel ended.
var ErrCancelled = errors.New("cancelled by closing its stream")

// StatusError says that the peer answered a request with an HTTP status that is
// not a success. A body that is a JSON-RPC message was handed out before it.
//
// 404 to a request that carried a session id means that the session is over: the
// caller is to call Conn.Forget and to initialize anew.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
type StatusError struct {
	Method string // the HTTP method
	Status int
	Header http.Header
	Body   []byte // what came of it within the limit
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("HTTP %s answered with status %d %s", e.Method, e.Status, http.StatusText(e.Status))
}

// HTTPStatus returns the status.
func (e *StatusError) HTTPStatus() int { return e.Status }

// ContentTypeError says that an answer came as something that is neither JSON nor
// an event stream, or as JSON where only a stream will do. A body that is a
// JSON-RPC message all the same was handed out before it.
type ContentTypeError struct {
	Method      string // the HTTP method
	Status      int
	ContentType string // as the peer wrote it; "" when it wrote none
	Body        []byte // what came of it within the limit
}

func (e *ContentTypeError) Error() string {
	return fmt.Sprintf("HTTP %s answered with status %d and content type %q; want %s or %s",
		e.Method, e.Status, e.ContentType, typeJSON, typeSSE)
}
