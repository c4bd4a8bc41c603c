package a2a

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// discoveryCases are about the agent card.
func discoveryCases() []conformance.Case {
	return []conformance.Case{wellKnown(), cardMembers(), cardCaching(), interfacesAnswer()}
}

func wellKnown() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.discovery.well-known", Title: "The card is at /.well-known/agent-card.json",
			Area: conformance.Discovery, Level: reporters.Should, Revisions: since03(),
			Rule: rule("The recommended place of the card is /.well-known/agent-card.json; /.well-known/agent.json was that of 0.2.", spec10+"#82-discovery-mechanisms"),
			Fix:  "Serve the card at /.well-known/agent-card.json as well.",
		},
		Run: on(func(_ context.Context, c *conformance.Check, s *Session) {
			s.borrow(s.target.card)
			if len(s.Found.Tried) == 0 && !strings.HasSuffix(s.Found.URL, a2ahttp.WellKnown) {
				c.NotVerified("the suite was given the URL of the card, and looked nowhere else")
			}
			var tried []string
			for _, attempt := range s.Found.Tried {
				tried = append(tried, attempt.URL+" ("+attempt.Err.Error()+")")
			}
			c.That(strings.HasSuffix(s.Found.URL, a2ahttp.WellKnown), "the card at "+a2ahttp.WellKnown, "it at %s, after %s",
				s.Found.URL, strings.Join(tried, ", "))
		}),
	}
}

func cardMembers() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.discovery.card-members", Title: "The card has all members that its version requires",
			Area: conformance.Discovery, Level: reporters.Must, Revisions: everyRevision(), Core: true,
			Rule: rule("Members marked as required are there, and not null, in the card and in what it holds. An empty array counts as "+
				"there, and preferredTransport may be left out: the text says both.", spec10+"#441-agentcard"),
			Fix: "Fill in the members that are missing; an agent without skills or modes writes an empty array.",
		},
		Run: on(func(_ context.Context, c *conformance.Check, s *Session) {
			s.borrow(s.target.card)
			for _, p := range check(s.dialect, "AgentCard", s.Found.Card.Raw) {
				c.That(p.kind != missing, p.expected, "%s", p.actual)
			}
		}),
	}
}

func cardCaching() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.discovery.card-caching", Title: "The card says how long it may be kept",
			Area: conformance.Discovery, Level: reporters.Should, Revisions: since10(), Core: true,
			Rule: rule("The endpoint of the card sends Cache-Control with max-age, and an ETag.", spec10+"#861-server-requirements"),
			Fix:  "Send Cache-Control: public, max-age=3600 and an ETag made from the card.",
		},
		Run: on(func(_ context.Context, c *conformance.Check, s *Session) {
			s.borrow(s.target.card)
			head := s.Found.Reply.Header
			c.That(strings.Contains(head.Get("Cache-Control"), "max-age"), "Cache-Control with max-age", "%q", head.Get("Cache-Control"))
			c.That(head.Get("ETag") != "", "an ETag", "none")
		}),
	}
}

func interfacesAnswer() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.discovery.interfaces", Title: "Every interface that the card declares answers in its binding",
			Area: conformance.Discovery, Level: reporters.Must, Revisions: since03(), Core: true,
			Rule: rule("Each interface declares its URL and its binding accurately. Only those on the host of the agent are asked, and "+
				"none of gRPC.", spec10+"#831-supported-interfaces-declaration"),
			Fix: "Correct url and protocolBinding in the card, as clients outside of your network see them, or serve what they say.",
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			for _, i := range s.Found.Card.Interfaces {
				if sameHost(i.URL, s.conv.client.Interface.URL) {
					s.probe(ctx, c, i)
				}
			}
		}),
	}
}

func sameHost(a, b string) bool {
	x, errX := url.Parse(a)
	y, errY := url.Parse(b)
	return errX == nil && errY == nil && x.Hostname() == y.Hostname()
}

// probe asks for a task that does not exist: any answer that the binding allows will
// do, and being turned away too.
func (s *Session) probe(ctx context.Context, c *conformance.Check, i a2ahttp.Interface) {
	conv, err := s.target.another(i)
	if err != nil {
		return // a binding or a version that is not spoken here
	}
	defer conv.client.Close()
	reply, err := conv.client.Call(ctx, a2ahttp.GetTask, encoded(object{"id": s.target.newID()}))
	s.borrow(conv.transcript.Frames(0))
	var fault *a2ahttp.Fault
	switch errors.As(err, &fault); {
	case fault == nil:
		c.That(err == nil, "an answer by "+i.Binding+" at "+i.URL, "%v", err)
	case turnedAway(fault):
		away(c, fault, "a request to "+i.URL)
	case !wantsCredentials(fault):
		c.That(speaks(i.Binding, reply), "an answer by "+i.Binding+" at "+i.URL, "%v", fault)
	}
}

// speaks tells whether an error is one that the binding has.
func speaks(binding string, reply a2ahttp.Reply) bool {
	if binding == a2ahttp.JSONRPC {
		return isRPC(reply.Message) || reply.Message.ID.Equal(reply.ID)
	}
	return len(reply.Body) > 0 && reply.Body[0] == '{' && wire.Get(reply.Body, "jsonrpc") == nil
}

// isRPC tells whether a document calls itself a response of JSON-RPC.
func isRPC(m wire.Message) bool { return m.IsResponse() && wire.Get(m.Raw, "jsonrpc") != nil }
