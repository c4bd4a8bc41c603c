package toolserver_test

import (
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/peerwright/peerwright/bridge/toolserver"
	"github.com/peerwright/peerwright/internal/errclass"
)

// header puts headers on every request.
type header http.Header

func (h header) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, values := range h {
		r.Header[name] = values
	}
	return http.DefaultTransport.RoundTrip(r)
}

// connect opens a conversation with the official client, of the revision.
func connect(t *testing.T, url, revision string, h http.Header, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "official", Version: "1"}, o)
	cs, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: header(h)}},
		&mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cs.Close() })
	return cs
}

// TestElicit lets the official client's user decide, in the revision where the server
// asks and in the one where the client calls again.
func TestElicit(t *testing.T) {
	tests := []struct {
		name   string
		answer *mcp.ElicitResult // nil: the client cannot ask
		want   toolserver.Outcome
	}{
		{"yes", &mcp.ElicitResult{Action: "accept", Content: map[string]any{"allow": true}}, toolserver.OK},
		{"accepted with the box left empty", &mcp.ElicitResult{Action: "accept", Content: map[string]any{"allow": false}}, toolserver.Denied},
		{"declined", &mcp.ElicitResult{Action: "decline"}, toolserver.Denied},
		{"dismissed", &mcp.ElicitResult{Action: "cancel"}, toolserver.Denied},
		{"cannot ask", nil, toolserver.Denied},
	}
	for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		for _, tt := range tests {
			t.Run(revision+"/"+tt.name, func(t *testing.T) {
				s := newLibrary(t, toolserver.Options{Audit: filepath.Join(t.TempDir(), "a.db"), Confirm: toolserver.Elicit()})
				var mu sync.Mutex
				var asked []string
				o := &mcp.ClientOptions{}
				if tt.answer != nil {
					o.ElicitationHandler = func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						mu.Lock()
						defer mu.Unlock()
						asked = append(asked, req.Params.Message)
						return tt.answer, nil
					}
				}
				cs := connect(t, listening(t, s), revision, nil, o)
				res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "burn_book", Arguments: map[string]any{"title": "Emma\u202e"}})
				if err != nil {
					t.Fatal(err)
				}
				if res.IsError != (tt.want != toolserver.OK) {
					t.Errorf("answered %+v", res.Content[0])
				}
				mu.Lock()
				defer mu.Unlock()
				if tt.answer != nil && (len(asked) != 1 || asked[0] != `Allow burn_book of library with {"title":"Emma\u{202E}"}?`) {
					t.Errorf("asked %q", asked)
				}
				rows, err := s.Audit().Entries(t.Context(), toolserver.Filter{Tool: "burn_book"})
				if err != nil || len(rows) == 0 || rows[len(rows)-1].Outcome != tt.want || rows[0].Caller != "client:official" {
					t.Errorf("audited %+v %v", rows, err)
				}
			})
		}
	}
}

// TestAnswers sends answers that belong to no question, to another call, or were used.
func TestAnswers(t *testing.T) {
	s := newLibrary(t, toolserver.Options{Confirm: toolserver.Elicit()})
	url := listening(t, s)
	post := func(title, extra string) string {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"burn_book","arguments":{"title":"` + title + `"},` + extra +
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}}`
		return request(t, url, http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"burn_book"}}, body)
	}
	asked := post("Emma", "")
	_, rest, ok := strings.Cut(asked, `"requestState":"`)
	state, _, _ := strings.Cut(rest, `"`)
	if !ok || !strings.Contains(asked, `"input_required"`) {
		t.Fatalf("asked: %s", asked)
	}
	with := func(state string) string {
		return `"requestState":"` + state + `","inputResponses":{"confirm":{"action":"accept","content":{"allow":true}}},`
	}
	tests := []struct{ name, title, extra, words string }{
		{"no state", "Emma", `"inputResponses":{"confirm":{"action":"accept","content":{"allow":true}}},`, "belongs to no question"},
		{"a forged state", "Emma", with("pwq1." + state[10:]), "belongs to no question"},
		{"another book", "Ulysses", with(state), "belongs to another call"},
		{"no answer", "Emma", `"requestState":"` + state + `",`, "no answer"},
		{"used before", "Emma", with(state), "was used before"},
	}
	for _, tt := range tests {
		if got := post(tt.title, tt.extra); !strings.Contains(got, tt.words) || !strings.Contains(got, `"isError":true`) {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}

// request posts one message and returns the body of the answer.
func request(t *testing.T, url string, h http.Header, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for name, values := range h {
		req.Header[name] = values
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var b strings.Builder
	b.WriteString(resp.Status + "\n")
	buf := make([]byte, 32<<10)
	for {
		n, err := resp.Body.Read(buf)
		b.Write(buf[:n])
		if err != nil {
			return b.String()
		}
	}
}

// TestClassOnTheWire asks that a client which reads the canonical contract gets back
// what the server meant, also of a tool whose results have a schema.
func TestClassOnTheWire(t *testing.T) {
	s := newLibrary(t, toolserver.Options{})
	cs := connect(t, listening(t, s), "2025-11-25", nil, nil)
	tests := []struct {
		tool    string
		args    map[string]any
		class   errclass.Class
		outcome errclass.Outcome
	}{
		{"locked", map[string]any{}, errclass.NotFound, errclass.NotRun},
		{"sum", map[string]any{"a": "x"}, errclass.InvalidArgs, errclass.NotRun},
		{"burn_book", map[string]any{"title": "Emma"}, errclass.Permission, errclass.NotRun},
		{"broken", map[string]any{}, errclass.Transient, errclass.Failed},
	}
	for _, tt := range tests {
		res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tt.tool, Arguments: tt.args})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(res)
		if err != nil || !res.IsError || res.StructuredContent != nil {
			t.Fatalf("%s: %s %v", tt.tool, raw, err)
		}
		got := errclass.FromIsError(raw, res.Content[0].(*mcp.TextContent).Text, time.Now(), errclass.Call{ReadOnly: true})
		if got.Class != tt.class {
			t.Errorf("%s: read %s from %s", tt.tool, got.Class, raw)
		}
	}
}

// TestKeys asks that nobody calls without a key, that the audit has the caller's name,
// and that a session is of use to its own caller alone.
func TestKeys(t *testing.T) {
	s := newLibrary(t, toolserver.Options{Audit: filepath.Join(t.TempDir(), "a.db"), Keys: map[string]string{"ann": "key-of-ann", "bob": "key-of-bob"}})
	url := listening(t, s)
	for _, h := range []http.Header{nil, {"Authorization": {"Bearer nobody"}}, {"Authorization": {"Bearer "}}, {"Authorization": {"key-of-ann"}}, {"X-Api-Key": {"key-of"}}} {
		if got := request(t, url, h, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); !strings.HasPrefix(got, "401") {
			t.Errorf("%v: %s", h, got)
		}
	}
	ann := http.Header{"Authorization": {"Bearer key-of-ann"}}
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		cs := connect(t, url, revision, ann, nil)
		if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "motto"}); err != nil {
			t.Fatal(err)
		}
		if id := cs.ID(); id != "" {
			h := http.Header{"X-Api-Key": {"key-of-bob"}, "Mcp-Session-Id": {id}, "Mcp-Protocol-Version": {"2025-11-25"}}
			for _, body := range []string{
				`{"jsonrpc":"2.0","id":9,"method":"tools/list"}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
			} {
				if got := request(t, url, h, body); !strings.HasPrefix(got, "404") {
					t.Errorf("bob in the session of ann: %s", got)
				}
			}
			end, _ := http.NewRequestWithContext(t.Context(), http.MethodDelete, url, nil)
			end.Header = h
			if resp, err := http.DefaultClient.Do(end); err != nil || resp.StatusCode != http.StatusNotFound {
				t.Errorf("bob ends the session of ann: %v %v", resp, err)
			}
			if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "motto"}); err != nil {
				t.Errorf("ann, after bob tried: %v", err)
			}
		}
	}
	socket, _, err := websocket.DefaultDialer.DialContext(t.Context(), strings.Replace(url, "http", "ws", 1), http.Header{"X-Api-Key": {"key-of-bob"}})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	_ = socket.WriteMessage(websocket.TextMessage, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"motto","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`))
	if _, raw, err := socket.ReadMessage(); err != nil || !strings.Contains(string(raw), "slowly") {
		t.Fatalf("%s %v", raw, err)
	}
	rows, err := s.Audit().Entries(t.Context(), toolserver.Filter{})
	if err != nil || len(rows) != 4 || rows[0].Caller != "ann" || rows[2].Caller != "ann" || rows[3].Caller != "bob" {
		t.Errorf("audited %+v %v", rows, err)
	}
}

// TestOnlyThisMachine asks that pages of other sites and bent names are kept out, and
// that no open door is made by mistake.
func TestOnlyThisMachine(t *testing.T) {
	s := newLibrary(t, toolserver.Options{})
	url := listening(t, s)
	if got := request(t, url, http.Header{"Origin": {"https://evil.example"}}, `{}`); !strings.HasPrefix(got, "403") {
		t.Error(got)
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{}`))
	req.Host = "evil.example"
	if resp, err := http.DefaultClient.Do(req); err != nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("a bent name: %v %v", resp, err)
	}
	for _, address := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:80"} {
		if err := s.Listen(t.Context(), address); err == nil || !strings.Contains(err.Error(), "AllowOpen") {
			t.Errorf("%s: %v", address, err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := s.Listen(ctx, "127.0.0.1:0"); err != nil && ctx.Err() == nil {
		t.Error(err)
	}
}
