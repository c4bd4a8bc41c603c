package a2a

import (
	"context"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/reporters"
)

const capabilityValidation = spec10 + "#334-capability-validation"

// capabilityCases are about what the card declares, and what it leaves out.
func capabilityCases() []conformance.Case {
	return []conformance.Case{pushRefused(), streamingRefused(), extendedCardRefused(), extendedCardServed(), extendedCardGuarded()}
}

func pushRefused() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.errors.push-not-supported", Title: "Push notifications that are not declared are refused as such",
			Area: conformance.Errors, Level: reporters.Must, Revisions: since03(), Needs: needs(NoPush),
			Rule: rule("Without capabilities.pushNotifications, every operation on push configurations gets PushNotificationNotSupportedError: "+
				"-32003 or HTTP 400. In 0.3 the methods are optional, so there -32601 and -32004 are accepted as well.", capabilityValidation),
			Fix: "Answer -32003 from all four push configuration methods, or declare the capability.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			taskID, codes := s.first(ctx).item.TaskID, []int64{a2ahttp.CodePushNotificationNotSupported}
			if taskID == "" { // then two things are wrong with the call
				taskID, codes = s.target.newID(), append(codes, a2ahttp.CodeTaskNotFound)
			}
			s.Note(a2ahttp.CreatePushConfig, "which the card does not declare, and which has to be refused")
			reply, fault := s.Call(ctx, c, a2ahttp.CreatePushConfig, s.dialect.pushConfig(taskID, pushID, s.webhooks()[0]))
			if s.dialect.version != a2ahttp.V10 {
				codes = append(codes, codeMethodNotFound, a2ahttp.CodeUnsupportedOperation)
			}
			s.refused(c, reply, fault, "a push configuration", codes...)
		}),
	}
}

func streamingRefused() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.errors.streaming-not-supported", Title: "Streaming that is not declared is refused as such",
			Area: conformance.Errors, Level: reporters.Must, Revisions: since10(), Needs: needs(NoStreaming),
			Rule: rule("Without capabilities.streaming, SendStreamingMessage gets UnsupportedOperationError: -32004 or HTTP 400.", capabilityValidation),
			Fix:  "Answer -32004 from the streaming methods, or declare capabilities.streaming.",
		},
		Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			s.Note(a2ahttp.SendStreamingMessage, "which the card does not declare, and which has to be refused")
			m := message{id: s.target.newID(), text: s.target.config.Prompt}
			r := s.record(ctx, a2ahttp.SendStreamingMessage, s.dialect.send(m), begin)
			fault := s.fault(c, r.err, "SendStreamingMessage")
			if fault == nil {
				fault = r.fault
			}
			s.refused(c, a2ahttp.Reply{Result: []byte("of a stream")}, fault, "SendStreamingMessage", a2ahttp.CodeUnsupportedOperation)
		}),
	}
}

func extendedCardRefused() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.errors.extended-card-not-supported", Title: "An extended card that is not declared is refused as such",
			Area: conformance.Errors, Level: reporters.Must, Revisions: since10(), Needs: needs(NoExtendedCard),
			Rule: rule("Without capabilities.extendedAgentCard, GetExtendedAgentCard gets UnsupportedOperationError: -32004 or HTTP 400.", capabilityValidation),
			Fix:  "Answer -32004 from GetExtendedAgentCard, or declare the capability.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			reply, fault := s.Call(ctx, c, a2ahttp.GetExtendedCard, object{})
			s.refused(c, reply, fault, "GetExtendedAgentCard", a2ahttp.CodeUnsupportedOperation)
		}),
	}
}

func extendedCardServed() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.discovery.extended-card", Title: "An extended card that is declared is served, or said to be missing",
			Area: conformance.Discovery, Level: reporters.Must, Revisions: since10(), Needs: needs(ExtendedCard),
			Rule: rule("With capabilities.extendedAgentCard, GetExtendedAgentCard returns a card, or ExtendedAgentCardNotConfiguredError "+
				"when there is none.", capabilityValidation),
			Fix: "Serve the extended card, answer -32007 while there is none, or do not declare it.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			reply, fault := s.Call(ctx, c, a2ahttp.GetExtendedCard, object{})
			if fault != nil {
				s.refused(c, reply, fault, "GetExtendedAgentCard, or a card", a2ahttp.CodeExtendedAgentCardNotConfigured)
				return
			}
			card, err := a2ahttp.ParseCard(reply.Result)
			c.That(err == nil && card.Name != "", "an agent card", "%s", clip(string(reply.Result)))
		}),
	}
}

func extendedCardGuarded() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.security.extended-card", Title: "The extended card is not for strangers",
			Area: conformance.Security, Level: reporters.Must, Revisions: since10(), Needs: needs(ExtendedCard),
			Rule: rule("GetExtendedAgentCard requires authentication.", spec10+"#133-extended-agent-card-access-control"),
			Fix:  "Authenticate GetExtendedAgentCard by a scheme of the public card, and refuse it without credentials.",
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			strip := versionAs(s.dialect.version)
			strip["Authorization"] = nil // that of the URL's user
			for name := range s.target.config.Options.Header {
				strip[name] = nil
			}
			reply, err := s.conv.client.Send(ctx, a2ahttp.Request{Op: a2ahttp.GetExtendedCard, Params: encoded(object{}), Header: strip})
			if reply.Status == 0 {
				c.Answered(err, "GetExtendedAgentCard")
			}
			c.That(err != nil, "GetExtendedAgentCard without credentials to be refused", "the card %s", clip(string(reply.Result)))
		}),
	}
}
