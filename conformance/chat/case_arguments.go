package chat

import (
	"context"
	"slices"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/reporters"
)

// argumentCases send calls that must not reach a tool.
func argumentCases() []conformance.Case {
	return []conformance.Case{unknownTool(), badArguments(), schemaArguments(), noCall()}
}

// refused asks for a refusal of one class, of what was not run.
func refused(c *conformance.Check, a answer, what, class string) {
	got := a.text("error", "class")
	c.That(a.status >= 400 && got == class, "class "+class+" for "+what, "status %d, %s", a.status, clip(string(a.body)))
	c.That(a.text("error", "context", "outcome") == "not_run", "outcome not_run for "+what, "%s", clip(string(a.body)))
}

func unknownTool() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Errors, "unknown-tool", "A tool that is not there is not found", reporters.Must, needs(Contract, Tools),
			"A call of a tool that is not in the list is not_found, and not run.", bridgeDocs+"#errors", "Look the name up before anything is sent."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			refused(c, s.post(ctx, c, s.calls(false, call{id: "call_1", name: noTool, args: "{}"})), "a tool that is not there", "not_found")
		}),
	}
}

func badArguments() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Errors, "arguments-json", "Arguments that are no JSON object are refused", reporters.Must, needs(Contract, CallableTool),
			"Arguments that are no JSON, or no object, are invalid_args, and nothing is sent to the tool.", bridgeDocs+"#errors", "Parse the arguments before calling."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			u := s.target.facts.callable[0]
			for _, args := range []string{`{"cut":`, `[1]`, `7`} {
				s.target.ledger.note(u.name, u.why+"; with arguments that must be refused")
				refused(c, s.post(ctx, c, s.calls(false, call{id: "call_1", name: u.name, args: args})), "the arguments "+args, "invalid_args")
			}
		}),
	}
}

func schemaArguments() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Errors, "arguments-schema", "Arguments that the schema refuses do not reach the tool", reporters.Must, needs(Contract, SchemaTool),
			"Arguments are held against the tool's schema before anything is sent; others are invalid_args.", bridgeDocs+"#errors", "Validate the arguments by the tool's input schema."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			i := slices.IndexFunc(s.target.facts.callable, func(u tool) bool { return u.wrong() != nil })
			u := s.target.facts.callable[i]
			s.target.ledger.note(u.name, u.why+"; with arguments that must be refused")
			refused(c, s.post(ctx, c, s.calls(false, call{id: "call_1", name: u.name, args: string(u.wrong())})), "the arguments "+string(u.wrong()), "invalid_args")
		}),
	}
}

func noCall() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Errors, "no-call", "A request that calls nothing is refused where nobody else could answer", reporters.Must, needs(Contract, OnlyTools),
			"Without a model behind the bridge a request whose last message has no tool calls is invalid_args.", bridgeDocs+"#tools", "Say in the message what to send."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			s.target.ledger.note(message, "it must be refused: only tools are there")
			refused(c, s.post(ctx, c, `{"model":"any","messages":[{"role":"user","content":"hello"}]}`), "a request without tool calls", "invalid_args")
		}),
	}
}
