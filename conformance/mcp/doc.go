// Package mcp holds the cases and monitors for MCP servers, and the target that
// reaches one. There is one file a specification area; Cases and Monitors list
// them all.
//
// A case is a value. It works on a Session, which speaks the negotiated revision,
// keeps the ids, and remembers what was called and why. Hostile input goes through
// Session.Raw or a conversation of its own, never through the helpers that compose
// good requests.
package mcp
