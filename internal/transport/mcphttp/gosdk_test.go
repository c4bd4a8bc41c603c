package mcphttp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
	"github.com/peerwright/peerwright/internal/wire"
)

type greeting struct {
	Name string `json:"name"`
}

// sdkServer is a server on the official Go SDK with one tool, which reports progress
// when it is asked to.
func sdkServer() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "peer", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "greet"}, func(ctx context.Context, r *mcp.CallToolRequest, in greeting) (*mcp.CallToolResult, any, error) {
		if token := r.Params.GetProgressToken(); token != nil {
			_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: 1})
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "hello " + in.Name}}}, nil, nil
	})
	return server
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"progressToken":"p"}`

func TestDialsTheGoSDK(t *testing.T) {
	legacyCall := `{"jsonrpc":"2.0","id":"007","method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"},"_meta":{"progressToken":"p"}}}`
	modernCall := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"},` + modernMeta + `}}`
	tests := []struct {
		name, revision, call string
		opts                 mcp.StreamableHTTPOptions
		session              bool
	}{
		{"stateful", "2025-11-25", legacyCall, mcp.StreamableHTTPOptions{}, true},
		{"stateful, resumable", "2025-11-25", legacyCall, mcp.StreamableHTTPOptions{EventStore: mcp.NewMemoryEventStore(nil)}, true},
		{"stateful, JSON", "2025-06-18", legacyCall, mcp.StreamableHTTPOptions{JSONResponse: true}, true},
		{"stateful, first revision", "2025-03-26", legacyCall, mcp.StreamableHTTPOptions{}, true},
		{"stateless", "2026-07-28", modernCall, mcp.StreamableHTTPOptions{Stateless: true}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := sdkServer()
			web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &tt.opts))
			t.Cleanup(web.Close)
			conn, _ := dialURL(t, web.URL, transport.Options{})
			if tt.session {
				mustCall(t, conn, strings.Replace(initialize, "2025-11-25", tt.revision, 1))
				mustCall(t, conn, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			}
			conn.Negotiated(tt.revision)
			if (conn.SessionID() != "") != tt.session {
				t.Errorf("session %q", conn.SessionID())
			}
			d := send(t, conn, tt.call)
			got, err := receiveAll(t, conn, d.Exchange)
			if err != nil || len(got) == 0 {
				t.Fatalf("got %v, %v", got, err)
			}
			last := got[len(got)-1]
			if last.Kind != wire.KindResult || !last.ID.Equal(wire.RawID(wire.Get([]byte(tt.call), "id"))) || !strings.Contains(string(last.Raw), "hello Ada") {
				t.Errorf("got %s", last.Raw)
			}
			if !tt.opts.JSONResponse && (len(got) != 2 || got[0].Method != "notifications/progress") {
				t.Errorf("got %d messages, want progress before the result", len(got))
			}
			if err := conn.Close(t.Context()); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
}

func TestDialsTheGoSDKOverSSE(t *testing.T) {
	web := httptest.NewServer(mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return sdkServer() }, nil))
	t.Cleanup(web.Close)
	conn, err := mcphttp.DialSSE(t.Context(), web.URL, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeConn(t, conn) })
	send(t, conn, strings.Replace(initialize, "2025-11-25", "2024-11-05", 1))
	if in := receive(t, conn); in.Kind != wire.KindResult {
		t.Fatalf("got %s", in.Raw)
	}
	send(t, conn, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	send(t, conn, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"}}}`)
	if in := receive(t, conn); in.ID != wire.IntID(2) || !strings.Contains(string(in.Result), "hello Ada") {
		t.Errorf("got %s", in.Raw)
	}
}

func TestGoSDKRefusesAModernCallWithAHeaderLess(t *testing.T) {
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return sdkServer() }, &mcp.StreamableHTTPOptions{Stateless: true}))
	t.Cleanup(web.Close)
	conn, _ := dialURL(t, web.URL, transport.Options{})
	body := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"},` + modernMeta + `}}`
	d, err := conn.Send(t.Context(), transport.Outgoing{Raw: []byte(body), Header: http.Header{"Mcp-Name": nil}})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := receiveAll(t, conn, d.Exchange)
	if d.Status != 400 || len(got) != 1 || got[0].Error == nil || got[0].Error.Code != -32020 {
		t.Errorf("got %+v, status %d", got, d.Status)
	}
}

// The SDK's client against our serving end, which has to speak to it as to any other.
func TestServesTheGoSDK(t *testing.T) {
	p := newPlayer()
	handler := func(ctx context.Context, l transport.Link) error {
		for {
			in, ok := next(ctx, l)
			if !ok {
				return nil
			}
			answer := sdkAnswer(in.Message)
			if in.Kind == wire.KindRequest {
				_ = l.Send(ctx, transport.Answer{Raw: answer, Exchange: in.Exchange})
			} else {
				p.events <- in.Method
			}
		}
	}
	for _, revision := range []string{"2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			url := serve(t, handler, mcphttp.ServerOptions{})
			checkSDKClient(t, &mcp.StreamableClientTransport{Endpoint: url}, revision)
		})
	}
	t.Run("2024-11-05", func(t *testing.T) {
		checkSDKClient(t, &mcp.SSEClientTransport{Endpoint: serveSSE(t, handler, mcphttp.ServerOptions{})}, "2024-11-05")
	})
}

func checkSDKClient(t *testing.T, via mcp.Transport, revision string) {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), via, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	if got := session.InitializeResult().ProtocolVersion; got != revision {
		t.Errorf("revision %s, want %s", got, revision)
	}
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "greet", Arguments: map[string]any{}})
	if err != nil || len(result.Content) != 1 || result.Content[0].(*mcp.TextContent).Text != "hi" {
		t.Errorf("got %+v, %v", result, err)
	}
	if err := session.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func sdkAnswer(m wire.Message) []byte {
	switch m.Method {
	case "initialize":
		return wire.Result(m.ID, []byte(`{"protocolVersion":`+string(wire.Get(m.Params, "protocolVersion"))+`,"capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`))
	case "server/discover":
		return wire.Result(m.ID, []byte(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public"}`))
	case "tools/list":
		return wire.Result(m.ID, []byte(`{"resultType":"complete","tools":[{"name":"greet","inputSchema":{"type":"object"}}],"ttlMs":0,"cacheScope":"public"}`))
	case "tools/call":
		return wire.Result(m.ID, []byte(`{"resultType":"complete","content":[{"type":"text","text":"hi"}]}`))
	default:
		return wire.Failure(m.ID, -32601, "no "+m.Method, nil)
	}
}
