package a2a

import "github.com/peerwright/peerwright/conformance"

// Suite returns every case and monitor for A2A agents.
func Suite() conformance.Suite {
	return conformance.Suite{Cases: Cases(), Monitors: Monitors()}
}
