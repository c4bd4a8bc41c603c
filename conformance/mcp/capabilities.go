package mcp

import (
	"context"
	"encoding/json"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// claim is what a declared capability promises: a method that is answered.
type claim struct {
	capability string
	method     string
	params     any
	member     string // of the result that lists what there is; "" when none does
}

// claims lists what can be asked for without knowing the server.
func claims() []claim {
	return []claim{
		{"tools", "tools/list", noParams(), "tools"},
		{"resources", "resources/list", noParams(), "resources"},
		{"prompts", "prompts/list", noParams(), "prompts"},
	}
}

// declares tells whether the server named the capability.
func (s *Session) declares(capability string) bool {
	v := wire.Get(s.Capabilities, capability)
	return v != nil && string(v) != "null"
}

func undeclaredLists() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.lifecycle.undeclared-lists", Title: "what a server offers, it declares", Protocol: conformance.MCP,
			Area: conformance.Lifecycle, Level: reporters.Must, Revisions: all(),
			Rule: reporters.Rule{
				Text: "A server that has tools, resources or prompts must declare the capability. (An empty list of what was not declared is accepted.)",
				URL:  page("2025-11-25/server/tools#capabilities"),
			},
			Fix: "Declare each capability whose lists hold something; clients do not ask for what is not declared.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			asked := false
			for _, claim := range claims() {
				if s.declares(claim.capability) {
					continue
				}
				asked = true
				a := s.Attempt(ctx, c, claim.method, claim.params)
				var items []json.RawMessage
				_ = json.Unmarshal(wire.Get(a.Message.Result, claim.member), &items) // what is no list holds nothing
				c.That(len(items) == 0, "no "+claim.capability+" where none are declared", "%v", a)
			}
			if !asked {
				c.NotVerified("tools, resources and prompts are all declared")
			}
		}),
	}
}

func undeclaredMethods() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.lifecycle.undeclared-methods", Title: "methods of capabilities that are not declared are answered with -32601", Protocol: conformance.MCP,
			Area: conformance.Lifecycle, Level: reporters.Should, Revisions: all(),
			Rule: reporters.Rule{
				Text: "Only what was declared is used; a method of a capability that the server does not have is a method that it does not have, -32601.",
				URL:  page(lifecyclePage + "#capability-negotiation"),
			},
			Fix: "Register the methods of a capability only where you declare it.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			asked := false
			for _, claim := range s.optional() {
				if s.declares(claim.capability) {
					continue
				}
				asked = true
				a := s.Attempt(ctx, c, claim.method, claim.params)
				a.refusedWith(c, claim.method+", for "+claim.capability+" are not declared", codeNoMethod)
			}
			if !asked {
				c.NotVerified("every capability is declared")
			}
		}),
	}
}

// optional lists the methods that a server of the revision need not have.
func (s *Session) optional() []claim {
	list := claims()
	if !s.Modern() {
		list = append(list, claim{"logging", "logging/setLevel", map[string]any{"level": "error"}, ""})
	}
	if s.Revision >= mcp.Rev2503 {
		list = append(list, claim{"completions", "completion/complete", map[string]any{
			"ref":      map[string]string{"type": "ref/prompt", "name": noSuch},
			"argument": map[string]string{"name": "a", "value": "a"},
		}, ""})
	}
	return list
}

func declaredLists() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.lifecycle.declared-lists", Title: "the lists of declared capabilities are answered", Protocol: conformance.MCP,
			Area: conformance.Lifecycle, Level: reporters.Must, Revisions: all(), Needs: []conformance.Feature{AnyList},
			Rule: reporters.Rule{
				Text: "A server that declares tools, resources or prompts must answer the request that lists them; the list may be empty.",
				URL:  page("2026-07-28/server/tools#capabilities"),
			},
			Fix: "Answer the list request of each capability that you declare, or do not declare it.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			for _, claim := range claims() {
				if !s.declares(claim.capability) {
					continue
				}
				a := s.Attempt(ctx, c, claim.method, claim.params)
				items := wire.Get(a.Message.Result, claim.member)
				c.That(len(items) > 0 && items[0] == '[', "a list of "+claim.member+", which are declared", "%v", a)
			}
		}),
	}
}

func declaredLogging() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.lifecycle.declared-logging", Title: "a server that declares logging takes a log level", Protocol: conformance.MCP,
			Area: conformance.Lifecycle, Level: reporters.Must, Revisions: legacy(), Needs: []conformance.Feature{Logging},
			Rule: reporters.Rule{
				Text: "With the logging capability a client may set the minimum level; the answer is an empty result.",
				URL:  page("2025-11-25/server/utilities/logging#setting-log-level"),
			},
			Fix: "Implement logging/setLevel, or do not declare logging.",
		},
		Isolated: true, // the level outlives the case
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			a := s.Attempt(ctx, c, "logging/setLevel", map[string]any{"level": "error"})
			c.That(a.Message.Result != nil, "a result of logging/setLevel", "%v", a)
		}),
	}
}
