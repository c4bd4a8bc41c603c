package a2a

import (
	"slices"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/reporters"
)

// Where the rules stand.
const (
	spec10  = "https://a2a-protocol.org/v1.0.0/specification/"
	spec03  = "https://a2a-protocol.org/v0.3.0/specification/"
	rpcSpec = "https://www.jsonrpc.org/specification"
)

// slow is for cases that wait for the agent's own work.
const slow = 90 * time.Second

// everyRevision, before10 and from10 are the revisions of a rule.
func everyRevision() []string { return []string{a2ahttp.V02, a2ahttp.V03, a2ahttp.V10} }
func before10() []string      { return []string{a2ahttp.V02, a2ahttp.V03} }
func since03() []string       { return []string{a2ahttp.V03, a2ahttp.V10} }
func since10() []string       { return []string{a2ahttp.V10} }

// Cases lists the active checks, in the order in which they need the fewest messages:
// lists come when there are tasks.
func Cases() []conformance.Case {
	cases := slices.Concat(
		discoveryCases(), versionCases(), envelopeCases(), paramsCases(), idCases(),
		taskCases(), capabilityCases(), contextCases(), streamCases(), liveCases(),
		listCases(), walkCases(),
	)
	for i := range cases {
		cases[i].Protocol = conformance.A2A
	}
	return cases
}

// liveCases need a task that goes on. They follow each other so that one task, which
// may not go on for long, serves them all; the last one ends it.
func liveCases() []conformance.Case {
	return []conformance.Case{contextMismatch(), subscribeFirst(), pushRoundTrip(), pushDeleteTwice(), cancelRepeated()}
}

// Monitors lists the passive checks.
func Monitors() []conformance.Monitor {
	monitors := slices.Concat(
		envelopeMonitors(), detailMonitors(), listMonitors(), streamMonitors(), schemaMonitors(),
	)
	for i := range monitors {
		monitors[i].Protocol = conformance.A2A
	}
	return monitors
}

func needs(features ...conformance.Feature) []conformance.Feature { return features }

func rule(text, url string) reporters.Rule { return reporters.Rule{Text: text, URL: url} }
