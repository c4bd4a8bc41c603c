package main

import (
	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/conformance/a2a"
	"github.com/peerwright/peerwright/conformance/chat"
	"github.com/peerwright/peerwright/conformance/mcp"
)

// suiteFor returns the cases and monitors of a protocol.
func suiteFor(protocol string) conformance.Suite {
	switch protocol {
	case conformance.A2A:
		return a2a.Suite()
	case conformance.Chat:
		return chat.Suite()
	}
	return mcp.Suite()
}

// suites returns those of all.
func suites() []conformance.Suite { return []conformance.Suite{mcp.Suite(), a2a.Suite(), chat.Suite()} }
