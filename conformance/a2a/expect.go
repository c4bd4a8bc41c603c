package a2a

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
)

// The codes of JSON-RPC itself.
//
// https://www.jsonrpc.org/specification#error_object
const (
	codeParse          int64 = -32700
	codeInvalidRequest int64 = -32600
	codeMethodNotFound int64 = -32601
	codeInvalidParams  int64 = -32602
)

// refused ends the case unless the agent answered with one of the errors, as its
// binding writes them.
func (s *Session) refused(c *conformance.Check, reply a2ahttp.Reply, fault *a2ahttp.Fault, to string, codes ...int64) {
	want := s.errorNames(codes) + " in answer to " + to
	c.That(fault != nil, want, "the result %s", clip(string(reply.Result)))
	c.That(slices.ContainsFunc(codes, func(code int64) bool { return s.is(fault, code) }), want, "%v", fault)
}

// is tells whether the error is the one with the code.
func (s *Session) is(fault *a2ahttp.Fault, code int64) bool {
	if s.dialect.binding != a2ahttp.HTTPJSON || fault.HTTPStatus == 0 { // told within a stream, it has no status
		return fault.Code == code
	}
	reason := a2ahttp.ReasonOf(code)
	if s.dialect.version == a2ahttp.V10 && fault.Reason != "" && reason != "" && fault.Reason != reason {
		return false
	}
	return slices.Contains(s.statuses(code), fault.HTTPStatus)
}

// statuses are the HTTP statuses that stand for an error in the HTTP+JSON binding.
// Where 1.0.1 changed what 1.0.0 said, both are right. 0.3 has no table, and asks for
// appropriate ones.
func (s *Session) statuses(code int64) []int {
	switch code {
	case a2ahttp.CodeTaskNotFound:
		return []int{http.StatusNotFound}
	case a2ahttp.CodeTaskNotCancelable:
		return []int{http.StatusBadRequest, http.StatusConflict}
	case a2ahttp.CodeContentTypeNotSupported:
		return []int{http.StatusBadRequest, http.StatusUnsupportedMediaType}
	case codeMethodNotFound:
		return []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}
	}
	if s.dialect.version != a2ahttp.V10 {
		return []int{http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity, http.StatusNotImplemented}
	}
	return []int{http.StatusBadRequest, http.StatusUnprocessableEntity}
}

// errorNames names errors as the binding writes them.
func (s *Session) errorNames(codes []int64) string {
	names := make([]string, len(codes))
	for i, code := range codes {
		names[i] = strings.TrimSpace(fmt.Sprintf("%d %s", code, a2ahttp.ReasonOf(code)))
		if s.dialect.binding == a2ahttp.HTTPJSON {
			statuses := strings.Trim(strings.ReplaceAll(fmt.Sprint(s.statuses(code)), " ", " or "), "[]")
			names[i] = strings.TrimSpace("HTTP " + statuses + " " + a2ahttp.ReasonOf(code))
		}
	}
	return "error " + strings.Join(names, " or ")
}
