package main

import (
	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/conformance/a2a"
	"github.com/peerwright/peerwright/conformance/harness"
	"github.com/peerwright/peerwright/conformance/mcp"
)

// suiteFor returns the cases and monitors of a protocol.
func suiteFor(protocol string) harness.Suite {
	if protocol == conformance.A2A {
		return harness.Suite{Cases: a2a.Cases(), Monitors: a2a.Monitors()}
	}
	return harness.Suite{Cases: mcp.Cases(), Monitors: mcp.Monitors()}
}

// suites returns those of both.
func suites() []harness.Suite {
	return []harness.Suite{suiteFor(conformance.MCP), suiteFor(conformance.A2A)}
}
