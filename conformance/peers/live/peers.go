package live

import (
	"net/http"
	"path/filepath"

	"github.com/peerwright/peerwright/conformance/peers/gopeers"
)

// The transports of the peers; A2A agents have their interfaces on their card.
const (
	Stdio = "stdio"
	HTTP  = "http"
	Card  = "card"
)

// Peer is a peer that can be started.
type Peer struct {
	Name      string // unique, and fit for the name of a test
	Protocol  string // mcp or a2a
	Transport string // Stdio, HTTP or Card
	Note      string // what is particular about it
	needs     []need
	program   program                        // where it is a process
	handler   func(base string) http.Handler // where it is served by this process
	path      string                         // after the base URL
}

// program is a process to start.
type program struct {
	args []string
	env  []string // added to that of this process
	// freePort tells that it cannot choose a port: the {port} in args and env is
	// replaced by one that was free, and it is asked until it answers. Otherwise it
	// says "listening URL".
	freePort bool
}

// Peers lists the peers; root is the root folder of the checkout.
func Peers(root string) []Peer {
	t := tools{root: root}
	return append(append(t.mcp(), t.a2a()...), inProcess()...)
}

// tools knows where things are installed.
type tools struct{ root string }

func (t tools) in(parts ...string) string {
	return filepath.Join(append([]string{t.root, ".tools"}, parts...)...)
}

func (t tools) node(script string, args ...string) program {
	return program{args: append([]string{"node", "--preserve-symlinks", "--preserve-symlinks-main", t.in("node", script)}, args...)}
}

func (t tools) nodeNeeds() []need {
	return []need{onPath("node"), installed(t.in("node", ".installed"))}
}

func (t tools) python(script string, args ...string) program {
	return program{
		args: append([]string{t.in("venv", "bin", "python"), filepath.Join(t.root, "conformance", "peers", "python", script)}, args...),
		env:  []string{"PYTHONDONTWRITEBYTECODE=1"},
	}
}

func (t tools) pythonNeeds() []need { return []need{installed(t.in("venv", ".installed"))} }

func (t tools) mcp() []Peer {
	node, python := t.nodeNeeds(), t.pythonNeeds()
	everything := t.in("node", "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")
	goBinary := t.in("bin", "everything")
	goNeeds := []need{installed(goBinary)}
	return []Peer{
		{Name: "node-mcp-stdio", Protocol: "mcp", Transport: Stdio, Note: "TypeScript SDK 2.4.0", needs: node, program: t.node("mcp-server.mjs", "stdio")},
		{Name: "node-mcp-http", Protocol: "mcp", Transport: HTTP, Note: "TypeScript SDK 2.4.0", needs: node, program: t.node("mcp-server.mjs", "0")},
		{
			Name: "node-everything-stdio", Protocol: "mcp", Transport: Stdio, Note: "server-everything 2026.8.31", needs: node,
			program: program{args: []string{"node", everything, "stdio"}},
		},
		{
			Name: "node-everything-http", Protocol: "mcp", Transport: HTTP, Note: "server-everything 2026.8.31", needs: node, path: "/mcp",
			program: program{args: []string{"node", "-r", t.in("node", "loopback.cjs"), everything, "streamableHttp"}, env: []string{"PORT=0"}},
		},
		{Name: "python-mcp-stdio", Protocol: "mcp", Transport: Stdio, Note: "Python SDK 2.3.0", needs: python, program: t.python("mcp_server.py", "stdio")},
		{Name: "python-mcp-http", Protocol: "mcp", Transport: HTTP, Note: "Python SDK 2.3.0", needs: python, program: t.python("mcp_server.py", "0")},
		{Name: "go-everything-stdio", Protocol: "mcp", Transport: Stdio, Note: "Go SDK 1.8.0, its own example", needs: goNeeds, program: program{args: []string{goBinary}}},
		{
			Name: "go-everything-http", Protocol: "mcp", Transport: HTTP, Note: "Go SDK 1.8.0, its own example", needs: goNeeds,
			program: program{args: []string{goBinary, "-http", "127.0.0.1:{port}"}, freePort: true},
		},
	}
}

func (t tools) a2a() []Peer {
	return []Peer{
		{Name: "node-a2a", Protocol: "a2a", Transport: Card, Note: "@a2a-js/sdk 1.3.0, 1.0 and 0.3", needs: t.nodeNeeds(), program: t.node("a2a-agent.mjs", "0")},
		{Name: "python-a2a", Protocol: "a2a", Transport: Card, Note: "a2a-sdk 1.3.0, 1.0 and 0.3", needs: t.pythonNeeds(), program: t.python("a2a_agent.py", "0")},
	}
}

// inProcess lists the peers that need nothing but this module.
func inProcess() []Peer {
	fixed := func(h http.Handler) func(string) http.Handler { return func(string) http.Handler { return h } }
	return []Peer{
		{Name: "go-mcp-http-sessions", Protocol: "mcp", Transport: HTTP, Note: "Go SDK 1.8.0, plain", handler: fixed(gopeers.MCP(false)), path: "/mcp"},
		{Name: "go-mcp-http-stateless", Protocol: "mcp", Transport: HTTP, Note: "Go SDK 1.8.0, plain", handler: fixed(gopeers.MCP(true)), path: "/mcp"},
		{Name: "go-a2a", Protocol: "a2a", Transport: Card, Note: "a2a-go 2.3.1, plain, 1.0", handler: gopeers.A2A},
		{Name: "go-a2a-old", Protocol: "a2a", Transport: Card, Note: "a2a-go 0.3.15, plain, 0.3", handler: gopeers.A2AOld},
	}
}
