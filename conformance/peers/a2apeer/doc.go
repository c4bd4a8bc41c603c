// Package a2apeer is the built-in A2A agent: a good peer, sound in every rule that
// the suite checks, on the Go SDK a2a-go. It speaks A2A 1.0 over JSON-RPC and over
// HTTP+JSON, and A2A 0.3 over JSON-RPC.
//
// Where the SDK breaks a rule, a layer mends it: rules.go and store.go what an
// operation means, jsonrpc.go and rest.go what stands on the wire. docs/findings.md
// tells each mend.
//
// What the agent does depends on the first word of the text it is sent: "message",
// "input", "slow", "fail", "reject", "data" and "file" show what an agent may do.
// Any other text gives a task that works, streams an artifact in three pieces and
// completes; nothing in the suite needs the words.
//
// It imports nothing of this module but internal/wire.
package a2apeer
