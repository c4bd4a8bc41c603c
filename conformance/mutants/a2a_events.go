package mutants

import (
	"github.com/peerwright/peerwright/internal/wire"
)

// a2aEvents are agents that send wrong events in their streams.
func a2aEvents() []Mutant {
	return []Mutant{
		{
			ID: "events-of-two-kinds", Doc: "a status update has a message beside it in its event",
			Kills: []string{"a2a.streaming.one-member"}, Revision: "1.0",
			Swap: results(sendStreaming, func(_ wire.Message, event map[string]any) any {
				if event["statusUpdate"] != nil {
					event["message"] = map[string]any{"messageId": "m", "role": "ROLE_AGENT", "parts": []any{map[string]any{"text": "On it."}}}
				}
				return event
			}),
		},
		{
			ID: "events-named-otherwise", Doc: "the last chunk of an artifact is called artifact, and not artifactUpdate",
			Kills: []string{"a2a.streaming.one-member"}, Revision: "1.0",
			Swap: results(sendStreaming, func(_ wire.Message, event map[string]any) any {
				if member(event, "artifactUpdate")["lastChunk"] == true {
					return map[string]any{"artifact": event["artifactUpdate"]}
				}
				return event
			}),
		},
		{
			ID: "old-events-without-kind", Doc: "artifact updates of 0.3 have no kind",
			Kills: []string{"a2a.streaming.one-member"}, Revision: "0.3",
			Swap: results(messageStream, func(_ wire.Message, event map[string]any) any {
				if event["kind"] == "artifact-update" {
					delete(event, "kind")
				}
				return event
			}),
		},
		{
			ID: "updates-of-another-context", Doc: "artifact updates name the task as their context",
			Kills: []string{"a2a.streaming.same-task"}, Revision: "1.0",
			Swap: results(sendStreaming, func(_ wire.Message, event map[string]any) any {
				if update := member(event, "artifactUpdate"); len(update) > 0 {
					update["contextId"] = update["taskId"]
				}
				return event
			}),
		},
		{
			ID: "old-updates-of-another-task", Doc: "artifact updates of 0.3 have a taskId of their own",
			Kills: []string{"a2a.streaming.same-task"}, Revision: "0.3",
			Swap: results(messageStream, func(_ wire.Message, event map[string]any) any {
				if event["kind"] == "artifact-update" {
					event["taskId"] = "run-1"
				}
				return event
			}),
		},
		{
			ID: "last-chunk-after-the-end", Doc: "the last chunk of an artifact comes after the terminal state",
			Kills: []string{"a2a.streaming.nothing-after-end"}, Revision: "1.0", Swap: lateChunk(),
		},
		{
			ID: "every-chunk-the-last", Doc: "every chunk of an artifact says that it is the last",
			Kills: []string{"a2a.streaming.artifact-chunks"}, Revision: "1.0",
			Swap: results(sendStreaming, func(_ wire.Message, event map[string]any) any {
				if update := member(event, "artifactUpdate"); len(update) > 0 {
					update["lastChunk"] = true
				}
				return event
			}),
		},
		{
			ID: "old-chunks-always-appended", Doc: "the first chunk of an artifact of 0.3 says append:true",
			Kills: []string{"a2a.streaming.artifact-chunks"}, Revision: "0.3",
			Swap: results(messageStream, func(_ wire.Message, event map[string]any) any {
				if event["kind"] == "artifact-update" {
					event["append"] = true
				}
				return event
			}),
		},
	}
}

// lateChunk holds the last chunk back until the end was told.
func lateChunk() Swap {
	held := newMemory[[]byte]()
	return func(request, m wire.Message) [][]byte {
		if request.Method != sendStreaming {
			return keep(m)
		}
		if string(wire.Path(m.Result, "artifactUpdate", "lastChunk")) == "true" {
			held.put(string(wire.Path(m.Result, "artifactUpdate", "taskId")), m.Raw)
			return nil
		}
		chunk, ok := held.get(string(wire.Path(m.Result, "statusUpdate", "taskId")))
		if !ok {
			return keep(m)
		}
		return [][]byte{m.Raw, chunk}
	}
}
