package toolserver_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/bridge/toolserver"
)

// TestAdd asks that what is no tool is refused, and that the server then does not serve.
func TestAdd(t *testing.T) {
	good := func(context.Context, struct{}) (string, error) { return "", nil }
	tests := []struct {
		name  string
		add   func(s *toolserver.Server) error
		words string
	}{
		{"no tier", func(s *toolserver.Server) error { return toolserver.Add(s, 0, toolserver.Tool{Name: "x"}, good) }, "names no tier"},
		{"no name", func(s *toolserver.Server) error {
			return toolserver.Add(s, toolserver.ReadOnly, toolserver.Tool{}, good)
		}, "a name is"},
		{"a name with spaces", func(s *toolserver.Server) error {
			return toolserver.Add(s, toolserver.ReadOnly, toolserver.Tool{Name: "a b"}, good)
		}, "a name is"},
		{"taken", func(s *toolserver.Server) error {
			return toolserver.Add(s, toolserver.Write, toolserver.Tool{Name: "taken"}, good)
		}, "already"},
		{"no object", func(s *toolserver.Server) error {
			return toolserver.Add(s, toolserver.Write, toolserver.Tool{Name: "x"}, func(context.Context, []string) (string, error) { return "", nil })
		}, "no object"},
		{"no schema", func(s *toolserver.Server) error {
			return toolserver.Add(s, toolserver.Write, toolserver.Tool{Name: "x"}, func(context.Context, struct{ F func() }) (string, error) { return "", nil })
		}, "no schema"},
		{"no function", func(s *toolserver.Server) error {
			return toolserver.Add[struct{}, string](s, toolserver.Write, toolserver.Tool{Name: "x"}, nil)
		}, "no function"},
	}
	for _, tt := range tests {
		s, err := toolserver.New("s", toolserver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := toolserver.Add(s, toolserver.ReadOnly, toolserver.Tool{Name: "taken"}, good); err != nil {
			t.Fatal(err)
		}
		if err := tt.add(s); err == nil || !strings.Contains(err.Error(), tt.words) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if err := s.ServeStdio(t.Context(), strings.NewReader(""), io.Discard); err == nil || !strings.Contains(err.Error(), tt.words) {
			t.Errorf("%s: it served: %v", tt.name, err)
		}
	}
}

// TestListed asks what clients see of a tool: schema, descriptions, and annotations by
// tier.
func TestListed(t *testing.T) {
	var out strings.Builder
	s := newLibrary(t, toolserver.Options{})
	in := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
	if err := s.ServeStdio(t.Context(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Result struct {
			Tools []struct {
				Name         string
				InputSchema  json.RawMessage
				OutputSchema json.RawMessage
				Annotations  struct{ ReadOnlyHint, DestructiveHint, IdempotentHint, OpenWorldHint bool }
			}
		}
	}
	if err := json.Unmarshal([]byte(out.String()), &answer); err != nil {
		t.Fatal(err, out.String())
	}
	hints := map[string][2]bool{"sum": {true, false}, "add_book": {false, false}, "burn_book": {false, true}}
	for _, tool := range answer.Result.Tools {
		if want, ok := hints[tool.Name]; ok && want != [2]bool{tool.Annotations.ReadOnlyHint, tool.Annotations.DestructiveHint} {
			t.Errorf("%s: %+v", tool.Name, tool.Annotations)
		}
		delete(hints, tool.Name)
		if tool.Name == "sum" && (!strings.Contains(string(tool.InputSchema), "the first number") || !strings.Contains(string(tool.InputSchema), `"required":["a"]`) || !strings.Contains(string(tool.OutputSchema), "both together")) {
			t.Errorf("sum: %s %s", tool.InputSchema, tool.OutputSchema)
		}
	}
	if len(hints) > 0 {
		t.Errorf("not listed: %v", hints)
	}
}

// TestCursors asks that a cursor is good for another process with the same secret, and
// for none with another.
func TestCursors(t *testing.T) {
	list := func(secret, cursor string) string {
		var out strings.Builder
		s := newLibrary(t, toolserver.Options{PageSize: 3, Secret: []byte(secret)})
		in := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + cursor + `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
		if err := s.ServeStdio(t.Context(), strings.NewReader(in), &out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	_, rest, _ := strings.Cut(list("ours", ""), `"nextCursor":"`)
	cursor, _, ok := strings.Cut(rest, `"`)
	if !ok {
		t.Fatal("there is no second page")
	}
	if got := list("ours", `"cursor":"`+cursor+`",`); !strings.Contains(got, `"tools"`) {
		t.Errorf("the same secret: %s", got)
	}
	for _, secret := range []string{"theirs", ""} {
		if got := list(secret, `"cursor":"`+cursor+`",`); !strings.Contains(got, `-32602`) {
			t.Errorf("the secret %q: %s", secret, got)
		}
	}
}
