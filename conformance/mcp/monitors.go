package mcp

import (
	"slices"

	"github.com/peerwright/peerwright/conformance"
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
