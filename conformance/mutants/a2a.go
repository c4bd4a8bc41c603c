package mutants

import "slices"

// A2A lists the mutants of the built-in A2A agent.
func A2A() []Mutant {
	return slices.Concat(a2aDiscovery(), a2aRefusals(), a2aRequests())
}
