package mcptools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/peerwright/peerwright/bridge/mcptools/upstream"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/wire"
)

// answer makes the calls, and gives each its result in the order of the calls. One call
// alone that fails is the failure of the request.
func (b *Backend) answer(ctx context.Context, r *openai.Request, calls []openai.ToolCall, reply *openai.Reply) error {
	jobs := b.jobs(r, calls, map[string]int{})
	var outcomes []Outcome
	err := b.runAll(ctx, jobs, func(out Outcome) error {
		outcomes = append(outcomes, out)
		if out.Replayed {
			reply.Header().Set("X-Idempotency-Replayed", "true")
		}
		if out.Err != nil && len(calls) == 1 {
			return out.Err
		}
		call := openai.ToolCall{ID: out.ID, Name: out.Name, Arguments: string(out.Content)}
		return reply.ToolCalls([]openai.ToolCall{call})
	})
	if err != nil {
		return err
	}
	reply.Extra("tool_messages", toolMessages(outcomes))
	reply.Extra("peerwright", map[string]any{"calls": reports(outcomes)})
	return reply.Finish(openai.FinishToolCalls, openai.Usage{})
}

// jobs prepares what the request says of each call; seen counts the calls of each tool.
func (b *Backend) jobs(r *openai.Request, calls []openai.ToolCall, seen map[string]int) []*job {
	key := strings.TrimSpace(r.Header.Get("X-Idempotency-Key"))
	jobs := make([]*job, len(calls))
	for i, call := range calls {
		seen[call.Name]++
		jobs[i] = &job{
			call: call, key: call.IdempotencyKey, caller: r.Caller, cred: upstream.Credential(r.Upstream), trace: r.Trace,
			noRetry: noRetry(r),
		}
		switch n := seen[call.Name]; {
		case call.IdempotencyKey != "" || key == "":
		case n > 1:
			jobs[i].key, jobs[i].kept = fmt.Sprintf("%s#%d", key, n), fmt.Sprintf("%s\x00%d", key, n)
		default:
			jobs[i].key = key
		}
	}
	return jobs
}

// noRetry tells whether the caller wants to come again himself.
func noRetry(r *openai.Request) bool {
	return strings.EqualFold(strings.TrimSpace(r.Header.Get("X-Retry")), "never")
}

// runAll makes the calls at once where all of them only read, and else one after another;
// each is told in its turn. What told returns ends it.
func (b *Backend) runAll(ctx context.Context, jobs []*job, told func(Outcome) error) error {
	if len(jobs) < 2 || !b.allRead(ctx, jobs) {
		for _, j := range jobs {
			if err := told(b.run(ctx, j)); err != nil {
				return err
			}
		}
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	turns := make([]chan Outcome, len(jobs))
	for i, j := range jobs {
		turns[i] = make(chan Outcome, 1)
		go func() { turns[i] <- b.run(ctx, j) }()
	}
	var failed error
	for _, turn := range turns {
		out := <-turn // none is left behind
		if failed == nil {
			if failed = told(out); failed != nil {
				cancel()
			}
		}
	}
	return failed
}

// allRead tells whether every call is of a tool that only reads.
func (b *Backend) allRead(ctx context.Context, jobs []*job) bool {
	for _, j := range jobs {
		if tool, ok, _ := b.find(ctx, j.cred, j.call.Name); ok && tool.Mutates {
			return false
		}
	}
	return true
}

// toolMessages are the results as messages that a client can append as they are.
func toolMessages(outcomes []Outcome) json.RawMessage {
	const rest = 64 // about as much as is around a result
	size := rest
	for _, out := range outcomes {
		size += len(out.Content)*9/8 + len(out.ID) + rest
	}
	b := append(make([]byte, 0, size), '[')
	for i, out := range outcomes {
		if i > 0 {
			b = append(b, ',')
		}
		b = wire.AppendQuoted(append(b, `{"content":`...), string(out.Content))
		b = wire.AppendQuoted(append(b, `,"role":"tool","tool_call_id":`...), out.ID)
		b = append(b, '}')
	}
	return append(b, ']')
}

// report says how a call went.
type report struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	Server     string         `json:"server,omitempty"`
	Outcome    string         `json:"outcome"` // ok or error
	Class      errclass.Class `json:"class,omitempty"`
	Replayed   bool           `json:"replayed"`
	Attempts   int            `json:"attempts"`
	DurationMS int64          `json:"duration_ms"`
	Problems   []string       `json:"problems,omitempty"`
}

func (out Outcome) report() report {
	r := report{
		ID: out.ID, Name: out.Name, Server: out.Server, Outcome: "ok", Replayed: out.Replayed,
		Attempts: out.Attempts, DurationMS: out.Took.Milliseconds(), Problems: out.Problems,
	}
	if out.Err != nil {
		r.Outcome, r.Class = "error", classOf(out.Err)
	}
	return r
}

func reports(outcomes []Outcome) []report {
	list := make([]report, len(outcomes))
	for i, out := range outcomes {
		list[i] = out.report()
	}
	return list
}
