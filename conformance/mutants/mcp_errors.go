package mutants

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"

	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// The codes of JSON-RPC that mutants give in each other's place.
const (
	parseError     = -32700
	invalidRequest = -32600
	noMethod       = -32601
	invalidParams  = -32602
	internalError  = -32603
)

// mcpErrors are servers that refuse wrongly.
func mcpErrors() []Mutant {
	return []Mutant{
		{
			ID: "unknown-method-is-invalid", Doc: "an unknown method is answered with -32600",
			Kills: []string{"mcp.errors.unknown-method"}, Revision: mcp.Rev2511,
			Swap: recode(noMethod, invalidRequest),
		},
		{
			ID: "errors-without-message", Doc: "errors have a code and no message",
			Kills: []string{"mcp.errors.shape", "mcp.framing.well-formed-messages"}, Revision: mcp.Rev2511,
			Swap: func(_, m wire.Message) [][]byte {
				if m.Kind != wire.KindError {
					return keep(m)
				}
				return [][]byte{edited(m.Raw, func(response map[string]any) {
					delete(response["error"].(map[string]any), "message")
				})}
			},
		},
		{
			ID: "error-code-as-text", Doc: "the code of an error is a string",
			Kills:    []string{"mcp.errors.shape", "mcp.errors.unknown-method", "mcp.framing.well-formed-messages"},
			Revision: mcp.Rev2511, Stdio: true,
			Swap: func(_, m wire.Message) [][]byte {
				if m.Kind != wire.KindError || m.Error.Code != noMethod {
					return keep(m)
				}
				return [][]byte{edited(m.Raw, func(response map[string]any) {
					response["error"].(map[string]any)["code"] = "METHOD_NOT_FOUND"
				})}
			},
		},
		{
			ID: "errors-lose-string-ids", Doc: "an error has the id null where that of the request is a string",
			Kills: []string{"mcp.errors.keeps-id"}, Revision: mcp.Rev2511,
			Swap: func(_, m wire.Message) [][]byte {
				if m.Kind != wire.KindError || !m.ID.IsString() {
					return keep(m)
				}
				return [][]byte{wire.Failure(wire.NullID, m.Error.Code, m.Error.Message, nil)}
			},
		},
		{
			ID: "any-params-will-do", Doc: "params of the wrong type are taken for none",
			Kills: []string{"mcp.errors.params-not-an-object"}, Revision: mcp.Rev2511,
			Hear: func(m wire.Message) ([]byte, []byte) {
				if m.Kind != wire.KindRequest || m.Params == nil || m.Params[0] == '{' {
					return m.Raw, nil
				}
				return wire.Request(m.ID, m.Method, nil), nil
			},
		},
	}
}

// mcpHostile are servers that take what is no request wrongly.
func mcpHostile() []Mutant {
	return []Mutant{
		{
			ID: "bad-json-is-accepted", Doc: "what is not JSON is accepted with status 202, and dropped",
			Kills: []string{"mcp.errors.invalid-json"}, Revision: mcp.Rev2511,
			Wrap: reply(func(_ *http.Request, m wire.Message) bool { return isNoJSON(m) }, http.StatusAccepted, "", ""),
		},
		{
			ID: "bad-json-is-invalid-request", Doc: "what is not JSON is answered with -32600",
			Kills: []string{"mcp.errors.parse-error-code"}, Revision: mcp.Rev2511,
			Swap: recode(parseError, invalidRequest),
		},
		{
			ID: "bad-json-ends-the-server", Doc: "a line that is not JSON ends the server",
			Kills: []string{"mcp.errors.invalid-json", "mcp.errors.survives"}, Revision: mcp.Rev2511, Stdio: true,
			Pipe: endsAt(isNoJSON),
		},
		{
			ID: "bad-json-spoils-the-next", Doc: "the request after one that is not JSON is answered with an internal error",
			Kills: []string{"mcp.errors.survives"}, Revision: mcp.Rev2511, Wrap: spoiltBySession,
		},
		{
			ID: "invalid-request-is-parse-error", Doc: "JSON that is no request is answered with -32700",
			Kills: []string{"mcp.errors.invalid-request"}, Revision: mcp.Rev2511,
			Swap: func(request, m wire.Message) [][]byte {
				if m.Kind != wire.KindError || request.Kind != wire.KindInvalid {
					return keep(m)
				}
				return [][]byte{wire.Failure(m.ID, parseError, m.Error.Message, nil)}
			},
		},
		{
			ID: "any-jsonrpc-will-do", Doc: `the member "jsonrpc" of a request is not looked at`,
			Kills: []string{"mcp.errors.wrong-jsonrpc"}, Revision: mcp.Rev2511,
			Hear: func(m wire.Message) ([]byte, []byte) {
				if version, _ := wire.Text(wire.Get(m.Raw, "jsonrpc")); m.Kind != wire.KindRequest || version == "2.0" {
					return m.Raw, nil
				}
				return wire.Request(m.ID, m.Method, m.Params), nil
			},
		},
	}
}

// recode makes a Swap that gives one error code in place of another.
func recode(from, to int64) Swap {
	return func(_, m wire.Message) [][]byte {
		if m.Kind != wire.KindError || m.Error.Code != from {
			return keep(m)
		}
		return [][]byte{wire.Failure(m.ID, to, m.Error.Message, m.Error.Data)}
	}
}

func isNoJSON(m wire.Message) bool { return len(m.Raw) > 0 && !json.Valid(m.Raw) }

// endsAt makes a Pipe that ends the server, without a word, at the first message
// picked.
func endsAt(pick func(wire.Message) bool) func(Serve) Serve {
	return func(next Serve) Serve {
		return func(ctx context.Context, r io.Reader, w io.Writer) error {
			ctx, end := context.WithCancel(ctx)
			defer end()
			return between(next, func(m wire.Message) ([]byte, []byte) {
				if pick(m) {
					end()
					return nil, nil // or the good server might answer before it hears of its end
				}
				return m.Raw, nil
			}, nil)(ctx, r, w)
		}
	}
}

// spoiltBySession refuses the first request of a session after what is not JSON.
func spoiltBySession(next http.Handler) http.Handler {
	var mu sync.Mutex
	spoilt := map[string]bool{} // by session id
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m, ok := posted(w, r)
		if !ok {
			return
		}
		session := r.Header.Get("Mcp-Session-Id")
		mu.Lock()
		was := spoilt[session] && m.Kind == wire.KindRequest
		spoilt[session] = (spoilt[session] && !was) || isNoJSON(m)
		mu.Unlock()
		if was {
			sendJSON(w, wire.Failure(m.ID, internalError, "the parser is in a bad state", nil))
			return
		}
		next.ServeHTTP(w, r)
	})
}
