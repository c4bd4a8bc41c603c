package mutants

import (
	"net/http"
	"strings"

	"github.com/peerwright/peerwright/internal/wire"
)

// a2aShapes are agents whose objects do not have the shape of the version.
func a2aShapes() []Mutant {
	return []Mutant{
		{
			ID: "send-result-unwrapped", Doc: "SendMessage returns the task bare, as 0.3 does",
			Kills: []string{"a2a.schema.send-result"}, Revision: "1.0",
			Swap: results("SendMessage", func(_ wire.Message, r map[string]any) any { return r["task"] }),
		},
		{
			ID: "old-send-result-wrapped", Doc: "message/send wraps the task, as 1.0 does",
			Kills: []string{"a2a.schema.send-result"}, Revision: "0.3",
			Swap: results("message/send", func(_ wire.Message, r map[string]any) any { return map[string]any{"task": r} }),
		},
		{
			ID: "artifacts-without-id", Doc: "the artifacts of a task have no artifactId",
			Kills: []string{"a2a.schema.required-members"}, Revision: "1.0",
			Swap: agentAnswers(func(o map[string]any) { delete(o, "artifactId") }, "GetTask"),
		},
		{
			ID: "old-parts-without-kind", Doc: "the parts of an artifact of 0.3 have no kind",
			Kills: []string{"a2a.schema.required-members"}, Revision: "0.3",
			Swap: agentAnswers(func(o map[string]any) {
				for _, part := range elements(o, "parts") {
					if o["artifactId"] != nil {
						delete(part, "kind")
					}
				}
			}),
		},
		{
			ID: "old-updates-without-final", Doc: "a status-update of 0.3 leaves final:false out",
			Kills: []string{"a2a.schema.required-members"}, Revision: "0.3",
			Swap: agentAnswers(func(o map[string]any) {
				if o["final"] == false {
					delete(o, "final")
				}
			}),
		},
		{
			ID: "artifacts-without-parts", Doc: "the artifacts of a task have no part in their parts",
			Kills: []string{"a2a.schema.required-members"}, Revision: "1.0",
			Swap: agentAnswers(func(o map[string]any) {
				if o["artifactId"] != nil {
					o["parts"] = []any{}
				}
			}, "GetTask"),
		},
		{
			ID: "parts-of-two-kinds", Doc: "a text part has an empty url beside its text",
			Kills: []string{"a2a.schema.one-content"}, Revision: "1.0",
			Swap: agentAnswers(func(o map[string]any) {
				for _, part := range elements(o, "parts") {
					part["url"] = ""
				}
			}),
		},
		{
			ID: "old-words", Doc: "states are spelt as in 0.3",
			Kills: []string{"a2a.schema.enum-words"}, Revision: "1.0",
			Swap: stateWords(func(s string) string {
				return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(s, "TASK_STATE_")), "_", "-")
			}),
		},
		{
			ID: "new-words", Doc: "states of 0.3 are spelt as in 1.0",
			Kills: []string{"a2a.schema.enum-words"}, Revision: "0.3",
			Swap: stateWords(func(s string) string {
				return "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(s, "-", "_"))
			}),
		},
		{
			ID: "snake-case", Doc: "a part has media_type instead of mediaType",
			Kills: []string{"a2a.schema.camel-case"}, Revision: "1.0",
			Swap: agentAnswers(func(o map[string]any) {
				if media, ok := o["mediaType"]; ok {
					delete(o, "mediaType")
					o["media_type"] = media
				}
			}),
		},
		{
			ID: "snake-case-of-required", Doc: "an artifact has artifact_id instead of artifactId",
			Kills: []string{"a2a.schema.camel-case", "a2a.schema.required-members"}, Revision: "1.0",
			Swap: agentAnswers(func(o map[string]any) {
				if id, ok := o["artifactId"]; ok {
					delete(o, "artifactId")
					o["artifact_id"] = id
				}
			}),
		},
		{
			ID: "local-times", Doc: "timestamps have an offset, +00:00",
			Kills: []string{"a2a.schema.timestamps"}, Revision: "1.0",
			Swap: timestamps(func(z string) string { return strings.TrimSuffix(z, "Z") + "+00:00" }),
		},
		{
			ID: "times-without-zone", Doc: "timestamps have no zone",
			Kills: []string{"a2a.schema.timestamps"}, Revision: "1.0",
			Swap: timestamps(func(z string) string { return strings.TrimSuffix(z, "Z") }),
		},
	}
}

// stateWords spells the states of tasks otherwise.
func stateWords(spell func(string) string) Swap {
	return agentAnswers(func(o map[string]any) {
		if word, ok := o["state"].(string); ok {
			o["state"] = spell(word)
		}
	})
}

// timestamps writes the times of tasks otherwise.
func timestamps(write func(string) string) Swap {
	return agentAnswers(func(o map[string]any) {
		if at, ok := o["timestamp"].(string); ok {
			o["timestamp"] = write(at)
		}
	})
}

// a2aFraming are agents that wrap their answers wrongly.
func a2aFraming() []Mutant {
	return []Mutant{
		{
			ID: "answers-without-jsonrpc", Doc: "answers do not say that they are JSON-RPC 2.0",
			Kills: []string{"a2a.framing.response-object"}, Revision: "1.0",
			Swap: func(_, m wire.Message) [][]byte {
				return [][]byte{edited(m.Raw, func(response map[string]any) { delete(response, "jsonrpc") })}
			},
		},
		{
			ID: "old-answers-with-a-null-error", Doc: "results of 0.3 have error:null beside them",
			Kills: []string{"a2a.framing.response-object"}, Revision: "0.3",
			Swap: func(_, m wire.Message) [][]byte {
				if m.Kind != wire.KindResult {
					return keep(m)
				}
				return [][]byte{edited(m.Raw, func(response map[string]any) { response["error"] = nil })}
			},
		},
		{
			ID: "nothing-for-a-result", Doc: "the answer to deleting a push configuration has no result",
			Kills: []string{"a2a.framing.response-object"}, Revision: "1.0",
			Swap: func(request, m wire.Message) [][]byte {
				if request.Method != "DeleteTaskPushNotificationConfig" || m.Kind != wire.KindResult {
					return keep(m)
				}
				return [][]byte{edited(m.Raw, func(response map[string]any) { delete(response, "result") })}
			},
		},
		{
			ID: "old-answers-are-text", Doc: "answers of 0.3 are text/plain",
			Kills: []string{"a2a.framing.json-content-type"}, Revision: "0.3", Wrap: answersTyped("text/plain"),
		},
		{
			ID: "answers-are-text", Doc: "answers are text/plain",
			Kills: []string{"a2a.framing.media-type"}, Revision: "1.0", Wrap: answersTyped("text/plain"),
		},
		{
			ID: "answers-are-octets", Doc: "answers of HTTP+JSON are application/octet-stream",
			Kills: []string{"a2a.framing.media-type"}, Revision: "1.0", Binding: "HTTP+JSON", Wrap: answersTyped("application/octet-stream"),
		},
	}
}

// answersTyped gives the answers in one piece another type, but for the card.
func answersTyped(contentType string) func(http.Handler) http.Handler {
	return headed(func(r *http.Request, _ wire.Message, status int, h http.Header) int {
		if strings.HasSuffix(h.Get("Content-Type"), "json") && !strings.Contains(r.URL.Path, "well-known") {
			h.Set("Content-Type", contentType)
		}
		return status
	})
}
