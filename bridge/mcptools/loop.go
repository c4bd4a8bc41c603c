package mcptools

import (
	"context"
	"encoding/json"

	"github.com/peerwright/peerwright/bridge/mcptools/upstream"
	"github.com/peerwright/peerwright/bridge/openai"
)

// loop lets the model choose the calls.
func (b *Backend) loop(ctx context.Context, r *openai.Request, reply *openai.Reply) error {
	found := b.catalog(ctx, upstream.Credential(r.Upstream), 0)
	if len(found.missing) == len(b.o.Upstreams) {
		return found.missing[0]
	}
	list := []Function{}
	for _, t := range found.Tools() {
		list = append(list, Function{Type: "function", Function: spec(t)})
	}
	tools, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return b.o.Loop.Run(ctx, r, tools, func(ctx context.Context, calls []openai.ToolCall) []Outcome {
		var outcomes []Outcome
		_ = b.runAll(ctx, b.jobs(r, calls), func(out Outcome) error { // told never fails
			outcomes = append(outcomes, out)
			return nil
		})
		return outcomes
	}, reply)
}
