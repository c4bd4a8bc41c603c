// Package errclass is the canonical error contract: one table that says of every failure of a call what
// kind it is, whether the call may be sent again, and what the caller can do.
//
// Whatever failed (an HTTP status, a JSON-RPC error of MCP or A2A, a tool result with isError, the
// connection) becomes an [Error], whose JSON form is the envelope that callers see. A failure is
// classified by codes and types, never by the text of a message.
//
// The package imports nothing of this module. It knows no secrets: a message that it is given is passed
// on as it is.
package errclass
