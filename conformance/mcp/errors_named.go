package mcp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// noSuchURI is the address of a resource that no server has.
const noSuchURI = "peerwright-none:///no-such-resource"

// readNothing reads a resource that does not exist. It ends the case where the
// server has a template that may well take any address.
func (s *Session) readNothing(ctx context.Context, c *conformance.Check) Answer {
	for _, raw := range s.Facts.Templates {
		if template, _ := wire.Text(wire.Get(raw, "uriTemplate")); strings.HasPrefix(template, "{") {
			c.NotVerified("the resource template %s may stand for any address", template)
		}
	}
	return s.Attempt(ctx, c, "resources/read", map[string]any{"uri": noSuchURI})
}

func unknownResource() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.errors.unknown-resource", Title: "an unknown resource is answered with an error that says so", Protocol: conformance.MCP,
			Area: conformance.Errors, Level: reporters.Should, Revisions: legacy(), Needs: []conformance.Feature{Resources},
			Rule: reporters.Rule{
				Text: "A resource that is not found should be answered with the error -32002; -32602, which replaced it in 2026-07-28, says as much.",
				URL:  page("2025-11-25/server/resources#error-handling"),
			},
			Fix: "Answer resources/read with -32002 when there is no such resource.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			s.readNothing(ctx, c).refusedWith(c, "a read of "+noSuchURI, codeNoResource, codeInvalidParams)
		}),
	}
}

func unknownResourceCode() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.errors.unknown-resource-code", Title: "an unknown resource is answered with -32602", Protocol: conformance.MCP,
			Area: conformance.Errors, Level: reporters.Must, Revisions: modern(), Needs: []conformance.Feature{Resources},
			Rule: reporters.Rule{
				Text: "A read of a resource that does not exist must be answered with the error -32602; the -32002 of earlier revisions must no longer be sent.",
				URL:  page("2026-07-28/server/resources#error-handling"),
			},
			Fix: "Answer resources/read with -32602 when there is no such resource.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			a := s.readNothing(ctx, c)
			c.That(a.Code() == codeInvalidParams, "error -32602 to a read of "+noSuchURI, "%v", a)
		}),
	}
}

func unknownResourceContents() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.errors.unknown-resource-contents", Title: "an unknown resource is not an empty one", Protocol: conformance.MCP,
			Area: conformance.Errors, Level: reporters.Must, Revisions: modern(), Needs: []conformance.Feature{Resources},
			Rule: reporters.Rule{
				Text: "A resource that does not exist must not be answered with an empty list of contents.",
				URL:  page("2026-07-28/server/resources#error-handling"),
			},
			Fix: "Answer with an error instead of an empty list.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			a := s.readNothing(ctx, c)
			var contents []json.RawMessage
			isList := json.Unmarshal(wire.Get(a.Message.Result, "contents"), &contents) == nil
			c.That(a.turnedDown() || !isList || len(contents) > 0, "an error to a read of "+noSuchURI, "%v", a)
		}),
	}
}

func unknownPrompt() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.errors.unknown-prompt", Title: "an unknown prompt is answered with -32602", Protocol: conformance.MCP,
			Area: conformance.Errors, Level: reporters.Should, Revisions: all(), Needs: []conformance.Feature{Prompts},
			Rule: reporters.Rule{
				Text: "A prompt name that is not known should be answered with the error -32602.",
				URL:  page("2025-11-25/server/prompts#error-handling"),
			},
			Fix: "Answer prompts/get with -32602 when there is no such prompt.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			s.Attempt(ctx, c, "prompts/get", map[string]any{"name": noSuch}).refusedWith(c, "a get of the prompt "+noSuch, codeInvalidParams)
		}),
	}
}

func missingPromptArgument() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.errors.missing-prompt-argument", Title: "a prompt without a required argument is answered with -32602", Protocol: conformance.MCP,
			Area: conformance.Errors, Level: reporters.Should, Revisions: all(), Needs: []conformance.Feature{AnyPrompt},
			Rule: reporters.Rule{
				Text: "A prompts/get that lacks a required argument should be answered with the error -32602.",
				URL:  page("2025-11-25/server/prompts#error-handling"),
			},
			Fix: "Check the required arguments of a prompt before filling it in, and answer -32602 when one is missing.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			name, argument := s.Facts.demandingPrompt()
			if argument == "" {
				c.NotVerified("no prompt has a required argument")
			}
			a := s.Attempt(ctx, c, "prompts/get", map[string]any{"name": name, "arguments": map[string]any{}})
			a.refusedWith(c, "the prompt "+name+" without its argument "+argument, codeInvalidParams)
		}),
	}
}

// demandingPrompt returns the first prompt with a required argument, and that.
func (f *Facts) demandingPrompt() (name, argument string) {
	for _, raw := range f.Prompts {
		var view struct {
			Name      string `json:"name"`
			Arguments []struct {
				Name     string `json:"name"`
				Required bool   `json:"required"`
			} `json:"arguments"`
		}
		_ = json.Unmarshal(raw, &view) // what cannot be read demands nothing
		for _, a := range view.Arguments {
			if a.Required {
				return view.Name, a.Name
			}
		}
	}
	return "", ""
}
