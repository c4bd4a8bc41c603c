package mutants_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/peerwright/peerwright/bridge"
	"github.com/peerwright/peerwright/bridge/a2achat"
	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/conformance/chat"
	"github.com/peerwright/peerwright/conformance/peers/a2apeer"
	"github.com/peerwright/peerwright/conformance/peers/chatpeer"
	"github.com/peerwright/peerwright/conformance/peers/mcppeer"
	"github.com/peerwright/peerwright/internal/redact"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/reporters"
)

// secret is the inbound key of the bridges that have one.
const secret = "the key of the bridge under test"

// startBridge opens the bridge itself, as the command does, and serves it on loopback.
func startBridge(t *testing.T, c bridge.Config) (base string) {
	t.Helper()
	b, err := bridge.Open(t.Context(), c, bridge.Env{
		Lookup: func(string) (string, bool) { return secret, true }, Now: time.Now, Random: rand.Reader,
		Log: slog.New(slog.DiscardHandler), Trace: io.Discard, Redact: redact.New([]byte("a key for the tests of the suite")), Version: "1.0.0",
	})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Serve(ctx, l) }()
	for id, err := range b.Start(t.Context()) {
		t.Errorf("%s: %v", id, err)
	}
	t.Cleanup(func() {
		stop()
		ending, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
		defer cancel()
		if err := errors.Join(<-ended, b.Close(ending)); err != nil {
			t.Errorf("closing the bridge: %v", err)
		}
	})
	return "http://" + l.Addr().String()
}

// inFrontOf passes everything on to the bridge, for what stands before it.
func inFrontOf(t *testing.T, base string) http.Handler {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(u)
	proxy.FlushInterval = -1
	return proxy
}

func listening(t *testing.T, h http.Handler) (base string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// The peers behind the bridge.

func mcpPeer(t *testing.T) bridge.UpstreamConfig {
	t.Helper()
	return bridge.UpstreamConfig{ID: "peer", MCP: listening(t, mcppeer.New(mcppeer.Options{}).Handler()) + "/mcp"}
}

func shelf(t *testing.T) bridge.UpstreamConfig {
	t.Helper()
	return bridge.UpstreamConfig{ID: "shelf", MCP: listening(t, newShelf())}
}

func agent(t *testing.T) a2achat.AgentConfig {
	t.Helper()
	return a2achat.AgentConfig{ID: "helper", CardURL: listening(t, a2apeer.New(a2apeer.Options{Step: time.Millisecond}).Handler(""))}
}

func model(t *testing.T) *bridge.LLMConfig {
	t.Helper()
	return &bridge.LLMConfig{URL: listening(t, chatpeer.New(chatpeer.Options{Plain: true}).Handler()) + "/v1", Model: "library"}
}

type query struct {
	Author string `json:"author,omitempty"`
	Cursor string `json:"cursor,omitempty"`
}

type page struct {
	Books      []string `json:"books"`
	NextCursor string   `json:"nextCursor,omitempty"`
}

type note struct {
	Text string `json:"text"`
}

type nothing struct{}

// newShelf is an MCP server on the official SDK whose tools are those that a bridge is
// told apart by: a list that pages by a cursor, one that answers alike always and one that
// never does, one that fails, and one that writes.
func newShelf() http.Handler {
	s := mcp.NewServer(&mcp.Implementation{Name: "shelf", Version: "1.0.0"}, nil)
	reads := &mcp.ToolAnnotations{ReadOnlyHint: true}
	var visits, notes atomic.Int64
	mcp.AddTool(s, &mcp.Tool{Name: "list_books", Description: "Lists books.", Annotations: reads}, func(_ context.Context, _ *mcp.CallToolRequest, q query) (*mcp.CallToolResult, page, error) {
		from, err := strconv.Atoi(q.Cursor)
		if q.Cursor != "" && err != nil {
			return nil, page{}, errors.New("there is no such page")
		}
		p := page{Books: []string{}}
		for i := from; i < min(from+2, 5); i++ {
			p.Books = append(p.Books, q.Author+" "+strconv.Itoa(i))
		}
		if from+2 < 5 {
			p.NextCursor = strconv.Itoa(from + 2)
		}
		return nil, p, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "count_visits", Description: "Counts visits.", Annotations: reads}, func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, any, error) {
		return said(strconv.FormatInt(visits.Add(1), 10)), nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "get_motto", Description: "Tells the motto.", Annotations: reads}, func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, any, error) {
		return said("Größe ist 📚, nicht \"Maß\""), nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "find_nothing", Description: "Fails.", Annotations: reads}, func(context.Context, *mcp.CallToolRequest, nothing) (*mcp.CallToolResult, any, error) {
		return nil, nil, errors.New("there is nothing")
	})
	mcp.AddTool(s, &mcp.Tool{Name: "put_note", Description: "Writes a note.", Annotations: &mcp.ToolAnnotations{IdempotentHint: true}}, func(_ context.Context, _ *mcp.CallToolRequest, n note) (*mcp.CallToolResult, any, error) {
		return said("note " + strconv.FormatInt(notes.Add(1), 10) + ": " + n.Text), nil, nil
	})
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
}

func said(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// allowed are the tools that write and that the suite may call.
func allowed() []string { return []string{"put_note"} }

// toolNeeds and agentNeeds are what a bridge without tools, or without agents, has not.
func toolNeeds() []conformance.Feature {
	return []conformance.Feature{chat.Tools, chat.CallableTool, chat.SchemaTool, chat.OtherTool, chat.OnlyTools}
}

func agentNeeds() []conformance.Feature {
	return []conformance.Feature{chat.Agents, chat.OnlyAgents}
}

// The suite finds nothing wrong with the bridge itself, whatever is behind it. All that
// applies is put to work and passes; what is not is named here.
func TestTheBridgeItself(t *testing.T) {
	for name, c := range map[string]struct {
		config     func(t *testing.T) bridge.Config
		target     chat.Config
		lacks      []conformance.Feature
		unverified []string
	}{
		"two MCP servers": {config: func(t *testing.T) bridge.Config {
			return bridge.Config{Upstreams: []bridge.UpstreamConfig{mcpPeer(t), shelf(t)}}
		}, lacks: agentNeeds()},
		"one MCP server, a key, a store on disk": {config: func(t *testing.T) bridge.Config {
			return bridge.Config{Upstreams: []bridge.UpstreamConfig{shelf(t)}, APIKeysEnv: "KEYS", Store: "sqlite://" + t.TempDir() + "/bridge.db"}
		}, target: chat.Config{Options: transport.Options{Header: http.Header{"Authorization": {"Bearer " + secret}}}}, lacks: agentNeeds()},
		"an agent": {config: func(t *testing.T) bridge.Config {
			return bridge.Config{Agents: []a2achat.AgentConfig{agent(t)}}
		}, lacks: toolNeeds()},
		"an agent that cannot stream": {config: func(t *testing.T) bridge.Config {
			card := listening(t, a2apeer.New(a2apeer.Options{Step: time.Millisecond, NoStreaming: true}).Handler(""))
			return bridge.Config{Agents: []a2achat.AgentConfig{{ID: "helper", CardURL: card}}}
		}, lacks: toolNeeds()},
		"an agent and MCP servers": {config: func(t *testing.T) bridge.Config {
			return bridge.Config{Agents: []a2achat.AgentConfig{agent(t)}, Upstreams: []bridge.UpstreamConfig{mcpPeer(t), shelf(t)}}
		}, lacks: []conformance.Feature{chat.OnlyTools, chat.OnlyAgents}, unverified: []string{
			"chat.lifecycle.conversation: no agent was asked; name one with --model, and what to say to it with --prompt",
		}},
		"an agent that is asked, and an MCP server": {config: func(t *testing.T) bridge.Config {
			return bridge.Config{Agents: []a2achat.AgentConfig{agent(t)}, Upstreams: []bridge.UpstreamConfig{shelf(t)}}
		}, target: chat.Config{Model: "helper", Prompt: "hello"}, lacks: []conformance.Feature{chat.OnlyTools, chat.OnlyAgents}},
		"an MCP server and a model": {config: func(t *testing.T) bridge.Config {
			return bridge.Config{Upstreams: []bridge.UpstreamConfig{shelf(t)}, LLM: model(t)}
		}, lacks: append(agentNeeds(), chat.OnlyTools)},
		"an MCP server and a model that is asked": {config: func(t *testing.T) bridge.Config {
			return bridge.Config{Upstreams: []bridge.UpstreamConfig{shelf(t)}, LLM: model(t)}
		}, target: chat.Config{Model: "library", Prompt: "hello"}, lacks: append(agentNeeds(), chat.OnlyTools)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.target.URL, c.target.AllowTools, c.target.Now = startBridge(t, c.config(t)), allowed(), time.Now
			all := putThrough(t, chat.Suite(), chat.NewTarget(c.target))
			if ids, details := broken(all); len(ids) > 0 {
				t.Errorf("the bridge breaks %q:\n%s", ids, details)
			}
			lacking := map[string]bool{}
			for _, m := range chat.Suite().Metas() {
				lacking[m.ID] = slices.ContainsFunc(m.Needs, func(f conformance.Feature) bool { return slices.Contains(c.lacks, f) })
			}
			var unverified []string
			for _, r := range all {
				if r.status == reporters.NotVerified {
					unverified = append(unverified, r.id+": "+r.Unverified)
				}
				if (r.status == reporters.NotApplicable) != lacking[r.id] {
					t.Errorf("%s is %s: %s", r.id, r.status, r.Unverified)
				}
			}
			if d := cmp.Diff(c.unverified, unverified); d != "" {
				t.Errorf("not verified (- expected, + was):\n%s", d)
			}
		})
	}
}
