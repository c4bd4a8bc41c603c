package harness

import (
	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// report turns the outcome of a case into its line of the report. The transcript
// stands beside what did not hold, and only there.
func (r *run) report(result reporters.Case, c conformance.Case, out conformance.Outcome) reporters.Case {
	result.Status, result.DurationMS = out.Status, out.Duration.Milliseconds()
	switch out.Status {
	case reporters.Failed, reporters.Warned:
		result.Expected, result.Actual, result.Fix = r.clean(out.Expected), r.clean(out.Actual), c.Fix
		result.Transcript = r.transcript(out.Frames)
	case reporters.NotVerified:
		result.Reason = r.clean(out.Unverified)
	case reporters.Errored:
		result.Reason = r.clean(out.Broken)
		result.Transcript = r.transcript(out.Frames)
	case reporters.Passed, reporters.NotApplicable, reporters.Skipped, reporters.KnownFailing, reporters.KnownFlaky:
	}
	return result
}

func (r *run) clean(s string) string { return string(r.options.Redactor.Text([]byte(s))) }

// transcript writes the frames down; the text of those alone that a report keeps, as to
// take the secrets out of all that a peer may have sent takes its time.
func (r *run) transcript(frames []wire.Frame) []reporters.Frame {
	lines := make([]reporters.Frame, 0, len(frames))
	for i, f := range frames {
		line := reporters.Frame{N: i + 1, AtUS: f.At.Microseconds(), Dir: string(f.Dir), Kind: string(f.Kind)}
		if i < reporters.MaxFrames/2 || i >= len(frames)-reporters.MaxFrames/2 {
			line.Text = r.text(f)
		}
		lines = append(lines, line)
	}
	return lines
}
