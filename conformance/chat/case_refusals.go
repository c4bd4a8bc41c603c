package chat

import (
	"context"
	"net/http"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/reporters"
)

// refusalCases send what is no good request.
func refusalCases() []conformance.Case {
	const rule = "A malformed request, or one that lacks what is required, is the client's fault: it gets a status of 4xx, 400 at OpenAI. Clients repeat what gets 5xx."
	bad := func(id, title, body, what, fix string) conformance.Case {
		return conformance.Case{
			Meta: about(conformance.Errors, id, title, reporters.Should, nil, rule, errorURL, fix),
			Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
				a := s.post(ctx, c, body)
				c.That(a.status/100 == 4, "a status of 4xx to "+what, "status %d, %s", a.status, clip(string(a.body)))
			}),
		}
	}
	return []conformance.Case{
		bad("malformed-json", "A body that is no JSON is refused as the client's fault", `{"model":"m","messages":[`, "a body that ends in the middle",
			"Answer 400 when the body cannot be parsed; do not let the parser's exception become a 500."),
		bad("not-an-object", "A body that is no object is refused as the client's fault", `["not","a","request"]`, "a body that is a list",
			"Check that the body is an object before looking for members."),
		bad("missing-messages", "A request without messages is refused as the client's fault", `{"model":"m"}`, "a request without messages",
			"Answer 400 when messages is missing."),
		bad("wrong-type", "Messages that are no list are refused as the client's fault", `{"model":"m","messages":7}`, "messages that are a number",
			"Check the type of messages, and answer 400."),
		bad("message-type", "A message that is no object is refused as the client's fault", `{"model":"m","messages":[7]}`, "a message that is a number",
			"Check the type of each message, and answer 400."),
		bad("stream-refused-early", "A bad request for a stream is refused by its status", `{"model":"m","stream":true,"messages":7}`, "a bad request for a stream",
			"Check the request before the head of the stream is sent."),
		unknownRoute(), wrongMethod(), malformed(),
	}
}

func unknownRoute() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Errors, "unknown-route", "A path that is not served is not found", reporters.Should, nil,
			"What is not there is answered 404. A web page with status 200 makes a client read it as an answer.", statusURL+".5",
			"Let no page for browsers answer below the base of the API."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			a := s.get(ctx, c, "/peerwright-no-such-route")
			c.That(a.status/100 == 4, "status 404", "status %d, %s", a.status, clip(string(a.body)))
		}),
	}
}

func wrongMethod() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Errors, "allow", "405 says which methods are allowed", reporters.Must, nil,
			"An answer 405 must have an Allow header with the methods that the resource takes.", statusURL+".6",
			"Send Allow: POST with 405 on /chat/completions."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			a := s.do(ctx, c, http.MethodDelete, s.target.base+"/chat/completions", nil)
			if a.status != http.StatusMethodNotAllowed {
				c.NotVerified("DELETE was answered with status %d, not 405", a.status)
			}
			c.That(a.header.Get("Allow") != "", "an Allow header with 405", "none")
		}),
	}
}

// malformed holds the bridge to what its contract says of requests that are none.
func malformed() conformance.Case {
	bodies := []string{`{"model":"m","messages":[`, `["not","a","request"]`, `{"model":"m"}`, `{"model":"m","messages":7}`, `{"model":"m","messages":[7]}`, `{"model":"m","stream":true,"messages":{}}`, ``}
	return conformance.Case{
		Meta: about(conformance.Errors, "malformed", "A malformed request is 400, invalid_args, and not run", reporters.Must, needs(Contract),
			"Of the members that are read, one that is missing or of a wrong type is refused with 400, class invalid_args and outcome not_run, in the envelope.", bridgeDocs+"#requests",
			"Check the whole request before anything is done."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			for _, body := range bodies {
				a := s.post(ctx, c, body)
				c.That(a.status == http.StatusBadRequest, "400 to "+body, "status %d, %s", a.status, clip(string(a.body)))
				refused(c, a, body, "invalid_args")
			}
		}),
	}
}
