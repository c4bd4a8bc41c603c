package mcp

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

func notificationUnanswered() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.idempotency.notification-unanswered", Title: "a notification gets no response", Protocol: conformance.MCP,
			Area: conformance.Idempotency, Level: reporters.Must, Revisions: all(), Core: true,
			Rule: reporters.Rule{
				Text: "The receiver of a notification must not send a response. (Over HTTP it may refuse it by an error status, with an error that has no id.)",
				URL:  page("2025-11-25/basic#notifications"),
			},
			Fix: "Send nothing for a message without an id, whatever became of it.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			s.silent(ctx, c, "notifications/cancelled", json.RawMessage(`{"requestId":"peerwright-never-sent"}`))
		}),
	}
}

func unknownNotification() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.idempotency.unknown-notification", Title: "an unknown notification is ignored, and the conversation goes on", Protocol: conformance.MCP,
			Area: conformance.Idempotency, Level: reporters.Must, Revisions: all(), Core: true,
			Rule: reporters.Rule{
				Text: "The receiver of a notification must not send a response, and that holds for one that it does not know.",
				URL:  page("2025-11-25/basic#notifications"),
			},
			Fix: "Ignore notifications that you do not know; answer no error to them.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			s.silent(ctx, c, "notifications/peerwright/unknown", nil)
			s.Must(ctx, c, s.harmless(), nil)
		}),
	}
}

// silent sends a notification and sees to it that no response follows.
func (s *Session) silent(ctx context.Context, c *conformance.Check, method string, params json.RawMessage) {
	if s.overHTTP() {
		s.silentPOST(ctx, c, wire.Notification(method, s.Params(params)))
		return
	}
	from := s.conv.strayCount()
	_, err := s.Notify(ctx, method, params)
	c.Answered(err, method)
	s.Must(ctx, c, s.harmless(), nil) // an answer to the notification would come before this one
	for _, in := range s.conv.straySince(from) {
		c.That(!in.IsResponse(), "no response to "+method, "%s", clip(string(in.Raw), 300))
	}
}

func (s *Session) silentPOST(ctx context.Context, c *conformance.Check, raw []byte) {
	resp, answer := s.post(ctx, c, raw, nil)
	if resp.Status >= http.StatusBadRequest {
		c.That(answer.Raw == nil || answer.Error != nil && (answer.ID.IsZero() || answer.ID == wire.NullID),
			"no response to a notification, or an error without an id", "%s with HTTP status %d", clip(string(answer.Raw), 300), resp.Status)
		return
	}
	c.That(answer.Raw == nil, "no response to a notification", "%s with HTTP status %d", clip(string(answer.Raw), 300), resp.Status)
}
