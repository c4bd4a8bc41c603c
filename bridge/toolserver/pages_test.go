package toolserver_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/peerwright/peerwright/bridge/toolserver"
)

// TestManyTools walks a server of 2,500 tools, and asks that each comes once, that a cursor
// is good more than once, and that one which this server did not give is -32602.
func TestManyTools(t *testing.T) {
	const tools, pages = 2_500, 25
	s, foreign := many(t, tools), many(t, 200)
	url, foreignURL := listening(t, s), listening(t, foreign)
	for _, revision := range []string{"2024-11-05", "2025-11-25", "2026-07-28"} {
		cs := connect(t, url, revision, nil, nil)
		seen, walked, cursor := map[string]bool{}, 0, ""
		for {
			page, err := cs.ListTools(t.Context(), &mcp.ListToolsParams{Cursor: cursor})
			if err != nil {
				t.Fatal(err)
			}
			for _, tool := range page.Tools {
				if seen[tool.Name] {
					t.Fatalf("%s: %s came twice", revision, tool.Name)
				}
				seen[tool.Name] = true
			}
			if walked++; page.NextCursor == "" {
				break
			}
			cursor = page.NextCursor
		}
		if len(seen) != tools || walked != pages {
			t.Errorf("%s: %d tools on %d pages", revision, len(seen), walked)
		}
		theirs, err := connect(t, foreignURL, revision, nil, nil).ListTools(t.Context(), nil)
		if err != nil || theirs.NextCursor == "" {
			t.Fatal("the other server has no second page", err)
		}
		for name, wrong := range map[string]string{
			"made up": "100", "altered": cursor[:len(cursor)-1] + "!", "of another server": theirs.NextCursor, "of stdio": stdioCursor(t, s),
		} {
			_, err := cs.ListTools(t.Context(), &mcp.ListToolsParams{Cursor: wrong})
			var coded *jsonrpc.Error
			if !errors.As(err, &coded) || coded.Code != jsonrpc.CodeInvalidParams {
				t.Errorf("%s: a cursor that was %s: %v", revision, name, err)
			}
		}
	}
}

func many(t *testing.T, n int) *toolserver.Server {
	t.Helper()
	s, err := toolserver.New("many", toolserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		err := toolserver.Add(s, toolserver.ReadOnly, toolserver.Tool{Name: fmt.Sprintf("tool_%04d", i)}, func(context.Context, struct{}) (string, error) { return "", nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// stdioCursor is the first cursor of the server over stdio.
func stdioCursor(t *testing.T, s *toolserver.Server) string {
	t.Helper()
	var out strings.Builder
	in := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
	if err := s.ServeStdio(t.Context(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(out.String(), `"nextCursor":"`)
	cursor, _, ok := strings.Cut(rest, `"`)
	if !ok {
		t.Fatal("there is no second page over stdio")
	}
	return cursor
}

// TestUnknownTool asks that a call of a tool that is not there is an error that names what
// there is, and has its row.
func TestUnknownTool(t *testing.T) {
	s := newLibrary(t, toolserver.Options{Audit: t.TempDir() + "/a.db"})
	url := listening(t, s)
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		_, err := connect(t, url, revision, nil, nil).CallTool(t.Context(), &mcp.CallToolParams{Name: "mutto"})
		var coded *jsonrpc.Error
		if !errors.As(err, &coded) || coded.Code != jsonrpc.CodeInvalidParams || !strings.Contains(coded.Message, `there is no tool "mutto"; there are add_book`) {
			t.Errorf("%s: %v", revision, err)
		}
	}
	rows, err := s.Audit().Entries(t.Context(), toolserver.Filter{Outcome: toolserver.Invalid})
	if err != nil || len(rows) != 2 || rows[0].Tool != "mutto" {
		t.Errorf("%+v %v", rows, err)
	}
}
