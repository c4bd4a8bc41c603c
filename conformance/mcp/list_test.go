package mcp

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/reporters"
)

func metas() []conformance.Meta {
	var all []conformance.Meta
	for _, c := range Cases() {
		all = append(all, c.Meta)
	}
	for _, m := range Monitors() {
		all = append(all, m.Meta)
	}
	return all
}

// Every rule says what it is about, and where the specification makes it.
func TestMetasAreComplete(t *testing.T) {
	id := regexp.MustCompile(`^mcp\.([a-z]+)\.[a-z0-9]+(-[a-z0-9]+)*$`)
	url := regexp.MustCompile(`^https://(modelcontextprotocol\.io/specification/\d{4}-\d\d-\d\d/|www\.jsonrpc\.org/specification#|www\.rfc-editor\.org/rfc/rfc\d+)`)
	seen := map[string]bool{}
	for _, m := range metas() {
		parts := id.FindStringSubmatch(m.ID)
		switch {
		case parts == nil:
			t.Errorf("%q is no id", m.ID)
		case seen[m.ID]:
			t.Errorf("%s stands twice", m.ID)
		case m.Protocol != conformance.MCP, string(m.Area) != parts[1]:
			t.Errorf("%s: protocol %q, area %q", m.ID, m.Protocol, m.Area)
		case !slices.Contains([]reporters.Level{reporters.Must, reporters.Should, reporters.May}, m.Level):
			t.Errorf("%s: level %q", m.ID, m.Level)
		case m.Title == "", m.Fix == "", m.Rule.Text == "", !url.MatchString(m.Rule.URL):
			t.Errorf("%s: title %q, fix %q, rule %+v", m.ID, m.Title, m.Fix, m.Rule)
		case strings.HasSuffix(m.Title, "."), !strings.HasSuffix(strings.TrimSuffix(m.Rule.Text, ")"), "."), !strings.HasSuffix(m.Fix, "."):
			t.Errorf("%s: a title has no full stop, a rule and a fix have one", m.ID)
		case len(m.Revisions) == 0, !subset(m.Revisions, mcp.Revisions()):
			t.Errorf("%s: revisions %v", m.ID, m.Revisions)
		}
		seen[m.ID] = true
	}
	for _, c := range Cases() {
		if c.Run == nil {
			t.Errorf("%s does nothing", c.ID)
		}
	}
}

func subset(some, all []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

// A good server passes every case that applies to it, whatever it speaks and
// however it is reached.
func TestGoodServersPass(t *testing.T) {
	for _, w := range everyWay(mcp.Rev2024, mcp.Rev2503, mcp.Rev2506, mcp.Rev2511, mcp.Rev2607) {
		era := "legacy"
		if mcp.Modern(w.revision) {
			era = "modern"
		}
		for _, peer := range []*scripted{{}, {era: era}, {era: era, http: scriptedHTTP{sse: true}}} {
			pass(t, peer, w)
		}
	}
}

// pass puts one good server through every case.
func pass(t *testing.T, peer *scripted, w way) {
	t.Helper()
	target := peer.target(t, w)
	survey, err := target.Survey(t.Context())
	if err != nil {
		t.Fatalf("era %q, %v: %v", peer.era, w, err)
	}
	for _, c := range Cases() {
		out := attempt(t, target, survey, c)
		switch {
		case out.Status == reporters.Passed, out.Status == reporters.NotApplicable:
		case out.Status == reporters.NotVerified && !c.Core:
			t.Logf("era %q, %v: %s is not verified: %s", peer.era, w, c.ID, out.Unverified)
		default:
			t.Errorf("era %q, %v: %s is %s: expected %q, actual %q, unverified %q, broken %q",
				peer.era, w, c.ID, out.Status, out.Expected, out.Actual, out.Unverified, out.Broken)
		}
	}
}
