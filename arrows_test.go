// Package peerwright_test guards the way imports point in this module.
package peerwright_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/peerwright/peerwright/"

// floors lists the parts of the module from the top down: a package imports only
// parts that stand below its own, and the packages of its own part.
var floors = []string{"cmd", "conformance", "reporters", "recorder", "fixtures", "bridge", "internal"}

// forbidden are arrows that the order of the floors would allow.
var forbidden = []struct{ from, to, why string }{
	{"reporters", "recorder", "a report is a document; it records nothing"},
	{"reporters", "fixtures", "a report is a document; it replays nothing"},
	{"reporters", "bridge", "a report is a document; it carries nothing"},
	{"recorder", "bridge", "a recorder stands on the transports"},
	{"fixtures", "bridge", "a fixture stands on the wire"},
	{"conformance", "bridge", "the suite must judge the bridge without standing on it"},
	{"internal/wire", "internal/", "wire is the ground floor"},
	{"internal/errclass", "internal/", "the error contract is a table"},
	{"internal/redact", "internal/", "redaction is a list"},
	{"internal/config", "internal/", "configuration knows no command"},
	{"internal/mcpschema", "internal/", "a schema is a document"},
	{"internal/seal", "internal/", "a signature knows nothing of what it signs"},
	{"internal/sqlitedb", "internal/", "a database is opened the same way for all"},
	{"internal/store", "internal/transport", "what is kept knows nothing of the wire"},
	{"internal/store", "internal/rpc", "what is kept knows nothing of the wire"},
	{"internal/store", "internal/mcp", "what is kept knows no protocol"},
	{"bridge/openai", "internal/mcp", "the surface knows neither MCP nor A2A"},
	{"bridge/openai", "internal/rpc", "the surface knows neither MCP nor A2A"},
	{"bridge/openai", "internal/store", "the surface keeps nothing"},
	{"bridge/openai", "bridge/", "the surface knows nothing of what stands behind it"},
	{"bridge/a2achat", "bridge/mcptools", "agents and tools stand beside each other"},
	{"bridge/mcptools", "bridge/a2achat", "agents and tools stand beside each other"},
	{"bridge/toolserver", "bridge/openai", "a tool server is no bridge"},
	{"bridge/a2achat/agent", "bridge/", "the agent's side knows nothing of chats"},
	{"bridge/mcptools/upstream", "bridge/", "the server's side knows nothing of chats"},
	{"internal/transport", "internal/rpc", "a transport matches no answers"},
	{"internal/transport", "internal/mcp", "a transport knows no handshake"},
	{"internal/rpc", "internal/mcp", "JSON-RPC knows no protocol above it"},
}

func TestImportsPointDown(t *testing.T) {
	eachImport(t, func(t *testing.T, from, file, to string) {
		to, ours := strings.CutPrefix(to, module)
		if !ours {
			return
		}
		if floor(from) > floor(to) {
			t.Errorf("%s: %s may not import %s: arrows point down", file, from, to)
		}
		for _, f := range forbidden {
			if strings.HasPrefix(from+"/", f.from+"/") && strings.HasPrefix(to+"/", strings.TrimSuffix(f.to, "/")+"/") && !strings.HasPrefix(to+"/", f.from+"/") {
				t.Errorf("%s: %s may not import %s: %s", file, from, to, f.why)
			}
		}
	})
}

func TestGinkgoHasOneRoom(t *testing.T) {
	eachImport(t, func(t *testing.T, from, file, to string) {
		if strings.HasPrefix(to, "github.com/onsi/ginkgo") && from != "conformance/harness" {
			t.Errorf("%s: only conformance/harness may import Ginkgo", file)
		}
	})
}

// floor returns the place of a package in floors, 0 for the top.
func floor(pkg string) int {
	part, _, _ := strings.Cut(pkg, "/")
	for i, f := range floors {
		if part == f {
			return i
		}
	}
	return 0
}

// eachImport calls visit for every import of every file that is not a test.
func eachImport(t *testing.T, visit func(t *testing.T, from, file, to string)) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ImportsOnly)
		if err != nil {
			return err
		}
		files++
		for _, spec := range f.Imports {
			to, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			visit(t, filepath.ToSlash(filepath.Dir(path)), path, to)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files == 0 {
		t.Fatal("found no Go file")
	}
}
