package mutants

// A2A lists the mutants of the built-in A2A agent.
func A2A() []Mutant { return nil }
