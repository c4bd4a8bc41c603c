package mcp

import (
	"slices"

	"github.com/peerwright/peerwright/conformance"
)

// Cases lists the active checks, one file a specification area. Monitors lists the
// passive ones.
func Cases() []conformance.Case {
	return slices.Concat(
		errorCases(),
		idempotencyCases(),
		lifecycleCases(),
		paginationCases(),
		streamingCases(),
		cancellationCases(),
		toolCases(),
		contentCases(),
		framingCases(), // the last of them ends a process, which nobody is to start again for
	)
}

// Suite returns every case and monitor for MCP servers.
func Suite() conformance.Suite {
	return conformance.Suite{Cases: Cases(), Monitors: Monitors()}
}
