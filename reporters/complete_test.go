package reporters

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

var allStatuses = []Status{
	Passed, Failed, Warned, NotApplicable, NotVerified, Skipped, Errored, KnownFailing, KnownFlaky,
}

// TestVerdictOfOneCase holds the verdict against every status of a single case, core or not.
func TestVerdictOfOneCase(t *testing.T) {
	tests := []struct {
		status      Status
		plain, core Verdict // with a passed case beside it
		alone       Verdict // without one
	}{
		{Passed, Conformant, Conformant, Conformant},
		{Failed, NotConformant, NotConformant, NotConformant},
		{Warned, Conformant, Conformant, Conformant},
		{NotApplicable, Conformant, Conformant, Incomplete},
		{NotVerified, Conformant, Incomplete, Incomplete},
		{Skipped, Conformant, Incomplete, Incomplete},
		{Errored, Incomplete, Incomplete, Incomplete},
		{KnownFailing, Conformant, Conformant, Conformant},
		{KnownFlaky, Conformant, Conformant, Conformant},
		{"", Incomplete, Incomplete, Incomplete},
		{"unknown", Incomplete, Incomplete, Incomplete},
	}
	verdict := func(cases ...Case) Verdict { return Complete(baseReport(basePeer(cases...))).Verdict }
	for _, tt := range tests {
		plain, core := baseCase("mcp.tools.x", tt.status), baseCase("mcp.tools.x", tt.status)
		core.Core = true
		passed := baseCase("mcp.errors.y", Passed)
		if got := verdict(plain, passed); got != tt.plain {
			t.Errorf("%q beside a pass: %s, want %s", tt.status, got, tt.plain)
		}
		if got := verdict(core, passed); got != tt.core {
			t.Errorf("%q of a core case beside a pass: %s, want %s", tt.status, got, tt.core)
		}
		if got := verdict(plain); got != tt.alone {
			t.Errorf("%q alone: %s, want %s", tt.status, got, tt.alone)
		}
	}
}

func TestVerdictOfAReport(t *testing.T) {
	good := basePeer(baseCase("mcp.tools.x", Passed))
	bad := basePeer(baseCase("mcp.tools.x", Failed))
	tests := map[string]struct {
		peers []Peer
		want  Verdict
	}{
		"no peer":                 {nil, Incomplete},
		"all good":                {[]Peer{good, good}, Conformant},
		"one not started":         {[]Peer{good, unstartedPeer()}, Incomplete},
		"one bad":                 {[]Peer{good, bad}, NotConformant},
		"one bad one not started": {[]Peer{unstartedPeer(), bad}, NotConformant},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Complete(baseReport(tt.peers...)).Verdict; got != tt.want {
				t.Errorf("verdict %s, want %s", got, tt.want)
			}
		})
	}
}

func TestCounts(t *testing.T) {
	var cases []Case
	for i, s := range allStatuses {
		for range i + 1 {
			cases = append(cases, baseCase("mcp.tools.x", s))
		}
	}
	should := baseCase("mcp.errors.y", Passed)
	should.Level = Should
	may := baseCase("mcp.errors.z", Warned)
	may.Level = May
	r := Complete(baseReport(basePeer(append(cases, should, may)...), unstartedPeer()))

	must := Summary{1, 2, 3, 4, 5, 6, 7, 8, 9}
	all := must
	all.Passed, all.Warned = all.Passed+1, all.Warned+1
	p := r.Peers[0]
	check := func(what string, got, want any) {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	check("peer", p.Summary, all)
	check("levels", p.Levels, Levels{Must: must, Should: Summary{Passed: 1}, May: Summary{Warned: 1}})
	check("areas", p.Areas, Areas{"tools": must, "errors": {Passed: 1, Warned: 1}})
	check("coverage", p.Coverage(), "23 of 41 applicable MUST rules exercised")
	check("not started", r.Peers[1].Summary, Summary{Errored: 1})
	all.Errored++
	check("report", r.Summary, all)
}

// A report is the same whatever the order in which cases ran, and whoever filled in the counts.
func TestCompleteIsDeterministic(t *testing.T) {
	p := mixedPeer()
	want := Complete(baseReport(p))
	if diff := cmp.Diff(want, Complete(want)); diff != "" {
		t.Errorf("completing twice differs from once (-once +twice):\n%s", diff)
	}
	q := mixedPeer()
	for i, j := 0, len(q.Cases)-1; i < j; i, j = i+1, j-1 {
		q.Cases[i], q.Cases[j] = q.Cases[j], q.Cases[i]
	}
	q.Calls[0], q.Calls[1] = q.Calls[1], q.Calls[0]
	q.Features[0], q.Features[1] = q.Features[1], q.Features[0]
	q.Verdict, q.Summary, q.Areas = Conformant, Summary{Passed: 99}, Areas{"push": {Passed: 1}}
	if diff := cmp.Diff(want, Complete(baseReport(q))); diff != "" {
		t.Errorf("another order gives another report (-want +got):\n%s", diff)
	}
	if q.Summary.Passed != 99 || q.Cases[0].ID != "mcp.pagination.walk" {
		t.Error("Complete changed the report it was given")
	}
}
