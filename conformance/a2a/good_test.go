package a2a

import (
	"slices"
	"testing"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/reporters"
)

// verdicts is what came of every case and monitor, by id.
type verdicts map[string]conformance.Outcome

// examine puts an agent through the whole list, as a harness would.
func examine(t *testing.T, c Config) (verdicts, *Target) {
	t.Helper()
	return examineFor(t, c, Cases(), Monitors())
}

func examineFor(t *testing.T, c Config, cases []conformance.Case, monitors []conformance.Monitor) (verdicts, *Target) {
	t.Helper()
	c.Now = time.Now
	target := NewTarget(c)
	t.Cleanup(func() { _ = target.Close(t.Context()) })
	survey, err := target.Survey(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := verdicts{}
	for _, c := range cases {
		if plan := c.PlanFor(survey); plan.Status != "" {
			out[c.ID] = conformance.Outcome{Status: plan.Status, Finding: conformance.Finding{Unverified: plan.Reason}}
			continue
		}
		out[c.ID] = conformance.Try(t.Context(), target, c, time.Now)
	}
	for _, m := range monitors {
		out[m.ID] = watch(m, survey, target.Traces())
	}
	return out, target
}

func watch(m conformance.Monitor, survey conformance.Survey, traces []conformance.Trace) conformance.Outcome {
	if plan := m.PlanFor(survey); plan.Status != "" {
		return conformance.Outcome{Status: plan.Status}
	}
	out := conformance.Outcome{Status: reporters.NotVerified}
	for _, trace := range traces {
		if !slices.Contains(m.Revisions, trace.Revision) {
			continue
		}
		j := m.Judge(trace)
		if j.Exercised > 0 && out.Status == reporters.NotVerified {
			out.Status = reporters.Passed
		}
		for _, v := range j.Violations {
			out.Status = m.Broken()
			out.Finding = conformance.Finding{Expected: v.Expected, Actual: v.Actual}
		}
	}
	return out
}

// bindings are the ways in which the suite's own agents are spoken to.
func bindings() []dialect {
	return []dialect{
		{a2ahttp.V10, a2ahttp.JSONRPC},
		{a2ahttp.V10, a2ahttp.HTTPJSON},
		{a2ahttp.V03, a2ahttp.JSONRPC},
		{a2ahttp.V02, a2ahttp.JSONRPC},
	}
}

func TestGoodAgentPasses(t *testing.T) {
	for name, build := range map[string]func(d dialect) *agent{
		"everything declared": func(d dialect) *agent { return &agent{dialect: d, streaming: true, push: true, extended: true} },
		"nothing declared":    func(d dialect) *agent { return &agent{dialect: d} },
		"messages only":       func(d dialect) *agent { return &agent{dialect: d, streaming: true, messageOnly: true} },
		"asks back":           func(d dialect) *agent { return &agent{dialect: d, streaming: true, push: true, live: "input-required"} },
	} {
		for _, d := range bindings() {
			t.Run(name+" "+d.binding+" "+d.version, func(t *testing.T) {
				t.Parallel()
				got, _ := examine(t, Config{URL: start(t, build(d))})
				for id, out := range got {
					whole := name == "everything declared"
					switch {
					case out.Status == reporters.Passed, out.Status == reporters.NotApplicable:
					case out.Status == reporters.NotVerified && !whole:
					default:
						t.Errorf("%s is %s: %+v", id, out.Status, out.Finding)
					}
				}
			})
		}
	}
}
