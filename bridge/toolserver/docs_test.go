package toolserver_test

import (
	"os"
	"strings"
	"testing"
)

// TestQuickstart asks that the server in the documentation is the one that is compiled,
// and as short as it says.
func TestQuickstart(t *testing.T) {
	doc, code := read(t, "../../docs/toolserver.md"), read(t, "examples/quickstart/main.go")
	_, shown, _ := strings.Cut(doc, "<!-- quickstart:begin -->\n```go\n")
	shown, _, ok := strings.Cut(shown, "```\n<!-- quickstart:end -->")
	_, compiled, _ := strings.Cut(code, "docs/toolserver.md.\n")
	if !ok || shown != compiled {
		t.Errorf("the documentation shows\n%s\nand what is compiled is\n%s", shown, compiled)
	}
	if readme := read(t, "../../README.md"); !strings.Contains(readme, "```go\n"+compiled+"```\n") {
		t.Error("the README shows another program than the one that is compiled")
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

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
