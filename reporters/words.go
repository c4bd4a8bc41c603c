package reporters

// Status is what came of one case. The zero value is no status; it is counted as [Errored], so that a
// forgotten status never looks like a pass.
type Status string

// The statuses of a case.
const (
	Passed        Status = "passed"         // the rule was exercised and held
	Failed        Status = "failed"         // a MUST was broken
	Warned        Status = "warned"         // a SHOULD was broken
	NotApplicable Status = "not-applicable" // the feature is not declared, or the rule is of another revision
	NotVerified   Status = "not-verified"   // declared, but nothing the peer offers could exercise the rule
	Skipped       Status = "skipped"        // left out by the user
	Errored       Status = "errored"        // the suite failed, or the peer could not be started or reached
	KnownFailing  Status = "known-failing"  // failed, and the baseline lists it
	KnownFlaky    Status = "known-flaky"    // the baseline lists it as flaky
)

// Ran reports whether a case with this status was put to the peer and answered.
func (s Status) Ran() bool {
	switch s {
	case Passed, Failed, Warned, KnownFailing, KnownFlaky:
		return true
	}
	return false
}

// Verdict is the judgement on a peer, or on a whole report. The zero value is no verdict.
type Verdict string

// The verdicts.
const (
	Conformant    Verdict = "conformant"     // nothing failed, and every core case ran
	NotConformant Verdict = "not-conformant" // at least one case failed
	Incomplete    Verdict = "incomplete"     // nothing failed, but too little ran to say more
)

// Level is the strength of a rule, by RFC 2119. The zero value is no level.
type Level string

// The levels of a rule.
const (
	Must   Level = "MUST"
	Should Level = "SHOULD"
	May    Level = "MAY"
)

// The directions of a [Frame], seen from the suite.
const (
	Out = "out" // from the suite to the peer
	In  = "in"  // from the peer to the suite
)
