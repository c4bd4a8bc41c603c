// Package a2achat makes A2A agents into chat models: each agent is a model of the
// OpenAI-compatible endpoint, and what it says reaches the client in its own words. No
// model stands between the two.
//
// A turn goes like this. The newest message of the user is taken from the request
// (question.go), and the conversation it belongs to is found or begun (conversation.go,
// sessions.go). The message goes to the agent in a goroutine of its own (turn.go), which
// lives on when the client goes away, so that the context is kept and the turn recorded.
// What the agent says is written as text (voice.go, render.go), and what went
// wrong is told as the agent's configuration asks for (failure.go).
//
// It imports bridge/openai, bridge/a2achat/agent, and errclass, redact, store and wire of
// this module. It knows no store and no HTTP but the headers of a request.
package a2achat
