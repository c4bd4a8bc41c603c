package a2a

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/reporters"
)

func allMeta() (all []conformance.Meta) {
	for _, c := range Cases() {
		all = append(all, c.Meta)
	}
	for _, m := range Monitors() {
		all = append(all, m.Meta)
	}
	return all
}

func TestListsAreWhole(t *testing.T) {
	id := regexp.MustCompile(`^a2a\.[a-z]+\.[a-z]+(-[a-z]+)*$`)
	seen := map[string]bool{}
	for _, m := range allMeta() {
		if seen[m.ID] {
			t.Errorf("%s stands twice", m.ID)
		}
		seen[m.ID] = true
		if !id.MatchString(m.ID) || strings.Split(m.ID, ".")[1] != string(m.Area) {
			t.Errorf("%s is no id of area %s", m.ID, m.Area)
		}
		if m.Protocol != conformance.A2A || m.Title == "" || m.Fix == "" || m.Rule.Text == "" || len(m.Revisions) == 0 {
			t.Errorf("%s does not say everything: %+v", m.ID, m)
		}
		if !strings.HasPrefix(m.Rule.URL, "https://") || !strings.Contains(m.Rule.URL, "#") {
			t.Errorf("%s has the rule %q", m.ID, m.Rule.URL)
		}
		if !slices.Contains([]reporters.Level{reporters.Must, reporters.Should, reporters.May}, m.Level) {
			t.Errorf("%s is a %s", m.ID, m.Level)
		}
	}
	for _, c := range Cases() {
		if c.Run == nil {
			t.Errorf("%s does nothing", c.ID)
		}
	}
}

// A core rule can be put to any agent: it needs at most a binding.
func TestCoreRulesNeedNothing(t *testing.T) {
	for _, m := range allMeta() {
		for _, need := range m.Needs {
			if m.Core && need != JSONRPC && need != HTTPJSON {
				t.Errorf("%s is core and needs %s", m.ID, need)
			}
		}
	}
}

func TestAreasAreCovered(t *testing.T) {
	count := map[conformance.Area]int{}
	for _, m := range allMeta() {
		count[m.Area]++
	}
	for _, area := range []conformance.Area{conformance.Errors, conformance.Pagination, conformance.Idempotency, conformance.Streaming} {
		if count[area] < 5 {
			t.Errorf("%d rules of %s", count[area], area)
		}
	}
}
