package reporters

import (
	"strings"
	"testing"
)

func TestOnlyConformantIsGreen(t *testing.T) {
	for _, status := range allStatuses {
		c := baseCase("mcp.lifecycle.initialize", status)
		c.Core = true
		r := Complete(baseReport(basePeer(c)))
		var out strings.Builder
		if err := Markdown(&out, r); err != nil {
			t.Fatal(err)
		}
		excused := status == KnownFailing || status == KnownFlaky
		for sign, want := range map[string]bool{
			"✅":           r.Verdict == Conformant,
			"brightgreen": r.Verdict == Conformant && !excused,
		} {
			if strings.Contains(out.String(), sign) != want {
				t.Errorf("%s, %s: %s should be there: %t\n%s", status, r.Verdict, sign, want, out.String())
			}
		}
	}
}

// A pass elsewhere may make the report green, but never the line that tells of a skip.
func TestSkipIsTold(t *testing.T) {
	skipped := baseCase("mcp.tools.x", Skipped)
	skipped.Reason = "left out by --skip"
	var out strings.Builder
	if err := Markdown(&out, baseReport(basePeer(skipped, baseCase("mcp.errors.y", Passed)))); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"1 of 2 applicable MUST rules exercised",
		"| tools | · | · | · | · | · | 1 |",
		"#### Skipped (1)\n\n- `mcp.tools.x`: Case x: left out by --skip\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestBadge(t *testing.T) {
	p := unstartedPeer()
	p.Name, p.Protocol, p.Revision = "a-b_c ](x)", "mcp", "2025-11-25"
	got := badgeLine(Complete(baseReport(p)))
	want := `![a-b\_c \](x) on MCP 2025-11-25: incomplete, 0 of 0 applicable MUST rules exercised]` +
		`(https://img.shields.io/badge/MCP%202025--11--25-incomplete%2C%200%2F0%20MUST-yellow)`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := badgeText("a_b-c (d)/e"), "a__b--c%20%28d%29%2Fe"; got != want {
		t.Errorf("badge text %s, want %s", got, want)
	}
}
