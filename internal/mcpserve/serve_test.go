package mcpserve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/peerwright/peerwright/internal/mcpserve"
)

// greeter serves one tool. Who calls over HTTP says so in the header X-Who.
func greeter(pages int) *mcpserve.Server {
	sdk := mcp.NewServer(&mcp.Implementation{Name: "greeter", Version: "1"}, &mcp.ServerOptions{PageSize: 1})
	for i := range pages {
		sdk.AddTool(&mcp.Tool{Name: fmt.Sprintf("greet%d", i), InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "hello"}}}, nil
			})
	}
	return mcpserve.New(mcpserve.Config{
		Legacy: sdk, Modern: sdk, ToolsOnly: true,
		Caller: func(r *http.Request) string { return r.Header.Get("X-Who") },
	})
}

const (
	meta  = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	hello = `{"jsonrpc":"2.0","id":"h","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
)

// TestStdio sends single lines, and asks for the very answer.
func TestStdio(t *testing.T) {
	tests := []struct{ name, in, words string }{
		{"no JSON", `{"jsonrpc":`, `"code":-32700`},
		{"no request", `{"jsonrpc":"2.0","id":1}`, `"code":-32600`},
		{"an id of digits", `{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"greet0",` + meta + `}}`, `"id":9007199254740993,"result"`},
		{"an empty id", `{"jsonrpc":"2.0","id":"","method":"tools/call","params":{"name":"greet0",` + meta + `}}`, `"id":"","result"`},
		{"a batch", `[` + hello + `]`, `"code":-32600`},
		{"no such method", `{"jsonrpc":"2.0","id":1,"method":"tools/sing","params":{` + meta + `}}`, `"code":-32601`},
		{"a method of other servers", `{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{` + meta + `}}`, `"code":-32601`},
		{"a revision to come", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + strings.Replace(meta, "2026", "2036", 1) + `}}`, `"supported":["2026-07-28"`},
		{"no revision", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `name the revision`},
		{"a cursor made up", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"1",` + meta + `}}`, `"code":-32602`},
		{"a cursor of a number", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":1,` + meta + `}}`, `"code":-32602`},
		{"nested too deeply", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}}`, `nested more than`},
		{"both eras", hello + "\n" + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet0",` + meta + `}}`, `"id":1,"result"`},
	}
	for _, tt := range tests {
		var out strings.Builder
		if err := greeter(2).ServeStdio(t.Context(), strings.NewReader(tt.in+"\n"), &out); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if lines := strings.Count(out.String(), "\n"); !strings.Contains(out.String(), tt.words) || lines != 1+strings.Count(tt.in, "\n") {
			t.Errorf("%s: %s", tt.name, out.String())
		}
	}
}

// post sends a message in somebody's name and returns the answer's status and body.
func post(t *testing.T, url, who, session, body string) (int, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "X-Who": {who}}
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header
}

// TestOwners asks that sessions and conversations are those of their caller, and that for
// any other they are not there.
func TestOwners(t *testing.T) {
	srv := httptest.NewServer(greeter(1).Handler())
	defer srv.Close()
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	status, h := post(t, srv.URL, "ann", "", hello)
	session := h.Get("Mcp-Session-Id")
	if status != http.StatusOK || session == "" {
		t.Fatalf("ann: %d", status)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL+"/sse", nil)
	req.Header.Set("X-Who", "ann")
	stream, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	events := bufio.NewScanner(stream.Body)
	endpoint := ""
	for endpoint == "" && events.Scan() {
		endpoint, _ = strings.CutPrefix(events.Text(), "data: ")
		if !strings.HasPrefix(endpoint, "/") {
			endpoint = ""
		}
	}
	for _, tt := range []struct {
		who    string
		status [2]int // of the session, and of the conversation of HTTP+SSE
	}{
		{"bob", [2]int{http.StatusNotFound, http.StatusNotFound}},
		{"", [2]int{http.StatusNotFound, http.StatusNotFound}},
		{"ann", [2]int{http.StatusOK, http.StatusAccepted}},
	} {
		in, _ := post(t, srv.URL, tt.who, session, list)
		old, _ := post(t, srv.URL+endpoint, tt.who, "", hello)
		if got := [2]int{in, old}; got != tt.status {
			t.Errorf("%q: %v, want %v", tt.who, got, tt.status)
		}
	}
}

// FuzzStdio asks that no input panics, and that what is answered is JSON, a line each.
func FuzzStdio(f *testing.F) {
	for _, seed := range []string{
		hello, hello + "\n" + `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `[` + hello + `]`, `{}`, `null`, "\xff", `{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet0","arguments":null,` + meta + `}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
	} {
		f.Add([]byte(seed))
	}
	s := greeter(2)
	f.Fuzz(func(t *testing.T, in []byte) {
		var out strings.Builder
		if err := s.ServeStdio(t.Context(), strings.NewReader(string(in)+"\n"), &out); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("answered %q", line)
			}
		}
	})
}
