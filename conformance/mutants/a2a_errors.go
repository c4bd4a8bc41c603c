package mutants

import (
	"net/http"

	"github.com/peerwright/peerwright/conformance/peers/a2apeer"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// a2aRefusals are agents that refuse an operation by the wrong error, or not at all.
func a2aRefusals() []Mutant {
	return []Mutant{
		{
			ID: "unknown-task-is-internal", Doc: "a task that does not exist is an internal error",
			Kills: []string{"a2a.errors.unknown-task"}, Revision: "1.0",
			Swap: agentRefuses("GetTask", a2ahttp.CodeTaskNotFound, internalError),
		},
		{
			ID: "old-unknown-task-is-null", Doc: "a task of 0.3 that does not exist is the result null",
			Kills: []string{"a2a.errors.unknown-task", "a2a.schema.required-members"}, Revision: "0.3",
			Swap: func(request, m wire.Message) [][]byte {
				if request.Method != "tasks/get" || m.Kind != wire.KindError || m.Error.Code != a2ahttp.CodeTaskNotFound {
					return keep(m)
				}
				return [][]byte{wire.Result(m.ID, []byte("null"))}
			},
		},
		{
			ID: "cancel-unknown-not-cancelable", Doc: "cancelling a task that does not exist is TaskNotCancelableError",
			Kills: []string{"a2a.errors.cancel-unknown-task"}, Revision: "1.0",
			Swap: agentRefuses("CancelTask", a2ahttp.CodeTaskNotFound, a2ahttp.CodeTaskNotCancelable),
		},
		{
			ID: "cancel-finished-succeeds", Doc: "cancelling a task that is over returns the task",
			Kills: []string{"a2a.errors.cancel-finished-task"}, Revision: "1.0",
			Wrap: agentInstead("CancelTask", func(id wire.ID, params map[string]any, ask func(string, any) wire.Message) []byte {
				answer := ask("CancelTask", params)
				if answer.Kind == wire.KindError && answer.Error.Code == a2ahttp.CodeTaskNotCancelable {
					answer = ask("GetTask", params)
				}
				return sameUnder(id, answer)
			}),
		},
		{
			ID: "send-to-finished-is-invalid", Doc: "a message to a task that is over is refused as invalid params",
			Kills: []string{"a2a.errors.send-to-finished-task"}, Revision: "1.0",
			Swap: agentRefuses("SendMessage", a2ahttp.CodeUnsupportedOperation, invalidParams),
		},
		{
			ID: "old-finished-tasks-go-on", Doc: "a message of 0.3 to a task that is over makes a new task",
			Kills: []string{"a2a.errors.send-to-finished-task"}, Revision: "0.3",
			Hear: agentHears("message/send", func(params map[string]any) { delete(member(params, "message"), "taskId") }),
		},
		{
			ID: "subscribe-finished-not-found", Doc: "a task that is over counts as not found when it is subscribed to",
			Kills: []string{"a2a.errors.subscribe-to-finished-task"}, Revision: "1.0",
			Swap: agentRefuses("SubscribeToTask", a2ahttp.CodeUnsupportedOperation, a2ahttp.CodeTaskNotFound),
		},
		{
			ID: "push-not-supported-no-method", Doc: "push configurations that are not declared are an unknown method",
			Kills: []string{"a2a.errors.push-not-supported"}, Revision: "1.0", Agent: a2apeer.Options{NoPush: true},
			Swap: agentRefuses("CreateTaskPushNotificationConfig", a2ahttp.CodePushNotificationNotSupported, noMethod),
		},
		{
			ID: "push-taken-undeclared", Doc: "push configurations are taken and not declared",
			Kills: []string{"a2a.errors.push-not-supported"}, Revision: "0.3", Wrap: undeclared("pushNotifications"),
		},
		{
			ID: "streaming-served-undeclared", Doc: "streaming is served and not declared",
			Kills: []string{"a2a.errors.streaming-not-supported"}, Revision: "1.0", Wrap: undeclared("streaming"),
		},
		{
			ID: "extended-card-not-configured", Doc: "an extended card that is not declared is said to be not configured",
			Kills: []string{"a2a.errors.extended-card-not-supported"}, Revision: "1.0",
			Swap: agentRefuses("GetExtendedAgentCard", a2ahttp.CodeUnsupportedOperation, a2ahttp.CodeExtendedAgentCardNotConfigured),
		},
	}
}

// undeclared takes a capability off the card.
func undeclared(name string) func(http.Handler) http.Handler {
	return cards(func(card map[string]any) { delete(member(card, "capabilities"), name) })
}

// a2aRequests are agents that take what is no good request wrongly.
func a2aRequests() []Mutant {
	return []Mutant{
		{
			ID: "unknown-method-is-internal", Doc: "a method of 0.3 that does not exist is an internal error",
			Kills: []string{"a2a.errors.unknown-method"}, Revision: "0.3",
			Swap: agentRefuses("tasks/noSuchMethod", noMethod, internalError),
		},
		{
			ID: "unknown-method-is-unsupported", Doc: "a method that does not exist is UnsupportedOperationError",
			Kills: []string{"a2a.errors.unknown-method"}, Revision: "1.0",
			Swap: agentRefuses("NoSuchMethod", noMethod, a2ahttp.CodeUnsupportedOperation),
		},
		{
			ID: "invalid-json-is-internal", Doc: "a body that is no JSON is an internal error",
			Kills: []string{"a2a.errors.invalid-json"}, Revision: "1.0", Swap: agentRefuses("", parseError, internalError),
		},
		{
			ID: "invalid-json-is-a-bare-400", Doc: "a body that is no JSON is answered by the web framework",
			Kills: []string{"a2a.errors.invalid-json"}, Revision: "0.3",
			Wrap: reply(func(r *http.Request, m wire.Message) bool {
				return r.Method == http.MethodPost && m.Kind == wire.KindInvalid && m.Method == "" && m.Problems[0] == "not valid JSON"
			},
				http.StatusBadRequest, "text/plain", "Bad Request"),
		},
		{
			ID: "no-request-is-no-method", Doc: "what has no method is answered as if it had an unknown one",
			Kills: []string{"a2a.errors.not-a-request"}, Revision: "1.0", Swap: agentRefuses("", invalidRequest, noMethod),
		},
		{
			ID: "jsonrpc-not-looked-at", Doc: "a request is served whether it says that it is JSON-RPC or not",
			Kills: []string{"a2a.errors.bad-envelope"}, Revision: "1.0",
			Hear: func(m wire.Message) (told, answer []byte) {
				if m.Method == "" {
					return m.Raw, nil
				}
				return edited(m.Raw, func(request map[string]any) { request["jsonrpc"] = "2.0" }), nil
			},
		},
		{
			ID: "ill-typed-params-are-internal", Doc: "an id that is no string is an internal error",
			Kills: []string{"a2a.errors.ill-typed-params"}, Revision: "1.0", Swap: agentRefuses("GetTask", invalidParams, internalError),
		},
		{
			ID: "no-message-is-an-empty-one", Doc: "a call without a message starts a task with an empty one",
			Kills: []string{"a2a.errors.missing-params"}, Revision: "1.0",
			Hear: agentHears("SendMessage", func(params map[string]any) {
				if params["message"] == nil {
					params["message"] = map[string]any{"messageId": "none", "role": "ROLE_USER", "parts": []any{map[string]any{"text": ""}}}
				}
			}),
		},
		{
			ID: "no-parts-are-no-text", Doc: "a message without parts starts a task",
			Kills: []string{"a2a.errors.empty-parts"}, Revision: "1.0",
			Hear: agentHears("SendMessage", func(params map[string]any) {
				if message := member(params, "message"); len(elements(message, "parts")) == 0 {
					message["parts"] = []any{map[string]any{"text": ""}}
				}
			}),
		},
		{
			ID: "any-version-will-do", Doc: "a version that does not exist is served as the newest",
			Kills: []string{"a2a.errors.unsupported-version"}, Revision: "1.0", Wrap: versionHeard("99.0", "1.0"),
		},
		{
			ID: "no-version-is-the-newest", Doc: "a request without A2A-Version is served as one of 1.0",
			Kills: []string{"a2a.lifecycle.missing-version"}, Revision: "1.0", Wrap: versionHeard("", "1.0"),
		},
		{
			ID: "patch-versions-refused", Doc: "a version is compared with its patch number",
			Kills: []string{"a2a.lifecycle.patch-version"}, Revision: "1.0", Wrap: versionHeard("1.0.9", "99.0"),
		},
	}
}

// versionHeard gives the built-in agent another version than the client asked for.
func versionHeard(from, to string) func(http.Handler) http.Handler {
	return reheaded(func(r *http.Request, _ wire.Message) {
		if r.Header.Get("A2A-Version") == from { //nolint:canonicalheader // as A2A spells it
			r.Header.Set("A2A-Version", to) //nolint:canonicalheader // as A2A spells it
		}
	})
}
