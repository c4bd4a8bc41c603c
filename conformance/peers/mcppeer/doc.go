// Package mcppeer is the built-in MCP server: a good peer, sound in every rule
// that the suite checks, on the official Go SDK. It is what `peerwright report`
// checks when it is given no target, what the suite's own tests measure a case
// against, and what clients can be tried on.
//
// It serves the four legacy revisions (2024-11-05 to 2025-11-25) and 2026-07-28
// side by side, over Streamable HTTP and over stdio. Where the SDK breaks a rule,
// internal/mcpserve in front of it mends it; docs/findings.md tells each mend.
//
// Nothing about it is special for the suite: no name is magic, and every tool that
// the suite may call says so by its annotations.
//
// It imports nothing of this module but internal/mcpserve and internal/wire.
package mcppeer
