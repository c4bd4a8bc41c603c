package mutants

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// a2aIDs are agents that do not keep ids.
func a2aIDs() []Mutant {
	return []Mutant{
		{
			ID: "number-ids-guessed", Doc: "an id that looks like a number becomes one",
			Kills: []string{"a2a.idempotency.id-echoed"}, Revision: "1.0",
			Swap: answerIDs(func(request wire.Message) string {
				text, ok := wire.Text([]byte(request.ID.String()))
				if n, err := strconv.Atoi(text); ok && err == nil {
					return strconv.Itoa(n)
				}
				return request.ID.String()
			}),
		},
		{
			ID: "zero-id-is-none", Doc: "the id 0 counts as none and comes back as null",
			Kills: []string{"a2a.idempotency.id-echoed"}, Revision: "0.3",
			Swap: answerIDs(func(request wire.Message) string {
				if request.ID.String() == "0" {
					return "null"
				}
				return request.ID.String()
			}),
		},
		{
			ID: "ids-are-floats", Doc: "an id goes through a floating-point number",
			Kills: []string{"a2a.idempotency.long-number-id"}, Revision: "1.0",
			Swap: answerIDs(func(request wire.Message) string {
				if f, err := strconv.ParseFloat(request.ID.String(), 64); err == nil {
					return strconv.FormatFloat(f, 'f', -1, 64)
				}
				return request.ID.String()
			}),
		},
		{
			ID: "no-id-is-the-empty-one", Doc: "the answer to what could not be read has an empty string as id",
			Kills: []string{"a2a.idempotency.null-id"}, Revision: "1.0",
			Swap: func(_, m wire.Message) [][]byte {
				if m.ID != wire.NullID {
					return keep(m)
				}
				return [][]byte{edited(m.Raw, func(response map[string]any) { response["id"] = "" })}
			},
		},
		{
			ID: "notifications-answered", Doc: "a request without an id is answered by an error",
			Kills: []string{"a2a.idempotency.notification"}, Revision: "1.0",
			Hear: func(m wire.Message) (told, answer []byte) {
				if m.Kind != wire.KindNotification {
					return m.Raw, nil
				}
				return nil, wire.Failure(wire.NullID, invalidRequest, "a request needs an id", nil)
			},
		},
		{
			ID: "message-id-as-id", Doc: "SendMessage is answered under the id of the message",
			Kills: []string{"a2a.idempotency.answer-id"}, Revision: "1.0",
			Swap: answerIDs(func(request wire.Message) string {
				if id := wire.Path(request.Params, "message", "messageId"); request.Method == "SendMessage" && id != nil {
					return string(id)
				}
				return request.ID.String()
			}),
		},
		{
			ID: "events-numbered", Doc: "the events of a stream are numbered in place of the request's id",
			Kills: []string{"a2a.streaming.event-id"}, Revision: "1.0", Swap: numberedEvents("SendStreamingMessage"),
		},
		{
			ID: "old-events-numbered", Doc: "the events of a stream of 0.3 are numbered in place of the request's id",
			Kills: []string{"a2a.streaming.event-id"}, Revision: "0.3", Swap: numberedEvents("message/stream"),
		},
	}
}

// answerIDs writes another id into every answer to a request that has one.
func answerIDs(id func(request wire.Message) string) Swap {
	return func(request, m wire.Message) [][]byte {
		if request.ID.IsZero() || !m.ID.Equal(request.ID) {
			return keep(m)
		}
		return [][]byte{edited(m.Raw, func(response map[string]any) { response["id"] = json.RawMessage(id(request)) })}
	}
}

func numberedEvents(method string) Swap {
	var last atomic.Int64
	return func(request, m wire.Message) [][]byte {
		if request.Method != method {
			return keep(m)
		}
		return [][]byte{edited(m.Raw, func(response map[string]any) { response["id"] = 1000 + last.Add(1) })}
	}
}

// a2aContexts are agents that mix tasks and contexts up.
func a2aContexts() []Mutant {
	return []Mutant{
		{
			ID: "contexts-replaced", Doc: "a message that is no answer to a task gets a context of its own",
			Kills: []string{"a2a.idempotency.context-kept"}, Revision: "1.0",
			Hear: agentHears("SendMessage", func(params map[string]any) {
				if message := member(params, "message"); message["taskId"] == nil {
					delete(message, "contextId")
				}
			}),
		},
		{
			ID: "context-wins-over-task", Doc: "a message to a task that names another context makes a task there",
			Kills: []string{"a2a.idempotency.context-mismatch"}, Revision: "1.0", Agent: unhurried(),
			Hear: agentHears("SendMessage", func(params map[string]any) {
				if message := member(params, "message"); message["contextId"] != nil {
					delete(message, "taskId")
				}
			}),
		},
		{
			ID: "unknown-tasks-made", Doc: "a message to a task that does not exist makes one",
			Kills: []string{"a2a.idempotency.unknown-task-in-message"}, Revision: "1.0",
			Wrap: agentInstead("SendMessage", func(id wire.ID, params map[string]any, ask func(string, any) wire.Message) []byte {
				answer := ask("SendMessage", params)
				if answer.Kind == wire.KindError && answer.Error.Code == a2ahttp.CodeTaskNotFound {
					delete(member(params, "message"), "taskId")
					answer = ask("SendMessage", params)
				}
				return sameUnder(id, answer)
			}),
		},
		{
			ID: "same-words-same-task", Doc: "a message that says what another said is answered from a cache, with the task of the other",
			Kills: []string{"a2a.idempotency.task-ids"}, Revision: "1.0", Wrap: cachedTasks,
		},
	}
}

// cachedTasks remembers the first task that was made.
func cachedTasks(next http.Handler) http.Handler {
	var first atomic.Pointer[wire.Message]
	return agentInstead("SendMessage", func(id wire.ID, params map[string]any, ask func(string, any) wire.Message) []byte {
		known := first.Load()
		if known != nil && member(params, "message")["taskId"] == nil && len(elements(member(params, "message"), "parts")) > 0 {
			return sameUnder(id, *known)
		}
		answer := ask("SendMessage", params)
		if answer.Kind == wire.KindResult {
			first.CompareAndSwap(nil, &answer)
		}
		return sameUnder(id, answer)
	})(next)
}

// a2aRepeats are agents on which doing a thing twice is not like doing it once.
func a2aRepeats() []Mutant {
	return []Mutant{
		{
			ID: "reading-touches", Doc: "GetTask gives a task the time at which it was read",
			Kills: []string{"a2a.idempotency.get-task"}, Revision: "1.0", Swap: touchedTasks("GetTask"),
		},
		{
			ID: "old-reading-touches", Doc: "tasks/get gives a task of 0.3 the time at which it was read",
			Kills: []string{"a2a.idempotency.get-task"}, Revision: "0.3", Swap: touchedTasks("tasks/get"),
		},
		{
			ID: "cancelling-again-fails", Doc: "cancelling a task for the second time is an internal error",
			Kills: []string{"a2a.idempotency.cancel-repeated"}, Revision: "1.0", Agent: unhurried(),
			Wrap: agentInstead("CancelTask", func(id wire.ID, params map[string]any, ask func(string, any) wire.Message) []byte {
				if state := wire.Path(ask("GetTask", params).Result, "status", "state"); string(state) == `"TASK_STATE_CANCELED"` {
					return agentFault(id, internalError)
				}
				return sameUnder(id, ask("CancelTask", params))
			}),
		},
		{
			ID: "deleting-again-fails", Doc: "deleting a push configuration that is gone is an error",
			Kills: []string{"a2a.idempotency.push-delete"}, Revision: "1.0",
			Wrap: agentInstead("DeleteTaskPushNotificationConfig", func(id wire.ID, params map[string]any, ask func(string, any) wire.Message) []byte {
				if there := ask("GetTaskPushNotificationConfig", params); there.Kind == wire.KindError {
					return sameUnder(id, there)
				}
				return sameUnder(id, ask("DeleteTaskPushNotificationConfig", params))
			}),
		},
		{
			ID: "push-configurations-not-listed", Doc: "the list of push configurations is always empty",
			Kills: []string{"a2a.push.round-trip"}, Revision: "1.0",
			Swap: results("ListTaskPushNotificationConfigs", func(_ wire.Message, r map[string]any) any {
				r["configs"] = []any{}
				return r
			}),
		},
		{
			ID: "push-configurations-renamed", Doc: "a push configuration is kept under an id that no one is told",
			Kills: []string{"a2a.push.round-trip"}, Revision: "1.0", Agent: unhurried(),
			Hear: agentHears("CreateTaskPushNotificationConfig", func(params map[string]any) { delete(params, "id") }),
			Swap: results("CreateTaskPushNotificationConfig", func(request wire.Message, r map[string]any) any {
				r["id"] = wire.Get(request.Params, "id")
				return r
			}),
		},
	}
}

// touchedTasks gives each task that a method returns another timestamp each time.
func touchedTasks(method string) Swap {
	var reads atomic.Int64
	return results(method, func(_ wire.Message, r map[string]any) any {
		member(r, "status")["timestamp"] = "2026-01-02T03:04:05." + strconv.FormatInt(100+reads.Add(1), 10) + "Z"
		return r
	})
}
