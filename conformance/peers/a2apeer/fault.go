package a2apeer

import (
	"fmt"
	"net/http"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/peerwright/peerwright/internal/wire"
)

// fault is an error that the front answers by itself.
type fault struct {
	kind    *kind
	message string
}

// kind is a kind of error in each of its forms.
//
// https://a2a-protocol.org/latest/specification/#54-error-code-mappings
type kind struct {
	code   int64  // over JSON-RPC
	status int    // over HTTP+JSON
	name   string // of the status
	reason string
}

// The kinds of error that the front tells by itself.
var ( //nolint:gochecknoglobals // a compiled table
	parseError         = &kind{-32700, http.StatusBadRequest, "INVALID_ARGUMENT", "PARSE_ERROR"}
	invalidRequest     = &kind{-32600, http.StatusBadRequest, "INVALID_ARGUMENT", "INVALID_REQUEST"}
	methodNotFound     = &kind{-32601, http.StatusNotFound, "NOT_FOUND", "METHOD_NOT_FOUND"}
	methodNotAllowed   = &kind{-32601, http.StatusMethodNotAllowed, "UNIMPLEMENTED", "METHOD_NOT_FOUND"}
	invalidParams      = &kind{-32602, http.StatusBadRequest, "INVALID_ARGUMENT", "INVALID_PARAMS"}
	versionUnsupported = &kind{-32009, http.StatusBadRequest, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED"}
	internalError      = &kind{-32603, http.StatusInternalServerError, "INTERNAL", "INTERNAL_ERROR"}
)

func (k *kind) faultf(format string, args ...any) *fault {
	return &fault{k, fmt.Sprintf(format, args...)}
}

// detail is the error's machine-readable form, the same in every binding.
type detail struct {
	Type   string `json:"@type"`
	Reason string `json:"reason"`
	Domain string `json:"domain"`
}

func (f *fault) details() []detail {
	return []detail{{"type.googleapis.com/google.rpc.ErrorInfo", f.kind.reason, a2a.ProtocolDomain}}
}

// rpc writes the fault as the answer to id; the zero id becomes null.
//
// https://a2a-protocol.org/latest/specification/#95-error-handling
func (f *fault) rpc(id wire.ID) []byte {
	data, _ := wire.Marshal(f.details()) // strings always marshal
	if id.IsZero() {
		id = wire.NullID
	}
	return wire.Failure(id, f.kind.code, f.message, data)
}

// rest writes the fault as the body of an HTTP+JSON answer.
//
// https://a2a-protocol.org/latest/specification/#116-error-handling
func (f *fault) rest() []byte {
	body, _ := wire.Marshal(map[string]any{"error": map[string]any{ // strings and a number always marshal
		"code": f.kind.status, "status": f.kind.name, "message": f.message, "details": f.details()}})
	return body
}
