package mutants

import (
	"encoding/json"

	"github.com/peerwright/peerwright/internal/wire"
)

// a2aTasks are agents that do not treat tasks as they should.
func a2aTasks() []Mutant {
	return []Mutant{
		{
			ID: "never-waits", Doc: "SendMessage returns at once, whatever it was asked",
			Kills: []string{"a2a.lifecycle.blocking-send"}, Revision: "1.0", Agent: unhurried(),
			Hear: agentHears("SendMessage", func(params map[string]any) {
				params["configuration"] = map[string]any{"returnImmediately": true}
			}),
		},
		{
			ID: "answers-without-context", Doc: "the task that SendMessage returns has no contextId",
			Kills: []string{"a2a.lifecycle.context-given"}, Revision: "1.0",
			Swap: results("SendMessage", func(_ wire.Message, r map[string]any) any {
				delete(member(r, "task"), "contextId")
				return r
			}),
		},
		{
			ID: "get-task-wrapped", Doc: "GetTask returns the task in an object, like SendMessage",
			Kills: []string{"a2a.tasks.get-task", "a2a.schema.required-members"}, Revision: "1.0",
			Swap: results("GetTask", func(_ wire.Message, r map[string]any) any { return map[string]any{"task": r} }),
		},
		{
			ID: "get-task-of-no-context", Doc: "GetTask returns the task under another contextId than it was made with",
			Kills: []string{"a2a.tasks.get-task"}, Revision: "1.0",
			Swap: results("GetTask", func(_ wire.Message, r map[string]any) any {
				r["contextId"] = "default"
				return r
			}),
		},
		{
			ID: "history-length-ignored", Doc: "GetTask returns the whole history, whatever was asked for",
			Kills: []string{"a2a.tasks.history-length"}, Revision: "1.0",
			Hear: agentHears("GetTask", func(params map[string]any) {
				if _, ok := params["historyLength"].(json.Number); ok {
					delete(params, "historyLength")
				}
			}),
		},
		{
			ID: "history-length-zero-is-unset", Doc: "a historyLength of 0 counts as unset",
			Kills: []string{"a2a.tasks.history-length"}, Revision: "1.0",
			Hear: agentHears("GetTask", func(params map[string]any) {
				if string(encode(params["historyLength"])) == "0" {
					delete(params, "historyLength")
				}
			}),
		},
	}
}
