package a2a

import (
	"context"
	"net/http"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/reporters"
)

// paramsCases are about params that an agent cannot use.
func paramsCases() []conformance.Case {
	return []conformance.Case{illTypedParams(), illTypedBody(), missingParams(), emptyParts()}
}

const fixParams = "Decode params into the types of the operation, and answer what does not fit with -32602 (HTTP 400 in HTTP+JSON), naming the member."

func illTypedParams() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.errors.ill-typed-params", Title: "Params of the wrong type are answered with -32602",
			Area: conformance.Errors, Level: reporters.Must, Revisions: everyRevision(), Needs: needs(JSONRPC), Core: true,
			Rule: rule("Agents validate all input before they process it, and params that do not have the types of the method get the error "+
				"-32602. JSON-RPC wants params to be an object or an array, so for params that are a string -32600 is accepted as well; and "+
				"TaskNotFoundError, whose description covers ids that are invalid, for a task id that is none.", spec10+"#332-error-handling"),
			Fix: fixParams,
		},
		Isolated: true, Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			head := `{"jsonrpc":"2.0","id":1,"method":"` + a2ahttp.Method(a2ahttp.GetTask, s.dialect.version) + `","params":`
			reply, fault := s.Post(ctx, c, head+`{"id":{"not":"a string"}}}`, nil)
			s.refused(c, reply, fault, "GetTask with an object as id", codeInvalidParams, a2ahttp.CodeTaskNotFound)
			reply, fault = s.Post(ctx, c, head+`"not an object"}`, nil)
			s.refused(c, reply, fault, "GetTask with a string as params", codeInvalidParams, codeInvalidRequest)
			if it := s.first(ctx).item; it.Kind == isTask {
				reply, fault = s.Call(ctx, c, a2ahttp.GetTask, object{"id": it.TaskID, "historyLength": "no number"})
				s.refused(c, reply, fault, `GetTask with "no number" as historyLength`, codeInvalidParams)
			}
		}),
	}
}

func illTypedBody() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.errors.ill-typed-body", Title: "A body of the wrong shape is answered with HTTP 400",
			Area: conformance.Errors, Level: reporters.Must, Revisions: since10(), Needs: needs(HTTPJSON), Core: true,
			Rule: rule("Agents validate all input before they process it, and answer what fails with HTTP 400 and a google.rpc.Status.",
				spec10+"#332-error-handling"),
			Fix: fixParams,
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			reply, fault := s.Call(ctx, c, a2ahttp.SendMessage, object{"message": "not an object"})
			s.refused(c, reply, fault, "SendMessage with a string as message", codeInvalidParams)
		}),
	}
}

func missingParams() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.errors.missing-params", Title: "A message that is not there is answered with -32602",
			Area: conformance.Errors, Level: reporters.Should, Revisions: everyRevision(), Core: true,
			Rule: rule("A call that lacks a required member, here the message of SendMessage, is refused as invalid params.",
				spec10+"#57-field-presence-and-optionality"),
			Fix: fixParams,
		},
		Isolated: true,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			reply, fault := s.Call(ctx, c, a2ahttp.SendMessage, object{})
			s.refused(c, reply, fault, "SendMessage without a message", codeInvalidParams)
		}),
	}
}

func emptyParts() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "a2a.errors.empty-parts", Title: "A message without parts is answered with -32602",
			Area: conformance.Errors, Level: reporters.Should, Revisions: since10(), Core: true,
			Rule: rule("A required array has at least one element, and agents should reject a message whose parts have none.",
				spec10+"#57-field-presence-and-optionality"),
			Fix: "Check that message.parts has an element before a task is made.",
		},
		Isolated: true, Timeout: slow,
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			s.Note(a2ahttp.SendMessage, "without any part, which has to be refused")
			reply, fault := s.Call(ctx, c, a2ahttp.SendMessage, object{
				"message": object{"messageId": s.target.newID(), "role": "ROLE_USER", "parts": []object{}},
			})
			s.refused(c, reply, fault, "SendMessage with no parts", codeInvalidParams)
		}),
	}
}

// versionAs returns a header that asks for a protocol version; "" asks for none.
func versionAs(version string) http.Header {
	if version == "" {
		return http.Header{"A2A-Version": nil}
	}
	return http.Header{"A2A-Version": {version}}
}
