package mcpserve

import (
	"fmt"
	"net/http"

	"github.com/peerwright/peerwright/internal/rawjson"
	"github.com/peerwright/peerwright/internal/wire"
)

// The error codes that the server answers with.
//
// https://www.jsonrpc.org/specification#error_object
// https://modelcontextprotocol.io/specification/2026-07-28/basic/index#error-codes
const (
	codeParse              = -32700
	codeInvalidRequest     = -32600
	codeMethodNotFound     = -32601
	codeInvalidParams      = -32602
	codeInternal           = -32603
	codeResourceNotFound   = -32002 // up to 2025-11-25
	codeHeaderMismatch     = -32020 // from 2026-07-28
	codeUnsupportedVersion = -32022 // from 2026-07-28
)

// fault is an error answer that the front gives by itself.
type fault struct {
	code    int64
	message string
	data    []byte
}

func faultf(code int64, format string, args ...any) *fault {
	return &fault{code: code, message: fmt.Sprintf(format, args...)}
}

// encode writes the error response to id. Where there is no id to answer, the
// revisions differ: JSON-RPC asks for null, the schemas from 2025-11-25 on forbid
// that and let the member be left out.
//
// https://www.jsonrpc.org/specification#response_object
// https://modelcontextprotocol.io/specification/2025-11-25/schema#jsonrpcerrorresponse
func (f *fault) encode(id wire.ID, revision string) []byte {
	raw := wire.Failure(id, f.code, f.message, f.data)
	if !answerable(id) && revision >= rev2025c {
		return rawjson.Without(raw, "id")
	}
	if !answerable(id) {
		return wire.Failure(wire.NullID, f.code, f.message, f.data)
	}
	return raw
}

// answerable tells whether an answer can carry the id.
func answerable(id wire.ID) bool { return id.IsString() || isInteger(id) }

// status is the HTTP status that goes with the fault.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
func (f *fault) status(e era) int {
	switch {
	case f.code == codeParse || f.code == codeInvalidRequest:
		return http.StatusBadRequest
	case e == legacyEra:
		return http.StatusOK
	case f.code == codeMethodNotFound:
		return http.StatusNotFound
	default:
		return http.StatusBadRequest
	}
}
