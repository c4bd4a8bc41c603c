// Package mcphttp carries MCP over HTTP, at either end: Streamable HTTP of every
// revision (Dial, NewServer) and HTTP+SSE of 2024-11-05 (DialSSE, NewSSEServer).
//
// It moves bytes and headers and knows of a message only what the headers need.
// It imports transport and wire, and nothing above them.
//
//   - https://modelcontextprotocol.io/specification/2024-11-05/basic/transports
//   - https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
//   - https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
package mcphttp

// The headers of the transport.
const (
	headerSession   = "Mcp-Session-Id"
	headerVersion   = "Mcp-Protocol-Version"
	headerMethod    = "Mcp-Method"
	headerName      = "Mcp-Name"
	headerParam     = "Mcp-Param-" // and the name that x-mcp-header gives
	headerLastEvent = "Last-Event-ID"
)

// The media types that travel.
const (
	typeJSON = "application/json"
	typeSSE  = "text/event-stream"
)

// The revisions at which the transport changed.
const (
	firstWithVersionHeader = "2025-06-18"
	firstWithPriming       = "2025-11-25"
	firstModern            = "2026-07-28"
)

// metaVersion is the member of a modern request's _meta that names its revision.
const metaVersion = "io.modelcontextprotocol/protocolVersion"
