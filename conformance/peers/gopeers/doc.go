// Package gopeers holds small peers on the Go SDKs as they are, with nothing
// mended: an MCP server on the official SDK, an A2A 1.0 agent on a2a-go/v2 and an
// A2A 0.3 agent on a2a-go. The suite is tried on them, and what they break shows
// in docs/findings.md.
//
// It imports nothing of this module.
package gopeers
