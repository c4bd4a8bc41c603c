package loop

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/wire"
)

// run is one request on its way through the rounds.
type run struct {
	*Client
	q        Request
	execute  Execute
	reply    Reply
	fixed    []wire.Member     // of each request to the model
	choice   json.RawMessage   // tool_choice; nil without
	theirs   map[string]bool   // the tools of the client
	messages []json.RawMessage // of the client
	added    []json.RawMessage // by the loop
	reports  []any
	usage    openai.Usage
	harmful  bool // a call was made that must not be made again
}

// rounds asks the model until it calls nothing more, or something that is not ours.
func (r *run) rounds(ctx context.Context) error {
	for round := 1; ; round++ {
		body, err := r.body()
		if err != nil {
			return err
		}
		said, err := r.ask(ctx, body)
		if err != nil {
			return err
		}
		r.count(said.usage)
		if len(said.calls) == 0 {
			r.reply.Extra("peerwright", r.account(false))
			return r.reply.Finish(said.reason, r.usage)
		}
		said.identify(round)
		ours, theirs := r.split(said)
		if len(theirs) > 0 {
			return r.handOver(ctx, said, ours, theirs)
		}
		if err := r.spent(round); err != nil {
			return err
		}
		r.make(ctx, said, ours)
		r.choice = afterFirst(r.choice)
	}
}

func (r *run) count(u openai.Usage) {
	r.usage.PromptTokens += u.PromptTokens
	r.usage.CompletionTokens += u.CompletionTokens
	r.usage.TotalTokens += u.TotalTokens
}

// spent tells whether another round is out of bounds. The calls that would lead to it are
// not made: nobody would learn what came of them.
func (r *run) spent(round int) error {
	switch {
	case r.c.Tokens > 0 && r.usage.TotalTokens >= r.c.Tokens:
		return bound("loop_tokens", fmt.Sprintf("the model has used %d tokens of the %d that one request may take; its last calls were not made", r.usage.TotalTokens, r.c.Tokens))
	case round >= r.c.Rounds:
		return bound("loop_rounds", fmt.Sprintf("the model still asks for calls after %d rounds, which is the bound; its last calls were not made", r.c.Rounds))
	}
	return nil
}

// split tells the client's calls from ours. What neither offers is ours to refuse, so that
// the model is told.
func (r *run) split(said *answer) (ours, theirs []openai.ToolCall) {
	for _, c := range said.calls {
		if r.theirs[c.Name] {
			theirs = append(theirs, c.ToolCall)
		} else {
			ours = append(ours, c.ToolCall)
		}
	}
	return ours, theirs
}

// make has our calls made, and keeps what the model is to be told.
func (r *run) make(ctx context.Context, said *answer, ours []openai.ToolCall) {
	r.added = append(r.added, said.message())
	for _, result := range r.execute(ctx, ours) {
		r.added = append(r.added, toolMessage(result))
		r.reports = append(r.reports, result.Report)
		r.harmful = r.harmful || !result.Harmless
	}
}

// handOver gives the client its calls, and what it needs to go on after them.
func (r *run) handOver(ctx context.Context, said *answer, ours, theirs []openai.ToolCall) error {
	if len(r.added)+len(ours) > 0 {
		if err := r.rename(said, theirs); err != nil {
			return err
		}
	}
	before := len(r.added) + 1
	if len(ours) > 0 {
		r.make(ctx, said, ours)
		r.reply.Extra("tool_messages", r.added[before:])
	} else {
		r.added = append(r.added, said.message())
	}
	r.kept.keep(r.q.Caller, theirs, r.added, r.c.Now())
	r.reply.Extra("peerwright", r.account(true))
	if err := r.reply.ToolCalls(theirs); err != nil {
		return err
	}
	return r.reply.Finish(openai.FinishToolCalls, r.usage)
}

// account says which calls were made, and with messages all that the model was told and
// said of them.
func (r *run) account(messages bool) any {
	if !messages {
		return map[string]any{"calls": append([]any{}, r.reports...)}
	}
	return map[string]any{"calls": append([]any{}, r.reports...), "messages": append([]json.RawMessage{}, r.added...)}
}
