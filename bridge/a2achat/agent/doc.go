// Package agent is one A2A agent, of any version and either HTTP binding, as a
// sequence of updates: a message goes in, and what the agent says about it comes out
// piece by piece, each once, in the agent's own words.
//
// It keeps a model of the task by the rules of the version, follows a task that is not
// finished, and tells a stream that broke from one that ended. It never sends a message
// a second time. It knows nothing of chats, sessions and rendering, which stand above
// it in bridge/a2achat.
//
// It imports transport, errclass, redact and wire of this module.
//
// https://a2a-protocol.org/v1.0.0/specification/
// https://a2a-protocol.org/v0.3.0/specification/
package agent
