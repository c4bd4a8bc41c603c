// Package stdio is MCP's stdio transport with both its ends: Dial starts a server
// and speaks with it over its standard streams, Serve is such a server, DialPipe
// speaks with one inside this process, and Wrap stands between a client and a
// server and shows a tap what passes.
//
// A child's stderr is drained always, its death is told at once, and closing leaves
// no process of its group behind.
//
// It imports transport and wire, and nothing above them.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
package stdio
