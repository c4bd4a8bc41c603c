package mcphttp

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/peerwright/peerwright/internal/wire"
)

// The error codes that the transport answers with itself.
const (
	codeParse              = -32700
	codeInvalidRequest     = -32600
	codeInvalidParams      = -32602
	codeInternal           = -32603
	codeHeaderMismatch     = -32020
	codeUnsupportedVersion = -32022
)

// refusal is an HTTP answer to a request that did not come as far as the handler.
type refusal struct {
	status  int
	id      wire.ID // zero where the request has none
	code    int64
	message string
	data    []byte
}

func (r *refusal) Error() string { return fmt.Sprintf("HTTP %d: %s", r.status, r.message) }

func fault(status int, code int64, format string, args ...any) *refusal {
	return &refusal{status: status, code: code, message: fmt.Sprintf(format, args...)}
}

// to names the request that is refused.
func (r *refusal) to(id wire.ID) *refusal {
	r.id = id
	return r
}

// refuse answers with a JSON-RPC error, which the specification allows as the body
// of any refusal.
func refuse(w http.ResponseWriter, err error) {
	var r *refusal
	if !errors.As(err, &r) {
		r = fault(http.StatusInternalServerError, codeInternal, "%v", err)
	}
	w.Header().Set("Content-Type", typeJSON)
	w.WriteHeader(r.status)
	_, _ = w.Write(wire.Failure(r.id, r.code, r.message, r.data)) // a client that is gone needs no answer
}

// unsupported lists what the server speaks, as a modern client expects.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
func (o ServerOptions) unsupported(id wire.ID, requested string) *refusal {
	data, _ := wire.Marshal(map[string]any{"supported": o.Revisions, "requested": requested}) // strings always marshal
	r := fault(http.StatusBadRequest, codeUnsupportedVersion, "unsupported protocol version %q", requested).to(id)
	r.data = data
	return r
}

// unknownVersion refuses a version header. A server that is legacy alone must not
// answer with the code by which a modern one is known.
func (o ServerOptions) unknownVersion(id wire.ID, requested string) *refusal {
	if o.speaksModern() {
		return o.unsupported(id, requested)
	}
	return fault(http.StatusBadRequest, codeInvalidRequest,
		"%s %q is not supported; choose one of %v", headerVersion, requested, o.Revisions).to(id)
}

// notModern refuses a legacy message where only stateless revisions are spoken. To
// initialize it names them, so that a client of both eras can go on.
func (o ServerOptions) notModern(msg wire.Message, header string) *refusal {
	if msg.Method == "initialize" {
		asked, _ := wire.Text(wire.Get(msg.Params, "protocolVersion"))
		return o.unsupported(msg.ID, asked)
	}
	if header == "" {
		return fault(http.StatusBadRequest, codeHeaderMismatch, "header %s is missing", headerVersion).to(msg.ID)
	}
	return o.unsupported(msg.ID, header)
}
