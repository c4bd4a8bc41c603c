package harness

import (
	"maps"
	"slices"
	"sync"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/reporters"
)

// run is one peer on its way through the suite.
type run struct {
	target  conformance.Target
	suite   conformance.Suite
	options Options
	survey  conformance.Survey
	todo    []conformance.Case // in the order in which they run

	mu       sync.Mutex
	results  map[string]reporters.Case
	lost     string // why the peer cannot be reached any more; "" while it can
	unopened int    // how many of the last cases in a row had no handle
}

// plan settles what needs no run, and lists what does.
func (r *run) plan() {
	for _, c := range r.suite.Cases {
		if plan := r.planFor(c.Meta); plan.Status != "" {
			r.settle(c.Meta, plan)
			continue
		}
		r.todo = append(r.todo, c)
	}
}

func (r *run) planFor(m conformance.Meta) conformance.Plan {
	if !r.options.Select.Takes(m.ID) {
		return conformance.Plan{Status: reporters.Skipped, Reason: "left out by the selection"}
	}
	return m.PlanFor(r.survey)
}

func (r *run) settle(m conformance.Meta, plan conformance.Plan) {
	result := describe(m)
	result.Status, result.Reason = plan.Status, plan.Reason
	r.put(result)
}

// put keeps the first result of a case: what a case that was given up says later is
// of no account.
func (r *run) put(result reporters.Case) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, settled := r.results[result.ID]; !settled {
		r.results[result.ID] = result
	}
}

// describe fills in what a report says of a rule whatever came of it.
func describe(m conformance.Meta) reporters.Case {
	return reporters.Case{
		ID: m.ID, Title: m.Title, Area: string(m.Area), Level: m.Level, Core: m.Core, Rule: m.Rule,
	}
}

func (r *run) peer() reporters.Peer {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.survey
	return reporters.Peer{
		Protocol: s.Protocol, Transport: s.Transport, Target: r.clean(s.Target),
		Name: r.clean(s.Name), Version: r.clean(s.Version), Revision: s.Revision, Features: features(s),
		Cases: slices.Collect(maps.Values(r.results)), Calls: r.calls(),
	}
}

// calls lists the calls without the secrets that a peer may have put into the name of
// a tool.
func (r *run) calls() []reporters.Call {
	calls := slices.Clone(r.target.Calls())
	for i := range calls {
		calls[i].Tool, calls[i].Why = r.clean(calls[i].Tool), r.clean(calls[i].Why)
	}
	return calls
}

func features(s conformance.Survey) []string {
	names := make([]string, 0, len(s.Features))
	for f := range s.Features {
		names = append(names, string(f))
	}
	return names
}
