package chat

import (
	"context"
	"net/http"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/reporters"
)

const conversationHeader = "X-Conversation-Id"

// agentCases are about chats with agents.
func agentCases() []conformance.Case {
	return []conformance.Case{noSuchAgent(), conversation()}
}

func noSuchAgent() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Errors, "no-such-model", "A message to a model that is not there is not found", reporters.Must, needs(Contract, OnlyAgents),
			"Where only agents are, a message to a model that is none of them is 404, class not_found, code model_not_found, and reaches nobody.", bridgeDocs+"#errors",
			"Look the model up before anything is sent."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			s.target.ledger.note(message, "it must be refused: it is for a model that is not there")
			a := s.post(ctx, c, `{"model":"peerwright-no-such-model","messages":[{"role":"user","content":"hello"}]}`)
			refused(c, a, "a message to a model that is not there", "not_found")
			c.That(a.status == http.StatusNotFound && a.text("error", "code") == "model_not_found", "404 and code model_not_found", "status %d, %s", a.status, clip(string(a.body)))
		}),
	}
}

func conversation() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Lifecycle, "conversation", "The answer names its conversation", reporters.Must, needs(Contract, Agents),
			"The id of the conversation stands in "+conversationHeader+" and in conversation_id beside choices; the next turn under it has the same.", bridgeDocs+"#conversations",
			"Return the id that the client gave, and one of your own otherwise."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			first := s.completed(ctx, c, false)
			id := first.text("conversation_id")
			c.That(id != "" && first.header.Get(conversationHeader) == id, "one id in "+conversationHeader+" and conversation_id", "%q and %q", first.header.Get(conversationHeader), id)
			next := s.completed(ctx, c, true) // it was asked for under this id
			c.That(next.header.Get(conversationHeader) == id, conversationHeader+" "+id+" of the next turn", "%q", next.header.Get(conversationHeader))
		}),
	}
}
