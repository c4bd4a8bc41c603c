package reporters

import (
	"cmp"
	"slices"
	"time"
)

// Complete returns the report with everything worked out that follows from peers, cases and calls:
// counts, verdicts, order, and the bounds on what a peer can make it grow to. What was in those places
// before does not matter, and the report passed in is left as it was. Completing twice changes nothing.
func Complete(r Report) Report {
	r.Schema = SchemaName
	r.StartedAt = r.StartedAt.UTC().Truncate(time.Millisecond)
	r.Summary = Summary{}
	peers := make([]Peer, len(r.Peers))
	for i, p := range r.Peers {
		peers[i] = completePeer(p)
		r.Summary.addAll(peers[i].Summary)
	}
	r.Peers = peers
	r.Verdict = reportVerdict(peers)
	return r
}

func completePeer(p Peer) Peer {
	clipPeer(&p)
	p.Features = sortedFeatures(p.Features)
	p.Cases = completeCases(p.Cases)
	p.Calls = mergeCalls(p.Calls)
	count(&p)
	p.Verdict = peerVerdict(p)
	return p
}

func sortedFeatures(features []string) []string {
	out := make([]string, len(features))
	for i, f := range features {
		out[i] = clip(f, maxName)
	}
	slices.Sort(out)
	return out
}

func completeCases(cases []Case) []Case {
	out := make([]Case, len(cases))
	for i, c := range cases {
		clipCase(&c)
		out[i] = c
	}
	slices.SortStableFunc(out, func(a, b Case) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// mergeCalls makes the list independent of the order in which cases happened to run.
func mergeCalls(calls []Call) []Call {
	sorted := slices.Clone(calls)
	for i := range sorted {
		sorted[i].Tool = clip(sorted[i].Tool, maxName)
		sorted[i].Why = clip(sorted[i].Why, maxProse)
	}
	slices.SortFunc(sorted, func(a, b Call) int {
		return cmp.Or(cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Why, b.Why))
	})
	out := make([]Call, 0, len(sorted))
	for _, c := range sorted {
		if n := len(out); n > 0 && out[n-1].Tool == c.Tool && out[n-1].Why == c.Why {
			out[n-1].Count += c.Count
			continue
		}
		out = append(out, c)
	}
	return out
}

func count(p *Peer) {
	p.Summary, p.Levels, p.Areas = Summary{}, Levels{}, Areas{}
	for _, c := range p.Cases {
		p.Summary.add(c.Status)
		p.Levels.add(c.Level, c.Status)
		p.Areas.add(c.Area, c.Status)
	}
	if p.Error != "" && p.Summary.Errored == 0 {
		p.Summary.Errored = 1
	}
}

func peerVerdict(p Peer) Verdict {
	switch {
	case p.Summary.Failed > 0:
		return NotConformant
	case p.Summary.Errored > 0, p.Summary.Exercised() == 0, slices.ContainsFunc(p.Cases, coreLeftOut):
		return Incomplete
	}
	return Conformant
}

// coreLeftOut reports whether c is a case that every peer can be put through, and this one was not.
func coreLeftOut(c Case) bool {
	return c.Core && !c.Status.Ran() && c.Status != NotApplicable
}

// reportVerdict is the worst verdict of any peer; a report without a peer says nothing.
func reportVerdict(peers []Peer) Verdict {
	is := func(v Verdict) func(Peer) bool { return func(p Peer) bool { return p.Verdict == v } }
	switch {
	case slices.ContainsFunc(peers, is(NotConformant)):
		return NotConformant
	case len(peers) == 0, slices.ContainsFunc(peers, is(Incomplete)):
		return Incomplete
	}
	return Conformant
}
