package a2ahttp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/peerwright/peerwright/internal/wire"
)

// The codes of the A2A errors, which both bindings are read into.
//
// https://a2a-protocol.org/v1.0.0/specification/#54-error-code-mappings
const (
	CodeTaskNotFound                   int64 = -32001
	CodeTaskNotCancelable              int64 = -32002
	CodePushNotificationNotSupported   int64 = -32003
	CodeUnsupportedOperation           int64 = -32004
	CodeContentTypeNotSupported        int64 = -32005
	CodeInvalidAgentResponse           int64 = -32006
	CodeExtendedAgentCardNotConfigured int64 = -32007
	CodeExtensionSupportRequired       int64 = -32008
	CodeVersionNotSupported            int64 = -32009
)

// ErrMalformed is wrapped by the error of an answer that is none by its binding: no
// JSON, no JSON-RPC response, a redirect that must not be followed.
var ErrMalformed = errors.New("answer that the binding does not allow")

// Fault is an error that the agent gave, read the same way from a JSON-RPC error,
// from the google.rpc.Status body of the HTTP+JSON binding, and from a bare HTTP
// failure.
type Fault struct { //nolint:errname // the package speaks of faults where the agent's own errors are meant
	// Code is that of the JSON-RPC error, or that which belongs to the Reason of an
	// HTTP+JSON one; 0 when there is neither.
	Code       int64
	HTTPStatus int
	Header     http.Header // of the answer
	// Reason names the A2A error (TASK_NOT_FOUND): the one that the agent gave, else
	// that of the Code; "" for others.
	Reason  string
	Message string          // the agent's own text
	Data    json.RawMessage // error.data or error.details; nil when absent
	Raw     json.RawMessage // the error as received; for a bare HTTP failure its body
}

// Error implements the error interface. The agent's own text is clipped.
func (f *Fault) Error() string {
	text := f.name()
	if f.HTTPStatus != 0 && f.HTTPStatus != http.StatusOK {
		text += fmt.Sprintf(" (HTTP %d)", f.HTTPStatus)
	}
	if f.Message != "" {
		text += ": " + clip(f.Message)
	}
	return text
}

func (f *Fault) name() string {
	switch {
	case f.Code != 0 && f.Reason != "":
		return fmt.Sprintf("error %d %s", f.Code, f.Reason)
	case f.Code != 0:
		return fmt.Sprintf("error %d", f.Code)
	case f.Reason != "":
		return "error " + f.Reason
	}
	return "error without an A2A code"
}

// clip shortens the peer's text for an error message.
func clip(s string) string {
	const most = 300
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}

// reasons gives each A2A code its ErrorInfo reason.
func reasons() map[int64]string {
	return map[int64]string{
		CodeTaskNotFound:                   "TASK_NOT_FOUND",
		CodeTaskNotCancelable:              "TASK_NOT_CANCELABLE",
		CodePushNotificationNotSupported:   "PUSH_NOTIFICATION_NOT_SUPPORTED",
		CodeUnsupportedOperation:           "UNSUPPORTED_OPERATION",
		CodeContentTypeNotSupported:        "CONTENT_TYPE_NOT_SUPPORTED",
		CodeInvalidAgentResponse:           "INVALID_AGENT_RESPONSE",
		CodeExtendedAgentCardNotConfigured: "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
		CodeExtensionSupportRequired:       "EXTENSION_SUPPORT_REQUIRED",
		CodeVersionNotSupported:            "VERSION_NOT_SUPPORTED",
	}
}

// ReasonOf returns the ErrorInfo reason of an A2A code; "" for any other code.
func ReasonOf(code int64) string { return reasons()[code] }

func codeOf(reason string) int64 {
	for code, r := range reasons() {
		if r == reason {
			return code
		}
	}
	return 0
}

// rpcFault reads the error member of a JSON-RPC response.
func rpcFault(e *wire.Error, in Reply) *Fault {
	f := &Fault{Code: e.Code, HTTPStatus: in.Status, Header: in.Header, Message: e.Message, Data: e.Data, Raw: e.Raw}
	f.Reason = orDefault(errorInfoReason(e.Data), ReasonOf(e.Code))
	return f
}

// httpFault reads the body of a failed HTTP+JSON call: a google.rpc.Status in an
// error member (1.0), a bare code and message (as agents of 0.3 send it), a problem
// document, or whatever else.
func httpFault(in Reply) *Fault {
	body := in.Body
	f := &Fault{HTTPStatus: in.Status, Header: in.Header, Raw: body}
	inner := wire.Get(body, "error")
	if inner == nil {
		inner = body
	}
	for _, name := range []string{"message", "detail", "title"} {
		if text, ok := wire.Text(wire.Get(inner, name)); ok {
			f.Message = text
			break
		}
	}
	f.Data = wire.Get(inner, "details")
	f.Reason = errorInfoReason(f.Data)
	f.Code = codeOf(f.Reason)
	var code int64
	if read(inner, "code", &code); f.Code == 0 && code < 0 {
		f.Code, f.Reason = code, orDefault(f.Reason, ReasonOf(code))
	}
	if f.Message == "" && wire.Get(body, "error") == nil {
		f.Message = clip(string(body))
	}
	return f
}

// ErrorInfoType is the @type of the detail that names an A2A error.
const ErrorInfoType = "type.googleapis.com/google.rpc.ErrorInfo"

// errorInfoReason finds the reason in a list of error details.
func errorInfoReason(details json.RawMessage) string {
	var list []struct {
		Type   string `json:"@type"`
		Reason string `json:"reason"`
	}
	if json.Unmarshal(details, &list) != nil {
		return ""
	}
	for _, d := range list {
		if d.Type == ErrorInfoType {
			return d.Reason
		}
	}
	return ""
}
