package reporters

import (
	"fmt"
	"maps"
	"slices"
)

// Summary counts cases by status.
type Summary struct {
	Passed        int `json:"passed"`
	Failed        int `json:"failed"`
	Warned        int `json:"warned"`
	NotApplicable int `json:"not_applicable"`
	NotVerified   int `json:"not_verified"`
	Skipped       int `json:"skipped"`
	Errored       int `json:"errored"`
	KnownFailing  int `json:"known_failing"`
	KnownFlaky    int `json:"known_flaky"`
}

// Exercised is how many cases were put to the peer and answered.
func (s Summary) Exercised() int {
	return s.Passed + s.Failed + s.Warned + s.KnownFailing + s.KnownFlaky
}

// Applicable is how many cases apply to the peer, whether or not they ran.
func (s Summary) Applicable() int {
	return s.Exercised() + s.NotVerified + s.Skipped + s.Errored
}

// Levels counts cases by the level of their rule.
type Levels struct {
	Must   Summary `json:"MUST"`
	Should Summary `json:"SHOULD"`
	May    Summary `json:"MAY"`
}

// Areas counts cases by area. Only areas with a case are in it.
type Areas map[string]Summary

// names are the areas in alphabetical order.
func (a Areas) names() []string {
	return slices.Sorted(maps.Keys(a))
}

// Coverage says how much of what applies to the peer was exercised. A verdict is never told without it.
func (p Peer) Coverage() string {
	must := p.Levels.Must
	return fmt.Sprintf("%d of %d applicable MUST rules exercised", must.Exercised(), must.Applicable())
}

func (s *Summary) add(status Status) {
	switch status {
	case Passed:
		s.Passed++
	case Failed:
		s.Failed++
	case Warned:
		s.Warned++
	case NotApplicable:
		s.NotApplicable++
	case NotVerified:
		s.NotVerified++
	case Skipped:
		s.Skipped++
	case KnownFailing:
		s.KnownFailing++
	case KnownFlaky:
		s.KnownFlaky++
	default:
		s.Errored++
	}
}

func (s *Summary) addAll(o Summary) {
	s.Passed += o.Passed
	s.Failed += o.Failed
	s.Warned += o.Warned
	s.NotApplicable += o.NotApplicable
	s.NotVerified += o.NotVerified
	s.Skipped += o.Skipped
	s.Errored += o.Errored
	s.KnownFailing += o.KnownFailing
	s.KnownFlaky += o.KnownFlaky
}

func (l *Levels) add(level Level, status Status) {
	switch level {
	case Should:
		l.Should.add(status)
	case May:
		l.May.add(status)
	default: // a rule without a level is held to the strictest
		l.Must.add(status)
	}
}

func (a Areas) add(area string, status Status) {
	s := a[area]
	s.add(status)
	a[area] = s
}
