package a2a

import (
	"context"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/reporters"
)

const (
	rpcErrors10 = spec10 + "#95-error-handling"
	fixCodes    = "Let the JSON-RPC layer check the envelope before the method is looked up, and map each failure to its standard code."
)

// envelopeCases are about requests that JSON-RPC itself refuses.
func envelopeCases() []conformance.Case {
	return []conformance.Case{unknownMethod(), invalidJSON(), notARequest(), badEnvelope()}
}

func unknownMethod() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.errors.unknown-method", Title: "A method that does not exist is answered with -32601",
			Area: conformance.Errors, Level: reporters.Must, Revisions: everyRevision(), Needs: needs(JSONRPC), Core: true,
			Rule: rule("A request for a method that the agent does not have gets the error -32601, Method not found.", rpcErrors10),
			Fix:  fixCodes,
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			name := "tasks/noSuchMethod"
			if s.dialect.version == a2ahttp.V10 {
				name = "NoSuchMethod"
			}
			reply, fault := s.Post(ctx, c, `{"jsonrpc":"2.0","id":1,"method":"`+name+`","params":{}}`, nil)
			s.refused(c, reply, fault, "the unknown method "+name, codeMethodNotFound)
		}),
	}
}

func invalidJSON() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.errors.invalid-json", Title: "A body that is no JSON is answered with -32700",
			Area: conformance.Errors, Level: reporters.Must, Revisions: everyRevision(), Needs: needs(JSONRPC), Core: true,
			Rule: rule("A body that cannot be parsed as JSON gets the error -32700, Parse error.", rpcErrors10),
			Fix:  "Answer a failure of the JSON parser with -32700 and id null, not with -32603 or a bare HTTP error.",
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			reply, fault := s.Post(ctx, c, cutJSON, nil)
			s.refused(c, reply, fault, "a body that ends within its JSON", codeParse)
		}),
	}
}

// cutJSON is a request that was cut off.
const cutJSON = `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":`

func notARequest() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.errors.not-a-request", Title: "An object without a method is answered with -32600",
			Area: conformance.Errors, Level: reporters.Must, Revisions: everyRevision(), Needs: needs(JSONRPC), Core: true,
			Rule: rule("JSON that is no Request object, such as one without a method, gets the error -32600, Invalid Request.", rpcErrors10),
			Fix:  fixCodes,
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			reply, fault := s.Post(ctx, c, `{"jsonrpc":"2.0","id":1}`, nil)
			s.refused(c, reply, fault, "an object without a method", codeInvalidRequest)
		}),
	}
}

func badEnvelope() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.errors.bad-envelope", Title: "A request without a version, or with an id of the wrong type, is answered with -32600",
			Area: conformance.Errors, Level: reporters.Should, Revisions: everyRevision(), Needs: needs(JSONRPC), Core: true,
			Rule: rule(`A Request object has "jsonrpc":"2.0" and an id that is a string, a number or null; what has not is `+
				"answered with -32600. JSON-RPC does not forbid an agent to be lenient, so this is taken as a SHOULD.", rpcSpec+"#request_object"),
			Fix: "Check jsonrpc and the type of id before anything else, and answer -32600 (with id null when the id cannot be used).",
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			call := `"method":"` + a2ahttp.Method(a2ahttp.GetTask, s.dialect.version) + `","params":{"id":"` + s.target.newID() + `"}}`
			reply, fault := s.Post(ctx, c, `{"id":1,`+call, nil)
			s.refused(c, reply, fault, "a request without jsonrpc", codeInvalidRequest)
			reply, fault = s.Post(ctx, c, `{"jsonrpc":"2.0","id":{"n":1},`+call, nil)
			s.refused(c, reply, fault, "a request whose id is an object", codeInvalidRequest)
		}),
	}
}
