package mcptools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/peerwright/peerwright/bridge/mcptools/loop"
	"github.com/peerwright/peerwright/bridge/mcptools/upstream"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/errclass"
)

// loop lets the model choose the calls, which are made as those of a request are.
func (b *Backend) loop(ctx context.Context, r *openai.Request, reply *openai.Reply) error {
	found := b.catalog(ctx, upstream.Credential(r.Upstream), 0)
	if len(found.missing) == len(b.o.Upstreams) {
		return found.missing[0]
	}
	list := []Function{}
	for _, t := range found.Tools() {
		list = append(list, Function{Type: "function", Function: spec(t)})
	}
	functions, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("listing the functions: %w", err)
	}
	q := loop.Request{Body: r.Body, Model: r.Model, Functions: functions, Caller: r.Caller, NoRetry: noRetry(r)}
	if b.upstream(q.Model) != nil {
		q.Model = "" // the tools were meant, of which any model can make use
	}
	return b.o.Loop.Run(ctx, q, b.executor(r), reply)
}

// executor makes the calls of one round. What the caller's header says of a key goes for
// the calls that the model chose too: each has its number in the whole loop.
func (b *Backend) executor(r *openai.Request) loop.Execute {
	seen := map[string]int{}
	return func(ctx context.Context, calls []openai.ToolCall) []loop.Result {
		var results []loop.Result
		jobs := b.jobs(r, calls, seen)
		_ = b.runAll(ctx, jobs, func(out Outcome) error { // which never fails
			j := jobs[len(results)]
			results = append(results, loop.Result{ID: out.ID, Content: out.Content, Report: out.report(), Harmless: j.mayComeAgain(out.Err)})
			return nil
		})
		return results
	}
}

// mayComeAgain tells whether the caller may send the whole request again in spite of this
// call: it did nothing, does no harm twice, or has a key that keeps it from being made twice.
func (j *job) mayComeAgain(failed error) bool {
	e, _ := errors.AsType[errclass.Error](failed)
	return j.harmless() || j.key != "" || failed != nil && e.Context.Outcome == errclass.NotRun
}
