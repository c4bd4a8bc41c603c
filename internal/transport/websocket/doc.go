// Package websocket carries MCP over WebSocket, with both its ends: Dial reaches a
// server, NewServer serves clients. Each text message is one JSON-RPC message; the
// subprotocol is "mcp". No revision of MCP describes this transport; it follows what
// the official SDKs do.
//
// It imports transport and wire, and nothing above them.
package websocket
