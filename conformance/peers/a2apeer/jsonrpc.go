package a2apeer

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/peerwright/peerwright/internal/rawjson"
	"github.com/peerwright/peerwright/internal/wire"
)

// limit is the size in bytes that a request may have.
const limit = 64 << 20

// rpc is the JSON-RPC interface: of 1.0 and of 0.3, told apart by the version that
// the request asks for.
//
// https://a2a-protocol.org/latest/specification/#9-json-rpc-protocol-binding
type rpc struct{ agent *Agent }

// ServeHTTP implements http.Handler.
func (h rpc) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		respond(w, http.StatusMethodNotAllowed, "application/json", invalidRequest.faultf("requests are sent by POST").rpc(wire.ID{}))
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		respond(w, http.StatusRequestEntityTooLarge, "application/json", invalidRequest.faultf("reading the request: %v", err).rpc(wire.ID{}))
		return
	}
	m := wire.Parse(body)
	sdk, params, flt := h.judge(requestedVersion(r), m)
	if m.Kind == wire.KindNotification {
		if flt == nil { // done, and not answered
			sdk.ServeHTTP(&silent{header: http.Header{}}, forwarded(r, wire.Request(placeholder, m.Method, params)))
		}
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if flt != nil {
		respond(w, http.StatusOK, "application/json", flt.rpc(answerable(m.ID)))
		return
	}
	out := &answer{ResponseWriter: w, mend: h.mend(m)}
	sdk.ServeHTTP(out, forwarded(r, wire.Request(placeholder, m.Method, params)))
	out.finish()
}

// placeholder is the id that the SDK is given in place of the client's, which it
// would put through a float.
var placeholder = wire.IntID(1) //nolint:gochecknoglobals // a constant that Go cannot spell as one

// judge finds the SDK's handler for a request, and its params as that reads them.
func (h rpc) judge(version string, m wire.Message) (http.Handler, json.RawMessage, *fault) {
	if flt := checkEnvelope(m); flt != nil {
		return nil, nil, flt
	}
	switch version {
	case version1:
		request, known := operations[m.Method]
		if !known {
			return nil, nil, methodNotFound.faultf("method not found: %q", m.Method)
		}
		params, flt := normalise(request(), object(m.Params))
		return h.agent.jsonrpc, params, flt
	case version0:
		check, known := oldMethods[m.Method]
		if !known {
			return nil, nil, methodNotFound.faultf("method not found: %q; without the header A2A-Version: 1.0 a request is of version 0.3", m.Method)
		}
		return h.agent.old, object(m.Params), check(object(m.Params))
	default:
		return nil, nil, versionUnsupported.faultf("version %q is not supported; 1.0 and 0.3 are", version)
	}
}

// checkEnvelope judges what every request must be.
//
// https://www.jsonrpc.org/specification#request_object
func checkEnvelope(m wire.Message) *fault {
	switch {
	case !utf8.Valid(m.Raw) || !json.Valid(m.Raw):
		return parseError.faultf("parse error: not JSON in UTF-8")
	case m.Kind == wire.KindBatch:
		return invalidRequest.faultf("invalid request: one request is sent at a time")
	case m.Kind != wire.KindRequest && m.Kind != wire.KindNotification:
		return invalidRequest.faultf("invalid request: not a JSON-RPC request")
	case m.Params != nil && !isObject(m.Params):
		return invalidParams.faultf("invalid params: params must be an object")
	case len(m.Problems) > 0:
		return invalidRequest.faultf("invalid request: %s", m.Problems[0])
	case m.Kind == wire.KindRequest && answerable(m.ID).IsZero():
		return invalidRequest.faultf("invalid request: id must be a string or an integer")
	}
	return nil
}

// answerable is the id where an answer can carry it, else the zero id. Numbers
// should have no fraction.
func answerable(id wire.ID) wire.ID {
	if id.IsString() {
		return id
	}
	if f, err := strconv.ParseFloat(id.String(), 64); id.IsNumber() && err == nil && f == float64(int64(f)) {
		return id
	}
	return wire.ID{}
}

func isObject(raw []byte) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '{'
}

// object is params, or an empty object where there are none.
func object(params json.RawMessage) json.RawMessage {
	if params == nil {
		return json.RawMessage("{}")
	}
	return params
}

// mend puts the client's id back, and the result that the SDK leaves out where an
// operation has nothing to say.
func (h rpc) mend(m wire.Message) func(raw []byte) []byte {
	return func(raw []byte) []byte {
		answer := wire.Parse(raw)
		switch {
		case answer.Error != nil && m.Method == "agent/getAuthenticatedExtendedCard" && answer.Error.Code == -32004:
			raw = wire.Failure(m.ID, -32007, "there is no extended card", nil)
		case answer.Error == nil && answer.Result == nil && m.Method == "DeleteTaskPushNotificationConfig":
			raw = rawjson.With(raw, "result", []byte("{}"))
		case answer.Error == nil && answer.Result == nil:
			raw = rawjson.With(raw, "result", []byte("null"))
		}
		return rawjson.With(raw, "id", []byte(m.ID.String()))
	}
}

func respond(w http.ResponseWriter, status int, media string, body []byte) {
	w.Header().Set("Content-Type", media)
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that left does not read it
}

// forwarded is the request with another body.
func forwarded(r *http.Request, body []byte) *http.Request {
	out := r.Clone(r.Context())
	out.Body = io.NopCloser(bytes.NewReader(body))
	out.ContentLength = int64(len(body))
	return out
}
