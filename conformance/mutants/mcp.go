package mutants

import "slices"

// MCP lists the mutants of the built-in MCP server.
func MCP() []Mutant {
	return slices.Concat(
		mcpErrors(), mcpHostile(), mcpRefusals(), mcpMissingResources(),
		mcpHandshake(), mcpCapabilities(), mcpStateless(),
		mcpIDs(), mcpRepeats(), mcpAtOnce(), mcpNotifications(),
		mcpPagination(), mcpCursors(),
		mcpTools(), mcpContent(),
		mcpProgress(), mcpStreams(), mcpTalkers(), mcpSchemas(), mcpShapes(),
		mcpHTTP(), mcpSessions(), mcpHeaders(), mcpStatuses(), mcpStdio(),
	)
}
