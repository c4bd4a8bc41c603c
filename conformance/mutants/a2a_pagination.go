package mutants

import (
	"encoding/json"
	"slices"

	"github.com/peerwright/peerwright/internal/wire"
)

// a2aPages are agents that list their tasks wrongly.
func a2aPages() []Mutant {
	return []Mutant{
		{
			ID: "defaults-not-written", Doc: "a page leaves out what is empty or zero, as protobuf encoders do",
			Kills: []string{"a2a.pagination.members", "a2a.pagination.empty-list"}, Revision: "1.0",
			Swap: listAnswers(func(_ wire.Message, r map[string]any) {
				if r["nextPageToken"] == "" {
					delete(r, "nextPageToken")
				}
				if r["totalSize"] == json.Number("0") {
					delete(r, "totalSize")
				}
			}),
		},
		{
			ID: "pages-without-size", Doc: "a page does not say its pageSize",
			Kills: []string{"a2a.pagination.members"}, Revision: "1.0",
			Swap: listAnswers(func(_ wire.Message, r map[string]any) { delete(r, "pageSize") }),
		},
		{
			ID: "no-tasks-no-token", Doc: "a page without tasks has null for nextPageToken",
			Kills: []string{"a2a.pagination.empty-list"}, Revision: "1.0",
			Swap: listAnswers(func(_ wire.Message, r map[string]any) {
				if len(elements(r, "tasks")) == 0 {
					r["nextPageToken"] = nil
				}
			}),
		},
		{
			ID: "page-size-ignored", Doc: "a page has as many tasks as fit, whatever was asked for",
			Kills: []string{"a2a.pagination.page-size"}, Revision: "1.0",
			Hear: agentHears("ListTasks", func(params map[string]any) {
				if params["pageSize"] == json.Number("1") {
					delete(params, "pageSize")
				}
			}),
		},
		{
			ID: "page-size-zero-is-unset", Doc: "a pageSize of 0 counts as unset",
			Kills: []string{"a2a.pagination.page-size-bounds"}, Revision: "1.0",
			Hear: agentHears("ListTasks", func(params map[string]any) {
				if params["pageSize"] == json.Number("0") {
					delete(params, "pageSize")
				}
			}),
		},
		{
			ID: "page-size-clamped", Doc: "a pageSize over 100 is taken for 100",
			Kills: []string{"a2a.pagination.page-size-bounds"}, Revision: "1.0",
			Hear: agentHears("ListTasks", func(params map[string]any) {
				if params["pageSize"] == json.Number("101") {
					params["pageSize"] = 100
				}
			}),
		},
		{
			ID: "oldest-first", Doc: "tasks are listed in the order in which they were made",
			Kills: []string{"a2a.pagination.order"}, Revision: "1.0",
			Swap: listAnswers(func(_ wire.Message, r map[string]any) {
				if tasks, ok := r["tasks"].([]any); ok {
					slices.Reverse(tasks)
				}
			}),
		},
		{
			ID: "contexts-not-told-apart", Doc: "the contextId of a list is ignored",
			Kills: []string{"a2a.pagination.context-filter", "a2a.pagination.empty-list"}, Revision: "1.0",
			Hear: agentHears("ListTasks", func(params map[string]any) { delete(params, "contextId") }),
		},
		{
			ID: "lists-with-artifacts", Doc: "the tasks of a list have their artifacts",
			Kills: []string{"a2a.pagination.artifacts-left-out"}, Revision: "1.0",
			Hear: agentHears("ListTasks", func(params map[string]any) { params["includeArtifacts"] = true }),
		},
		{
			ID: "lists-with-no-artifacts", Doc: "the tasks of a list have an empty array of artifacts",
			Kills: []string{"a2a.pagination.artifacts-left-out"}, Revision: "1.0",
			Swap: listAnswers(func(_ wire.Message, r map[string]any) {
				for _, t := range elements(r, "tasks") {
					t["artifacts"] = []any{}
				}
			}),
		},
	}
}

// a2aWalks are agents whose pages do not lead from one to the next.
func a2aWalks() []Mutant {
	return []Mutant{
		{
			ID: "tokens-go-round", Doc: "every page is the first",
			Kills: []string{"a2a.pagination.walk-ends"}, Revision: "1.0",
			Hear: agentHears("ListTasks", func(params map[string]any) {
				if token, _ := params["pageToken"].(string); token != "peerwright-was-never-given-this" {
					delete(params, "pageToken")
				}
			}),
		},
		{
			ID: "pages-overlap", Doc: "each page begins with the last task of the one before",
			Kills: []string{"a2a.pagination.walk-ends"}, Revision: "1.0", Swap: overlappingPages(),
		},
		{
			ID: "unknown-token-is-the-beginning", Doc: "a pageToken that cannot be read leads to the first page",
			Kills: []string{"a2a.pagination.invalid-token"}, Revision: "1.0",
			Wrap: agentInstead("ListTasks", func(id wire.ID, params map[string]any, ask func(string, any) wire.Message) []byte {
				answer := ask("ListTasks", params)
				if answer.Kind == wire.KindError && params["pageToken"] != nil {
					delete(params, "pageToken")
					answer = ask("ListTasks", params)
				}
				return sameUnder(id, answer)
			}),
		},
		{
			ID: "unknown-token-is-internal", Doc: "a pageToken that cannot be read is an internal error",
			Kills: []string{"a2a.pagination.invalid-token"}, Revision: "1.0",
			Wrap: agentInstead("ListTasks", func(id wire.ID, params map[string]any, ask func(string, any) wire.Message) []byte {
				answer := ask("ListTasks", params)
				if answer.Kind == wire.KindError && params["pageToken"] != nil {
					return agentFault(id, internalError)
				}
				return sameUnder(id, answer)
			}),
		},
		{
			ID: "pages-end-early", Doc: "the first page says that it is the last",
			Kills: []string{"a2a.pagination.walk-complete"}, Revision: "1.0",
			Swap: listAnswers(func(_ wire.Message, r map[string]any) { r["nextPageToken"] = "" }),
		},
	}
}

// listAnswers edits the results of ListTasks.
func listAnswers(edit func(request wire.Message, r map[string]any)) Swap {
	return results("ListTasks", func(request wire.Message, r map[string]any) any {
		edit(request, r)
		return r
	})
}

// overlappingPages repeats the last task of the page before.
func overlappingPages() Swap {
	lasts := newMemory[any]() // by the token that leads on
	return listAnswers(func(request wire.Message, r map[string]any) {
		tasks, _ := r["tasks"].([]any)
		if len(tasks) == 0 {
			return
		}
		last := tasks[len(tasks)-1]
		if before, ok := lasts.get(string(wire.Get(request.Params, "pageToken"))); ok {
			r["tasks"] = append([]any{before}, tasks...)
		}
		lasts.put(string(encode(r["nextPageToken"])), last)
	})
}
