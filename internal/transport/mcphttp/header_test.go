package mcphttp_test

import (
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
)

// The first five are the examples of the specification.
func TestEncodeHeader(t *testing.T) {
	tests := []struct{ value, header string }{
		{"us-west1", "us-west1"},
		{"Hello, \u4e16\u754c", "=?base64?SGVsbG8sIOS4lueVjA==?="},
		{" padded ", "=?base64?IHBhZGRlZCA=?="},
		{"line1\nline2", "=?base64?bGluZTEKbGluZTI=?="},
		{"=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="},
		{"", ""},
		{"a b", "a b"},
		{"=?base64?", "=?base64?"},
		{"=?BASE64?eA==?=", "=?BASE64?eA==?="},
		{"=?base64?=", "=?base64?="},
		{"tab\there", "=?base64?dGFiCWhlcmU=?="},
		{"\x7f", "=?base64?fw==?="},
		{"a=?base64?eA==?=", "a=?base64?eA==?="},
	}
	for _, tt := range tests {
		if got := mcphttp.EncodeHeader(tt.value); got != tt.header {
			t.Errorf("EncodeHeader(%q) = %q, want %q", tt.value, got, tt.header)
		}
		if got, err := mcphttp.DecodeHeader(tt.header); err != nil || got != tt.value {
			t.Errorf("DecodeHeader(%q) = %q, %v; want %q", tt.header, got, err, tt.value)
		}
	}
}

func TestDecodeHeaderRefuses(t *testing.T) {
	for _, header := range []string{"é", " x", "a\nb", "=?base64?***?=", "=?base64?eA?="} {
		if got, err := mcphttp.DecodeHeader(header); err == nil {
			t.Errorf("%q was read as %q", header, got)
		}
	}
}

func FuzzHeaderValue(f *testing.F) {
	for _, seed := range []string{"", "x", "é", " ", "=?base64?eA==?=", "\x00\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		header := mcphttp.EncodeHeader(value)
		for _, c := range []byte(header) {
			if c < ' ' || c > '~' {
				t.Fatalf("%q is no header value", header)
			}
		}
		if got, err := mcphttp.DecodeHeader(header); err != nil || got != value {
			t.Fatalf("%q came back as %q, %v", value, got, err)
		}
	})
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`

// routing picks what the header table looks at.
func routing(h http.Header) map[string]string {
	got := map[string]string{}
	for name := range h {
		if strings.HasPrefix(name, "Mcp-") {
			got[name] = h.Get(name)
		}
	}
	return got
}

// sentHeaders returns the routing headers with which the message reaches the peer.
func sentHeaders(t *testing.T, prepare func(*mcphttp.Conn), out transport.Outgoing) map[string]string {
	t.Helper()
	var got map[string]string
	conn, _ := dial(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.Method == http.MethodPost {
			got = routing(r.Header)
		}
		w.WriteHeader(http.StatusAccepted)
	})
	prepare(conn)
	d, err := conn.Send(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = receiveAll(t, conn, d.Exchange)
	return got
}

func TestModernHeaders(t *testing.T) {
	modern := func(c *mcphttp.Conn) { c.SetSessionID("old"); c.Negotiated("2026-07-28") }
	legacy := func(c *mcphttp.Conn) { c.SetSessionID("s"); c.Negotiated("2025-11-25") }
	fresh := func(*mcphttp.Conn) {}
	v := "2026-07-28"
	tests := []struct {
		name    string
		prepare func(*mcphttp.Conn)
		body    string
		want    map[string]string
	}{
		{
			"list", modern, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`,
			map[string]string{"Mcp-Protocol-Version": v, "Mcp-Method": "tools/list"},
		},
		{
			"call", modern, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_weather",` + meta + `}}`,
			map[string]string{"Mcp-Protocol-Version": v, "Mcp-Method": "tools/call", "Mcp-Name": "get_weather"},
		},
		{
			"call with a name to encode", modern, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wëather",` + meta + `}}`,
			map[string]string{"Mcp-Protocol-Version": v, "Mcp-Method": "tools/call", "Mcp-Name": "=?base64?" + base64.StdEncoding.EncodeToString([]byte("wëather")) + "?="},
		},
		{
			"prompt", modern, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"p",` + meta + `}}`,
			map[string]string{"Mcp-Protocol-Version": v, "Mcp-Method": "prompts/get", "Mcp-Name": "p"},
		},
		{
			"resource", modern, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///a/b.json",` + meta + `}}`,
			map[string]string{"Mcp-Protocol-Version": v, "Mcp-Method": "resources/read", "Mcp-Name": "file:///a/b.json"},
		},
		{
			"task", modern, `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t1",` + meta + `}}`,
			map[string]string{"Mcp-Protocol-Version": v, "Mcp-Method": "tasks/get", "Mcp-Name": "t1"},
		},
		{
			"notification", modern, `{"jsonrpc":"2.0","method":"notifications/x"}`,
			map[string]string{"Mcp-Protocol-Version": v, "Mcp-Method": "notifications/x"},
		},
		{
			"a probe before anything is agreed on", fresh, `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta + `}}`,
			map[string]string{"Mcp-Protocol-Version": v, "Mcp-Method": "server/discover"},
		},
		{
			"the body's own revision", modern, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1999-01-01"}}}`,
			map[string]string{"Mcp-Protocol-Version": "1999-01-01", "Mcp-Method": "tools/list"},
		},
		{
			"a name that is no string", modern, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7,` + meta + `}}`,
			map[string]string{"Mcp-Protocol-Version": v, "Mcp-Method": "tools/call"},
		},
		{
			"a method that no header can carry", modern, `{"jsonrpc":"2.0","id":1,"method":"a\nb","params":{` + meta + `}}`,
			map[string]string{"Mcp-Protocol-Version": v},
		},
		{
			"legacy", legacy, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_weather"}}`,
			map[string]string{"Mcp-Protocol-Version": "2025-11-25", "Mcp-Session-Id": "s"},
		},
		{"initialize", legacy, initialize, map[string]string{"Mcp-Session-Id": "s"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := sentHeaders(t, tt.prepare, transport.Outgoing{Raw: []byte(tt.body)})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// python-sdk#1641 from the other side: a client names both types in full.
func TestAcceptAndContentType(t *testing.T) {
	conn, seen := dial(t, answer(202, "", ""))
	send(t, conn, progress)
	h := seen.Frames(0)[0].Header
	if got := h.Get("Accept"); got != "application/json, text/event-stream" {
		t.Errorf("Accept: %q", got)
	}
	if got := h.Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type: %q", got)
	}
}

func TestOutgoingHeaderOverrides(t *testing.T) {
	var got http.Header
	conn, _ := dial(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Clone()
		w.WriteHeader(http.StatusAccepted)
	})
	conn.Negotiated("2026-07-28")
	d, err := conn.Send(t.Context(), transport.Outgoing{Raw: []byte(ping), Header: http.Header{
		"accept": nil, "Content-Type": nil, "Mcp-Method": {"other"}, "MCP-Protocol-Version": nil, "X-More": {"1"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = receiveAll(t, conn, d.Exchange)
	for _, name := range []string{"Accept", "Content-Type", "Mcp-Protocol-Version"} {
		if values, there := got[name]; there {
			t.Errorf("%s: %q was sent", name, values)
		}
	}
	if got.Get("Mcp-Method") != "other" || got.Get("X-More") != "1" {
		t.Errorf("the peer got %v", got)
	}
}

func TestParamHeaders(t *testing.T) {
	tests := []struct {
		name, schema string
		want         []mcphttp.ParamHeader
		wantErr      string
	}{
		{
			"of the specification", `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"query":{"type":"string"}}}`,
			[]mcphttp.ParamHeader{{Name: "Region", Path: []string{"region"}}},
			"",
		},
		{
			"nested", `{"properties":{"a":{"type":"object","properties":{"b":{"type":"integer","x-mcp-header":"B"},"c":{"type":"boolean","x-mcp-header":"C"}}}}}`,
			[]mcphttp.ParamHeader{{Name: "B", Path: []string{"a", "b"}}, {Name: "C", Path: []string{"a", "c"}}},
			"",
		},
		{"none", `{"type":"object"}`, nil, ""},
		{"no schema", `true`, nil, ""},
		{"a property that is called so", `{"properties":{"x-mcp-header":{"type":"string"}}}`, nil, ""},
		{"a default that looks so", `{"properties":{"a":{"type":"object","default":{"x-mcp-header":"A"}}}}`, nil, ""},
		{"empty", `{"properties":{"a":{"type":"string","x-mcp-header":""}}}`, nil, "no HTTP token"},
		{"no token", `{"properties":{"a":{"type":"string","x-mcp-header":"a b"}}}`, nil, "no HTTP token"},
		{"not ASCII", `{"properties":{"a":{"type":"string","x-mcp-header":"é"}}}`, nil, "no HTTP token"},
		{"a line end", `{"properties":{"a":{"type":"string","x-mcp-header":"a\nb"}}}`, nil, "no HTTP token"},
		{"no string", `{"properties":{"a":{"type":"string","x-mcp-header":1}}}`, nil, "no HTTP token"},
		{"number", `{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}`, nil, `type "number"`},
		{"object", `{"properties":{"a":{"type":"object","x-mcp-header":"A"}}}`, nil, `type "object"`},
		{"no type", `{"properties":{"a":{"x-mcp-header":"A"}}}`, nil, `type ""`},
		{"twice", `{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}`, nil, "twice"},
		{"at the root", `{"type":"string","x-mcp-header":"A"}`, nil, "not only properties"},
		{"in items", `{"properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}}`, nil, "not only properties"},
		{"in items' properties", `{"properties":{"a":{"items":{"properties":{"b":{"type":"string","x-mcp-header":"A"}}}}}}`, nil, "not only properties"},
		{"in oneOf", `{"oneOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}`, nil, "not only properties"},
		{"in $defs", `{"$defs":{"d":{"type":"string","x-mcp-header":"A"}}}`, nil, "not only properties"},
		{"in then", `{"then":{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}}`, nil, "not only properties"},
		{"too deep", strings.Repeat(`{"not":`, 500) + `{}` + strings.Repeat(`}`, 500), nil, "deeper"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := mcphttp.ParamHeaders([]byte(tt.schema))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if (err == nil) != (tt.wantErr == "") || err != nil && (!strings.Contains(err.Error(), tt.wantErr) || !errors.Is(err, mcphttp.ErrParamHeader)) {
				t.Errorf("got %v, want %q", err, tt.wantErr)
			}
		})
	}
}

func TestToolHeaders(t *testing.T) {
	tools := `{"tools":[
		{"name":"sql","inputSchema":{"properties":{"region":{"type":"string","x-mcp-header":"Region"},
			"deep":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"},"b":{"type":"boolean","x-mcp-header":"B"}}}}}},
		{"name":"bad","inputSchema":{"properties":{"x":{"type":"number","x-mcp-header":"X"}}}}]}`
	tests := []struct {
		name, arguments string
		want            map[string]string
	}{
		{"sql", `{"region":"us-west1","deep":{"n":42,"b":true}}`, map[string]string{"Region": "us-west1", "N": "42", "B": "true"}},
		{"sql", `{"region":"Zürich","deep":{"n":-7,"b":false}}`, map[string]string{"Region": "=?base64?WsO8cmljaA==?=", "N": "-7", "B": "false"}},
		{"sql", `{"region":null,"deep":{}}`, map[string]string{}},
		{"sql", `{"region":{"a":1},"deep":{"n":[1]}}`, map[string]string{}},
		{"sql", `{"deep":{"n":42.0}}`, map[string]string{"N": "42"}},
		{"sql", `{"deep":{"n":4.2e1}}`, map[string]string{"N": "42"}},
		{"sql", `{"deep":{"n":4.5}}`, map[string]string{}},
		{"sql", `{"deep":{"n":1e999999999}}`, map[string]string{}},
		{"sql", `{"deep":{"n":9007199254740993}}`, map[string]string{"N": "9007199254740993"}},
		{"bad", `{"x":1}`, map[string]string{}},
		{"unknown", `{"region":"r"}`, map[string]string{}},
	}
	for _, tt := range tests {
		t.Run(tt.name+tt.arguments, func(t *testing.T) {
			body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tt.name + `","arguments":` + tt.arguments + `,` + meta + `}}`
			sent := sentHeaders(t, func(c *mcphttp.Conn) {
				refused := c.LearnTools([]byte(tools))
				if len(refused) != 1 || refused["bad"] == nil {
					t.Errorf("refused %v", refused)
				}
			}, transport.Outgoing{Raw: []byte(body)})
			got := map[string]string{}
			for name, value := range sent {
				if param, is := strings.CutPrefix(name, "Mcp-Param-"); is {
					got[param] = value
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
