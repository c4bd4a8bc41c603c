// Package mcpserve serves clients of every revision with servers of the official Go
// SDK, over Streamable HTTP, HTTP+SSE, stdio and WebSocket: the four legacy revisions
// (2024-11-05 to 2025-11-25) and 2026-07-28 side by side.
//
// Where the SDK breaks a rule, this layer in front of it mends it: message by message
// (judge.go on the way in, mend.go on the way out), the same for all transports, and
// what concerns HTTP alone in front.go and its neighbours. docs/findings.md tells each
// mend. The built-in peer and bridge/toolserver stand on it.
//
// It imports nothing of this module but internal/wire, internal/rawjson,
// internal/seal and internal/transport.
package mcpserve
