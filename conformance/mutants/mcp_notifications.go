package mutants

import (
	"encoding/json"
	"net/http"

	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// mcpNotifications are servers that answer notifications.
func mcpNotifications() []Mutant {
	return []Mutant{
		{
			ID: "unknown-notification-refused", Doc: "an unknown notification is answered with -32601",
			Kills: []string{"mcp.idempotency.unknown-notification"}, Revision: mcp.Rev2511, Stdio: true,
			Hear: answersTo(func(m wire.Message) bool { return !isNotification(m) }, wire.Failure(wire.NullID, noMethod, "method not found", nil)),
		},
		{
			ID: "cancellation-refused", Doc: "the cancellation of a request that is not there is answered with an error",
			Kills:    []string{"mcp.idempotency.notification-unanswered", "mcp.cancellation.unknown-request"},
			Revision: mcp.Rev2511, Stdio: true,
			Hear: answersTo(func(m wire.Message) bool { return m.Method == "notifications/cancelled" },
				wire.Failure(wire.NullID, invalidParams, "no such request", nil)),
		},
		{
			ID: "notifications-get-a-result", Doc: "a notification is answered with a result under the id null",
			Kills: []string{
				"mcp.idempotency.notification-unanswered", "mcp.idempotency.unknown-notification", "mcp.idempotency.answers-known-ids",
				"mcp.cancellation.unknown-request", "mcp.framing.notification-accepted",
			},
			Revision: mcp.Rev2511,
			Hear:     answersTo(func(wire.Message) bool { return true }, wire.Result(wire.NullID, json.RawMessage(`{}`))),
		},
		{
			ID: "notifications-are-ok", Doc: "an accepted notification has HTTP status 200",
			Kills: []string{"mcp.framing.notification-accepted"}, Revision: mcp.Rev2607,
			Wrap: accepted(wire.KindNotification, http.StatusOK),
		},
		{
			ID: "responses-have-no-content", Doc: "an accepted response has HTTP status 204",
			Kills: []string{"mcp.framing.response-accepted"}, Revision: mcp.Rev2511,
			Wrap: accepted(wire.KindResult, http.StatusNoContent),
		},
	}
}

// isNotification tells whether a message is a notification that clients may send.
func isNotification(m wire.Message) bool {
	switch m.Method {
	case "notifications/initialized", "notifications/cancelled", "notifications/progress", "notifications/roots/list_changed":
		return true
	}
	return false
}

// answersTo makes a Hear that answers the notifications picked.
func answersTo(pick func(wire.Message) bool, answer []byte) Hear {
	return func(m wire.Message) ([]byte, []byte) {
		if m.Kind != wire.KindNotification || !pick(m) {
			return m.Raw, nil
		}
		return m.Raw, answer
	}
}

// accepted makes a Wrap that takes messages of a kind with another status.
func accepted(kind wire.Kind, status int) func(http.Handler) http.Handler {
	return headed(func(_ *http.Request, m wire.Message, got int, _ http.Header) int {
		if m.Kind == kind && got == http.StatusAccepted {
			return status
		}
		return got
	})
}
