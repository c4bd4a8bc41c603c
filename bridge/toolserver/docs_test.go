package toolserver_test

import (
	"os"
	"strings"
	"testing"
)

// TestQuickstart asks that the server in the documentation is the one that is compiled,
// and as short as it says.
func TestQuickstart(t *testing.T) {
	doc, err := os.ReadFile("../../docs/toolserver.md")
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("examples/quickstart/main.go")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(doc), "<!-- quickstart:begin -->\n```go\n")
	shown, _, ok := strings.Cut(shown, "```\n<!-- quickstart:end -->")
	_, compiled, _ := strings.Cut(string(code), "docs/toolserver.md.\n")
	if !ok || shown != compiled {
		t.Errorf("the documentation shows\n%s\nand what is compiled is\n%s", shown, compiled)
	}
	_, body, _ := strings.Cut(shown, "\n)\n")
	lines := 0
	for line := range strings.Lines(body) {
		if strings.Trim(line, " \t\n}") != "" {
			lines++
		}
	}
	if lines > 10 {
		t.Errorf("it has %d lines", lines)
	}
}
