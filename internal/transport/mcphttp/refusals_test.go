package mcphttp_test

import (
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/transport/mcphttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// The rules by which a server refuses, each against a good request.
func TestRefusals(t *testing.T) {
	all := mcphttp.ServerOptions{Limit: 1000, ToolParams: func(string) []mcphttp.ParamHeader {
		return []mcphttp.ParamHeader{{Name: "N", Path: []string{"n"}}, {Name: "S", Path: []string{"s"}}}
	}}
	legacy := mcphttp.ServerOptions{Revisions: []string{"2025-06-18"}}
	modern := mcphttp.ServerOptions{Revisions: []string{"2026-07-28"}}
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"té","arguments":{"n":42,"s":"7"},` + meta + `}}`
	good := []string{"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: =?base64?dMOp?=", "Mcp-Param-N: 42.0", "Mcp-Param-S: 7"}
	with := func(lines ...string) []string { return append(append([]string(nil), good...), lines...) }
	tests := []struct {
		name         string
		opts         mcphttp.ServerOptions
		method, body string
		headers      []string
		status, code int // code 0: no error
	}{
		{"good", all, "POST", initialize, nil, 200, 0},
		{"other host", all, "POST", initialize, []string{"Host: evil.example"}, 403, -32600},
		{"other origin", all, "POST", initialize, []string{"Origin: https://evil.example"}, 403, -32600},
		{"null origin", all, "POST", initialize, []string{"Origin: null"}, 403, -32600},
		{"origin that only begins well", all, "POST", initialize, []string{"Origin: http://localhost.evil.example"}, 403, -32600},
		{"local origin", all, "POST", initialize, []string{"Origin: http://localhost:3000"}, 200, 0},
		{"allowed origin", mcphttp.ServerOptions{Origins: []string{"https://good.example"}}, "POST", initialize, []string{"Origin: https://good.example"}, 200, 0},
		{"allowed host", mcphttp.ServerOptions{Hosts: []string{"good.example"}}, "POST", initialize, []string{"Host: good.example:80"}, 200, 0},
		{"no content type", all, "POST", initialize, []string{"Content-Type"}, 415, -32600},
		{"text", all, "POST", initialize, []string{"Content-Type: text/plain"}, 415, -32600},
		{"accept without a stream", all, "POST", initialize, []string{"Accept: application/json"}, 406, -32600},
		{"accept with a refused stream", all, "POST", initialize, []string{"Accept: application/json, text/event-stream;q=0"}, 406, -32600},
		// python-sdk#1641: wildcards count, and so does saying nothing.
		{"accept all", all, "POST", initialize, []string{"Accept: */*"}, 200, 0},
		{"accept half all", all, "POST", initialize, []string{"Accept: application/*, text/event-stream;q=0.5"}, 200, 0},
		{"accept nothing said", all, "POST", initialize, []string{"Accept"}, 200, 0},
		{"too large", all, "POST", `"` + strings.Repeat("x", 1000) + `"`, nil, 413, -32600},
		{"no JSON", all, "POST", `{"jsonrpc":`, nil, 400, -32700},
		{"empty", all, "POST", ``, nil, 400, -32700},
		{"no message", all, "POST", `{"a":1}`, nil, 400, -32600},
		{"a string", all, "POST", `"hello"`, nil, 400, -32600},
		{"empty batch", all, "POST", `[]`, nil, 400, -32600},
		{"id null", all, "POST", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, nil, 400, -32600},
		{"batch without a session", all, "POST", `[` + ping + `]`, nil, 400, -32600},
		{"no session", all, "POST", ping, nil, 400, -32600},
		{"unknown session", all, "POST", ping, []string{"Mcp-Session-Id: x"}, 404, -32600},
		{"unknown version", all, "POST", initialize, []string{"Mcp-Protocol-Version: 1999-01-01"}, 400, -32022},
		{"unknown version, legacy", legacy, "POST", initialize, []string{"Mcp-Protocol-Version: 2025-11-25"}, 400, -32600},
		{"modern to a legacy server", legacy, "POST", modernRequest("ping"), modernHeader("ping"), 400, -32600},
		{"PUT", all, "PUT", initialize, nil, 405, -32600},
		{"GET without a session", all, "GET", "", nil, 400, -32600},
		{"GET without a stream", all, "GET", "", []string{"Accept: application/json"}, 406, -32600},
		{"GET of an unknown version", legacy, "GET", "", []string{"Mcp-Protocol-Version: x"}, 400, -32600},
		{"GET of an unknown session", all, "GET", "", []string{"Mcp-Session-Id: x"}, 404, -32600},
		{"DELETE without a session", all, "DELETE", "", nil, 400, -32600},
		{"GET, modern", all, "GET", "", []string{"Mcp-Protocol-Version: 2026-07-28"}, 405, -32600},
		{"GET, modern server", modern, "GET", "", nil, 405, -32600},
		{"DELETE, modern server", modern, "DELETE", "", nil, 405, -32600},
		{"initialize, modern server", modern, "POST", initialize, nil, 400, -32022},
		{"no version, modern server", modern, "POST", ping, nil, 400, -32020},

		{"good modern call", all, "POST", call, good, 200, 0},
		{"session id is ignored", all, "POST", call, with("Mcp-Session-Id: x"), 200, 0},
		{"version header missing", all, "POST", call, with("Mcp-Protocol-Version"), 400, -32020},
		{"version header differs", all, "POST", call, with("Mcp-Protocol-Version: 2026-07-29"), 400, -32020},
		{"version unknown", all, "POST", strings.Replace(call, "2026-07-28", "2027-01-01", 1), with("Mcp-Protocol-Version: 2027-01-01"), 400, -32022},
		{"version legacy", all, "POST", strings.Replace(call, "2026-07-28", "2025-11-25", 1), with("Mcp-Protocol-Version: 2025-11-25"), 400, -32022},
		{"version not in the body", all, "POST", ping, modernHeader("ping"), 400, -32602},
		{"method header missing", all, "POST", call, with("Mcp-Method"), 400, -32020},
		{"method header differs", all, "POST", call, with("Mcp-Method: Tools/call"), 400, -32020},
		{"name header missing", all, "POST", call, with("Mcp-Name"), 400, -32020},
		{"name header differs", all, "POST", call, with("Mcp-Name: te"), 400, -32020},
		{"name header not decodable", all, "POST", call, with("Mcp-Name: =?base64?*?="), 400, -32020},
		{"parameter missing", all, "POST", call, with("Mcp-Param-N"), 400, -32020},
		{"parameter differs", all, "POST", call, with("Mcp-Param-N: 43"), 400, -32020},
		{"parameter that is text and looks like a number", all, "POST", call, with("Mcp-Param-S: 7.0"), 400, -32020},
		{"parameter not given", all, "POST", strings.Replace(call, `"n":42`, `"n":null`, 1), with("Mcp-Param-N"), 200, 0},
		{"modern response", all, "POST", pong, modernHeader(""), 400, -32600},
		{"modern batch", all, "POST", `[` + ping + `]`, modernHeader(""), 400, -32600},
		{"task without its name", all, "POST", `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t",` + meta + `}}`, modernHeader("tasks/get"), 200, 0},
		{"task with another name", all, "POST", `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t",` + meta + `}}`, append(modernHeader("tasks/get"), "Mcp-Name: u"), 400, -32020},
		{"status of the handler", all, "POST", modernRequest("refuse"), modernHeader("refuse"), 404, -32601},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			raw := ask(t, tt.method, serve(t, newPlayer().serve, tt.opts), tt.body, tt.headers...)
			code := 0
			if msg := wire.Parse(raw.Body); msg.Error != nil {
				code = int(msg.Error.Code)
			}
			if raw.Status != tt.status || code != tt.code {
				t.Errorf("got status %d and code %d (%s), want %d and %d", raw.Status, code, raw.Body, tt.status, tt.code)
			}
			if tt.status == 405 && !strings.Contains(raw.Header.Get("Allow"), "POST") {
				t.Errorf("Allow: %q", raw.Header.Get("Allow"))
			}
		})
	}
}

func TestUnsupportedVersionNamesTheSupported(t *testing.T) {
	url := serve(t, newPlayer().serve, mcphttp.ServerOptions{Revisions: []string{"2026-07-28"}})
	msg := wire.Parse(ask(t, "POST", url, initialize).Body)
	if got := string(msg.Error.Data); got != `{"requested":"2025-11-25","supported":["2026-07-28"]}` || msg.ID != wire.IntID(1) {
		t.Errorf("got %s to %s", got, msg.ID)
	}
}
