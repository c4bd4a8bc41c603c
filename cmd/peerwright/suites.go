package main

import (
	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/conformance/a2a"
	"github.com/peerwright/peerwright/conformance/mcp"
)

// suiteFor returns the cases and monitors of a protocol.
func suiteFor(protocol string) conformance.Suite {
	if protocol == conformance.A2A {
		return a2a.Suite()
	}
	return mcp.Suite()
}

// suites returns those of both.
func suites() []conformance.Suite { return []conformance.Suite{mcp.Suite(), a2a.Suite()} }
