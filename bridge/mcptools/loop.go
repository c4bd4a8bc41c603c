package mcptools

import (
	"context"
	"encoding/json"

	"github.com/peerwright/peerwright/bridge/mcptools/loop"
	"github.com/peerwright/peerwright/bridge/mcptools/upstream"
	"github.com/peerwright/peerwright/bridge/openai"
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
		return err
	}
	return b.o.Loop.Run(ctx, r.Body, functions, b.executor(r), reply)
}

// executor makes the calls of one round. What the caller's header says of a key goes for
// the calls that the model chose too: each has its number in the whole loop.
func (b *Backend) executor(r *openai.Request) func(context.Context, []openai.ToolCall) []loop.Result {
	seen := map[string]int{}
	return func(ctx context.Context, calls []openai.ToolCall) []loop.Result {
		var results []loop.Result
		_ = b.runAll(ctx, b.jobs(r, calls, seen), func(out Outcome) error { // which never fails
			results = append(results, loop.Result{ID: out.ID, Content: out.Content, Report: out.report()})
			return nil
		})
		return results
	}
}
