// Package mcp opens a conversation with an MCP server of any revision: it finds
// the era, does the handshake where there is one, and gives every later request
// what its revision asks for. The suite, the replay and the bridges dial through
// it, so that era detection stands in one place.
//
// It imports rpc, transport and wire, and no particular transport: how a peer is
// dialled is passed in (see package dial).
package mcp

// The dated revisions of MCP.
const (
	Rev2024 = "2024-11-05" // HTTP+SSE
	Rev2503 = "2025-03-26" // Streamable HTTP, batches
	Rev2506 = "2025-06-18" // the version header, structured output, no batches
	Rev2511 = "2025-11-25" // the last one with a handshake
	Rev2607 = "2026-07-28" // stateless
)

// Revisions lists the revisions that this package speaks, oldest first.
func Revisions() []string { return []string{Rev2024, Rev2503, Rev2506, Rev2511, Rev2607} }

// Modern tells whether the revision is stateless: no handshake, no session, every
// request says its own revision.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
func Modern(revision string) bool { return revision >= Rev2607 }

// The error codes by which a modern server makes itself known.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/index
const (
	CodeHeaderMismatch     = -32020
	CodeMissingCapability  = -32021
	CodeUnsupportedVersion = -32022
)

func modernCode(code int64) bool {
	return code == CodeHeaderMismatch || code == CodeMissingCapability || code == CodeUnsupportedVersion
}

// The members of a request's _meta that 2026-07-28 defines.
const (
	MetaVersion      = "io.modelcontextprotocol/protocolVersion"
	MetaClient       = "io.modelcontextprotocol/clientInfo"
	MetaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaServer       = "io.modelcontextprotocol/serverInfo"
)
