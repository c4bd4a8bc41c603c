// Package loop lets a model choose the calls: it asks an OpenAI-compatible server, has the
// calls made, feeds the results back, and streams what the model says.
//
// It imports openai, errclass and wire of this module.
//
// https://platform.openai.com/docs/api-reference/chat
package loop

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/wire"
)

// Config says which model server is asked, and how much. URL is required.
type Config struct {
	URL    string           // up to and with /v1
	Key    string           // "" without
	Client *http.Client     // nil means one that follows no redirect
	Rounds int              // how often the model is asked; 0 means 10
	Tokens int64            // of all rounds; 0 means no bound
	Size   int              // bytes of what one round answers; 0 means 16 MiB
	Time   time.Duration    // of all rounds; 0 means 5 minutes
	Now    func() time.Time // nil means time.Now
}

// Client asks a model server. It is made by New.
type Client struct{ c Config }

// New returns a client with the defaults filled in.
func New(c Config) *Client {
	if c.Client == nil {
		c.Client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Rounds == 0 {
		c.Rounds = 10
	}
	if c.Size == 0 {
		c.Size = 16 << 20
	}
	if c.Time == 0 {
		c.Time = 5 * time.Minute
	}
	return &Client{c}
}

// Reply is what of openai.Reply the loop writes to.
type Reply interface {
	Text(s string) error
	ToolCalls(calls []openai.ToolCall) error
	Extra(name string, value any)
	Finish(reason string, u openai.Usage) error
}

// Result is what came of a call: the content of its tool message, and what is told of it.
type Result struct {
	ID      string
	Content json.RawMessage
	Report  any
}

// Run answers the request body with the model. Functions are a JSON array of tools that
// execute makes the calls of; the client's own tools stand beside them, and a round in which
// the model calls one of those is handed to the client with nothing executed.
func (l *Client) Run(ctx context.Context, body, functions json.RawMessage, execute func(context.Context, []openai.ToolCall) []Result, reply Reply) error {
	ctx, cancel := context.WithTimeout(ctx, l.c.Time)
	defer cancel()
	ours := namesOf(functions)
	messages := elements(wire.Get(body, "messages"))
	reports, usage := []any{}, openai.Usage{}
	for range l.c.Rounds {
		said, err := l.ask(ctx, l.request(body, functions, messages), reply)
		if err != nil {
			return err
		}
		usage.PromptTokens += said.usage.PromptTokens
		usage.CompletionTokens += said.usage.CompletionTokens
		usage.TotalTokens += said.usage.TotalTokens
		if len(said.calls) == 0 || foreign(said.calls, ours) {
			reply.Extra("peerwright", map[string]any{"calls": reports})
			if len(said.calls) > 0 {
				if err := reply.ToolCalls(said.calls); err != nil {
					return err
				}
			}
			return reply.Finish(said.reason, usage)
		}
		if l.c.Tokens > 0 && usage.TotalTokens >= l.c.Tokens {
			return refuse(errclass.InvalidArgs, "the model has used up its tokens; its last calls were not made")
		}
		messages = append(messages, said.message())
		for _, r := range execute(ctx, said.calls) {
			messages = append(messages, toolMessage(r))
			reports = append(reports, r.Report)
		}
	}
	return refuse(errclass.InvalidArgs, "the model asks for calls round after round; the bound is reached")
}

func refuse(class errclass.Class, message string) error {
	return errclass.New(class, errclass.Bridge, errclass.Failed, message, errclass.Call{})
}

// request keeps all members of the client's but those that the loop sets.
func (l *Client) request(body, functions json.RawMessage, messages []json.RawMessage) json.RawMessage {
	var kept []wire.Member
	for _, m := range wire.Fields(body) {
		switch m.Name {
		case "messages", "tools", "stream", "stream_options":
		default:
			kept = append(kept, m)
		}
	}
	tools := append(elements(functions), elements(wire.Get(body, "tools"))...)
	kept = append(kept, wire.Member{Name: "messages", Value: array(messages)})
	if len(tools) > 0 {
		kept = append(kept, wire.Member{Name: "tools", Value: array(tools)})
	}
	return wire.Object(append(kept,
		wire.Member{Name: "stream", Value: json.RawMessage("true")},
		wire.Member{Name: "stream_options", Value: json.RawMessage(`{"include_usage":true}`)}))
}
