package mutants

// What the mutants of the bridge itself are made with: they live in the tests, because
// the suite does not import what it judges.
var (
	Spoilt     = spoilt
	Saying     = saying
	Everything = everything
	InStreams  = inStreams
	InErrors   = inErrors
)
