package mcp

import (
	"slices"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/wire"
)

// Monitors lists the passive checks: what holds of everything that travels.
func Monitors() []conformance.Monitor {
	return slices.Concat(messageMonitors(), progressMonitors(), streamMonitors(), schemaMonitors())
}

// breach makes a violation that points at the frames of the messages that show it.
func breach(expected, actual string, at ...seen) conformance.Violation {
	v := conformance.Violation{Expected: expected, Actual: actual}
	for _, m := range at {
		v.Frames = append(v.Frames, m.Frame.Seq)
	}
	return v
}

// eachReceived makes the Judge of a rule about single messages of the server: every
// one that counts exercises it. judge says whether the message counts, and the
// violation where it breaks the rule.
func eachReceived(judge func(m seen) (counts bool, v *conformance.Violation)) func(conformance.Trace) conformance.Judgement {
	return func(t conformance.Trace) conformance.Judgement {
		var j conformance.Judgement
		for _, m := range traffic(t) {
			if m.Frame.Dir != wire.In {
				continue
			}
			counts, v := judge(m)
			if counts {
				j.Exercised++
			}
			if v != nil {
				j.Violations = append(j.Violations, *v)
			}
		}
		return j
	}
}

// unless returns the violation that breach makes, nil when ok.
func unless(ok bool, expected, actual string, at ...seen) *conformance.Violation {
	if ok {
		return nil
	}
	v := breach(expected, actual, at...)
	return &v
}
