package mcp

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// instead makes a server that answers the requests of a method, or what is no
// request where method is "", with reply.
func instead(method string, reply func(req wire.Message, good []byte) []byte) *scripted {
	return &scripted{hook: func(req wire.Message, good []byte) [][]byte {
		if good != nil && req.Method == method {
			good = reply(req, good)
		}
		if good == nil {
			return nil
		}
		return [][]byte{good}
	}}
}

// fails makes a reply that is an error.
func fails(code int64) func(wire.Message, []byte) []byte {
	return func(req wire.Message, _ []byte) []byte { return wire.Failure(req.ID, code, "no", nil) }
}

// works makes a reply that is a result.
func works(result string) func(wire.Message, []byte) []byte {
	return func(req wire.Message, _ []byte) []byte { return wire.Result(req.ID, []byte(result)) }
}

// says makes a reply out of the good one.
func says(old, new string) func(wire.Message, []byte) []byte {
	return func(_ wire.Message, good []byte) []byte { return bytes.ReplaceAll(good, []byte(old), []byte(new)) }
}

// status answers every request with one HTTP status.
func forcedStatus(from, to int) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h.ServeHTTP(&statusWriter{w, from, to}, r)
		})
	}
}

// statusWriter writes another status in place of one.
type statusWriter struct {
	http.ResponseWriter
	from, to int
}

func (w *statusWriter) WriteHeader(status int) {
	if status == w.from {
		status = w.to
	}
	w.ResponseWriter.WriteHeader(status)
}

const nowhere = noSuchMethod

func legacyWays() []way { return everyWay(mcp.Rev2511) }
func modernWays() []way { return everyWay(mcp.Rev2607) }
func bothEras() []way   { return everyWay(mcp.Rev2511, mcp.Rev2607) }

func TestErrorCases(t *testing.T) {
	for _, w := range bothEras() {
		judge(t, unknownMethod(),
			row{"another code", instead(nowhere, fails(-32602)), w, reporters.Failed, "error -32602"},
			row{"a result", instead(nowhere, works(`{}`)), w, reporters.Failed, "result {}"})
		judge(t, errorShape(),
			row{"code as text", instead(nowhere, says("-32601", `"-32601"`)), w, reporters.Failed, "code"},
			row{"no message", instead(nowhere, says(`"message"`, `"text"`)), w, reporters.Failed, "no message"},
			row{"a fraction", instead(nowhere, says("-32601", "-32601.5")), w, reporters.Failed, "not an integer"},
			row{"a result beside it", instead(nowhere, says(`"error"`, `"result":{},"error"`)), w, reporters.Failed, "together"},
			row{"no method", instead(nowhere, works(`{}`)), w, reporters.Passed, ""},
			row{"no error", bare(instead(nowhere, works(`{}`))), w, reporters.NotVerified, "nothing that the server"})
		judge(t, errorKeepsID(),
			row{"id null", instead(nowhere, func(wire.Message, []byte) []byte { return wire.Failure(wire.NullID, -32601, "no", nil) }), w, reporters.Failed, "id null"},
			row{"another type", instead(nowhere, numbersAsText), w, reporters.Failed, `id "`})
		judge(t, unknownTool(),
			row{"isError", instead("tools/call", works(`{"content":[],"isError":true}`)), w, reporters.Warned, "isError"},
			row{"-32601", instead("tools/call", fails(-32601)), w, reporters.Warned, "-32601"})
		judge(t, callWithoutName(),
			row{"internal error", instead("tools/call", fails(-32603)), w, reporters.Warned, "-32603"})
		judge(t, invalidArguments(),
			row{"success", instead("tools/call", works(`{"resultType":"complete","content":[]}`)), w, reporters.Failed, "content"},
			row{"an error", instead("tools/call", fails(-32602)), w, reporters.Passed, ""},
			row{"more input", instead("tools/call", works(`{"resultType":"input_required","requestState":"x"}`)), w, reporters.NotVerified, "more input"})
		judge(t, invalidArgumentsInResult(),
			row{"an error", instead("tools/call", fails(-32602)), w, reporters.Warned, "-32602"},
			row{"success", instead("tools/call", works(`{"content":[]}`)), w, reporters.NotVerified, "not refused at all"})
		judge(t, unknownPrompt(),
			row{"a result", instead("prompts/get", works(`{"messages":[]}`)), w, reporters.Warned, "messages"})
		judge(t, missingPromptArgument(),
			row{"another code", instead("prompts/get", fails(-32603)), w, reporters.Warned, "-32603"})
		judge(t, badCompletionRef(),
			row{"a result", instead("completion/complete", works(`{"completion":{"values":[]}}`)), w, reporters.Warned, "values"})
	}
}

// numbersAsText answers under the id as a string, where it is a number.
func numbersAsText(req wire.Message, good []byte) []byte {
	if !req.ID.IsNumber() {
		return good
	}
	return wire.Failure(wire.StringID(req.ID.String()), -32601, "no", nil)
}

// bare takes the lists from a server.
func bare(p *scripted) *scripted {
	p.lacks = []string{"tools", "resources", "prompts"}
	return p
}

func TestErrorCasesOfOneEra(t *testing.T) {
	for _, w := range legacyWays() {
		judge(t, unknownResource(),
			row{"-32602", instead("resources/read", fails(-32602)), w, reporters.Passed, ""},
			row{"internal error", instead("resources/read", fails(-32603)), w, reporters.Warned, "-32603"},
			row{"empty", instead("resources/read", works(`{"contents":[]}`)), w, reporters.Warned, "contents"})
		judge(t, badLogLevel(),
			row{"a result", instead("logging/setLevel", works(`{}`)), w, reporters.Warned, "result {}"})
		judge(t, paramsNoObject(),
			row{"a result", instead("ping", works(`{}`)), w, reporters.Warned, "result {}"},
			row{"-32600", instead("ping", fails(-32600)), w, reporters.Passed, ""})
	}
	for _, w := range modernWays() {
		judge(t, unknownResourceCode(),
			row{"the old code", instead("resources/read", fails(-32002)), w, reporters.Failed, "-32002"})
		judge(t, unknownResourceContents(),
			row{"empty", instead("resources/read", works(`{"contents":[]}`)), w, reporters.Failed, "contents"},
			row{"any template", &scripted{hook: anyTemplate}, w, reporters.NotVerified, "{+x}"})
		judge(t, badLogLevel(),
			row{"ignored", instead("tools/list", ignoreLevel), w, reporters.Warned, "tools"})
	}
}

func anyTemplate(_ wire.Message, good []byte) [][]byte {
	return [][]byte{bytes.ReplaceAll(good, []byte("test:///t/{x}"), []byte("{+x}"))}
}

func ignoreLevel(req wire.Message, good []byte) []byte {
	if wire.Path(req.Params, "_meta", metaLogLevel) == nil {
		return good
	}
	params := bytes.ReplaceAll(req.Params, []byte(metaLogLevel), []byte("io.example/level"))
	return (&scripted{}).respond(mcp.Rev2607, wire.Parse(wire.Request(req.ID, req.Method, params)))
}

// What is no JSON-RPC at all, over a stream and over HTTP.
func TestHostileErrorCases(t *testing.T) {
	served := func(wire.Message, []byte) []byte { return []byte(`{"jsonrpc":"2.0","id":null,"result":{}}`) }
	silent := func(wire.Message, []byte) []byte { return nil }
	for _, rev := range []string{mcp.Rev2511, mcp.Rev2607} {
		stream, http := way{"stdio", rev}, way{"http", rev}
		judge(t, invalidJSON(),
			row{"served", instead("", served), stream, reporters.Warned, "result"},
			row{"served", &scripted{http: scriptedHTTP{wrap: forcedStatus(400, 200)}, hook: instead("", served).hook}, http, reporters.Warned, "result"},
			row{"silent", instead("", silent), stream, reporters.Passed, ""},
			row{"taken", &scripted{http: scriptedHTTP{wrap: forcedStatus(400, 202)}, hook: instead("", silent).hook}, http, reporters.Warned, "no JSON-RPC response"},
			row{"dead", &scripted{hook: dies}, stream, reporters.Warned, "closed"})
		judge(t, parseErrorCode(),
			row{"-32600", instead("", fails(-32600)), stream, reporters.Warned, "-32600"},
			row{"-32600", instead("", fails(-32600)), http, reporters.Warned, "-32600"},
			row{"silent", instead("", silent), stream, reporters.NotVerified, "no answer"})
		judge(t, notARequest(),
			row{"parse error", instead("", fails(-32700)), stream, reporters.Warned, "-32700"},
			row{"parse error", instead("", fails(-32700)), http, reporters.Warned, "-32700"},
			row{"silent", instead("", silent), stream, reporters.NotVerified, "unanswered"})
		judge(t, survivesBadRequests(), row{"dead", &scripted{hook: dies}, stream, reporters.Warned, "closed"})
	}
	for _, w := range legacyWays() {
		judge(t, wrongJSONRPC(), row{"served", instead("ping", works(`{}`)), w, reporters.Warned, "result {}"})
	}
}

// dies ends the server at what is no message.
func dies(req wire.Message, good []byte) [][]byte {
	if req.Kind == wire.KindInvalid {
		return [][]byte{nil}
	}
	if good == nil {
		return nil
	}
	return [][]byte{good}
}
