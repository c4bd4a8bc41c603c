package mutants

import "slices"

// A2A lists the mutants of the built-in A2A agent.
func A2A() []Mutant {
	return slices.Concat(
		a2aDiscovery(), a2aRefusals(), a2aRequests(), a2aDetails(), a2aIDs(), a2aContexts(), a2aRepeats(),
		a2aPages(), a2aWalks(), a2aStreams(), a2aEvents(), a2aTasks(), a2aShapes(), a2aFraming(),
	)
}
