// Package openai is the OpenAI-compatible HTTP surface of the bridges: routes, keys,
// limits, chunks and errors. What answers a request stands behind it as a Backend; the
// package knows neither MCP nor A2A.
//
// It imports errclass, redact, transport and wire of this module, and nothing above them.
//
// https://platform.openai.com/docs/api-reference/chat
package openai

import (
	"context"
	"encoding/json"
	"net/http"
)

// Backend is what answers behind the endpoint: an A2A agent, or the tools of MCP servers.
type Backend interface {
	// Models lists what a client may put into the model member of a request.
	Models(ctx context.Context) []Model
	// Serves tells whether a request for that model is this backend's to answer. The
	// server asks its backends in their order; the first that does is given the request.
	Serves(ctx context.Context, model string) bool
	// Chat answers one request. What it writes to the Reply goes to the client at once
	// where that asked for a stream, and as one document otherwise. An error ends the
	// answer: as the HTTP status of its class where nothing was written yet, and inside
	// the stream otherwise. An error that is no errclass.Error is an internal failure of
	// the bridge, which the client is told of without its text. The context ends when
	// the client is gone.
	Chat(ctx context.Context, r *Request, reply *Reply) error
}

// Model is one entry of GET /v1/models.
type Model struct {
	ID      string
	OwnedBy string // who answers, such as the name of the agent; "" means "peerwright"
	Created int64  // Unix seconds; 0 means the start of the server
}

// Request is a chat completion request.
type Request struct {
	Body   json.RawMessage // as received
	Header http.Header     // of the HTTP request
	// Caller stands for who asks, in a form that is no secret: a digest of the inbound
	// key, or of the upstream credential that was passed through; "" where neither is
	// there. Nothing that was kept for one caller may reach another.
	Caller string
	// Upstream is the Authorization that the caller wants to be passed on, "" without.
	Upstream string

	ID    string // of the HTTP request, as in X-Request-Id and the log
	Trace *Calls // takes what is sent upstream; nil, and safe to use, where nothing is traced

	Model        string // "" where the client named none
	Stream       bool
	IncludeUsage bool // stream_options.include_usage
	Messages     []Message
	User         string
}

// Message is one message of a request.
type Message struct {
	Role       string
	Content    []Part // a content that is a string is one part of text; null is none
	ToolCalls  []ToolCall
	ToolCallID string
	Raw        json.RawMessage
}

// Part is one part of a message's content.
type Part struct {
	Type string // text, image_url, input_audio, file, refusal, or what the client wrote
	Text string // of a text part
	Raw  json.RawMessage
}

// ToolCall is one call in the tool_calls of an assistant's message.
type ToolCall struct {
	ID        string
	Type      string // "function"; "" in some clients
	Name      string
	Arguments string // as written: meant to be JSON
	// IdempotencyKey is the member idempotency_key beside function, an extension of ours.
	IdempotencyKey string
	Raw            json.RawMessage
}

// Usage counts tokens. The zero value is what is written where nobody counted.
type Usage struct {
	PromptTokens     int64 `json:"prompt_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
	TotalTokens      int64 `json:"total_tokens"`
}

// The reasons why an answer ends.
const (
	FinishStop          = "stop"
	FinishLength        = "length"
	FinishToolCalls     = "tool_calls"
	FinishContentFilter = "content_filter"
)
