package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// maxRead bounds how many resources and prompts are tried.
const maxRead = 5

// contentCases check what resources and prompts hold.
func contentCases() []conformance.Case {
	return []conformance.Case{listedShapes(), readResources(), gotPrompts(), cacheHints()}
}

func listedShapes() conformance.Case {
	required := map[string][]string{
		"tools/list": {"name"}, "resources/list": {"uri", "name"}, "resources/templates/list": {"uriTemplate", "name"}, "prompts/list": {"name"},
	}
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.schema.listed-items", Title: "every listed item has the members that its kind requires",
			Protocol: conformance.MCP, Area: conformance.Schema, Level: reporters.Must, Revisions: all(), Needs: []conformance.Feature{AnyList},
			Rule: reporters.Rule{
				Text: "The result of a list request holds an array under the name of the list; a tool and a prompt have a name, a resource a URI and a name, a template a URI template and a name.",
				URL:  "https://modelcontextprotocol.io/specification/2025-11-25/schema",
			},
			Fix: "Fill in the required members; an empty list is [] and never null.",
		},
		Run: on(func(_ context.Context, c *conformance.Check, s *Session) {
			for _, list := range s.lists(c) {
				for i, page := range list.Pages {
					found, ok := items(page, list.Member)
					c.That(ok, fmt.Sprintf("an array %q in page %d of %s", list.Member, i+1, list.Method), "%s", orNothing(wire.Get(page, list.Member)))
					for _, item := range found {
						fault := missing(item, list.Method, required[list.Method]...)
						c.That(fault == "", "the required members in "+list.Method, "%s", fault)
					}
				}
			}
		}),
	}
}

func readResources() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.resources.read", Title: "a listed resource can be read, as text or as base64",
			Protocol: conformance.MCP, Area: conformance.Resources, Level: reporters.Must, Revisions: all(), Needs: []conformance.Feature{AnyResource},
			Rule: reporters.Rule{
				Text: "resources/read gives contents, each with a URI and either text or properly encoded binary data.",
				URL:  "https://modelcontextprotocol.io/specification/2025-11-25/server/resources#resource-contents",
			},
			Fix: "Give text as text, and everything else as base64 in blob.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			read := 0
			for _, resource := range firstRaw(s.Facts.Resources, maxRead) {
				uri, _ := wire.Text(wire.Get(resource, "uri"))
				reply := s.Ask(ctx, c, "resources/read", map[string]any{"uri": uri})
				if reply.Error != nil {
					continue // it may be gone, or not for us
				}
				contents, ok := items(reply.Result, "contents")
				c.That(ok, "an array of contents for "+uri, "%s", describe(reply))
				for _, one := range contents {
					fault := resourceFault(one)
					c.That(fault == "", "well-formed contents of "+uri, "%s", fault)
				}
				read++
			}
			if read == 0 {
				c.NotVerified("none of the first %d resources could be read", maxRead)
			}
		}),
	}
}

func gotPrompts() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.prompts.get", Title: "a listed prompt can be had, as messages of the user and the assistant",
			Protocol: conformance.MCP, Area: conformance.Prompts, Level: reporters.Must, Revisions: all(), Needs: []conformance.Feature{AnyPrompt},
			Rule: reporters.Rule{
				Text: "prompts/get gives messages, each with the role user or assistant and one content block of a known type.",
				URL:  "https://modelcontextprotocol.io/specification/2025-11-25/server/prompts#promptmessage",
			},
			Fix: "Give each message a role and one content block.",
		},
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			got := 0
			for _, prompt := range firstRaw(s.Facts.Prompts, maxRead) {
				name, _ := wire.Text(wire.Get(prompt, "name"))
				reply := s.Ask(ctx, c, "prompts/get", map[string]any{"name": name, "arguments": promptArguments(prompt)})
				if reply.Error != nil {
					continue // made-up arguments may not do
				}
				messages, ok := items(reply.Result, "messages")
				c.That(ok, "an array of messages from "+name, "%s", describe(reply))
				for _, m := range messages {
					role, _ := wire.Text(wire.Get(m, "role"))
					c.That(role == "user" || role == "assistant", "the role user or assistant in "+name, "%q", role)
					fault := contentFault(wire.Get(m, "content"))
					c.That(fault == "", "well-formed content in "+name, "%s", fault)
				}
				got++
			}
			if got == 0 {
				c.NotVerified("none of the first %d prompts could be had with made-up arguments", maxRead)
			}
		}),
	}
}

// promptArguments makes up a text for each argument that the prompt requires.
func promptArguments(prompt json.RawMessage) map[string]string {
	args := map[string]string{}
	declared, _ := items(prompt, "arguments")
	for _, a := range declared {
		name, _ := wire.Text(wire.Get(a, "name"))
		if string(wire.Get(a, "required")) == "true" {
			args[name] = "text"
		}
	}
	return args
}

func firstRaw(all []json.RawMessage, n int) []json.RawMessage { return all[:min(n, len(all))] }

func cacheHints() conformance.Case {
	return conformance.Case{
		Meta: conformance.Meta{
			ID: "mcp.schema.cache-hints", Title: "lists and reads say how long and for whom they may be kept",
			Protocol: conformance.MCP, Area: conformance.Schema, Level: reporters.Must, Revisions: modern(), Needs: []conformance.Feature{AnyList},
			Rule: reporters.Rule{
				Text: "Complete results of list requests must carry ttlMs, a whole number from 0, and cacheScope, public or private.",
				URL:  "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching",
			},
			Fix: `Add "ttlMs": 0 and "cacheScope": "private" where nothing may be kept.`,
		},
		Run: on(func(_ context.Context, c *conformance.Check, s *Session) {
			for _, list := range s.lists(c) {
				for i := range list.Pages {
					fault := cacheFault(list.Pages[i])
					c.That(fault == "", "ttlMs and cacheScope in "+list.Method, "%s", fault)
				}
			}
		}),
	}
}

// cacheFault says what is wrong with the cache hints of a result; "" when nothing is.
func cacheFault(result json.RawMessage) string {
	var ttl uint64
	if raw := wire.Get(result, "ttlMs"); raw == nil || json.Unmarshal(raw, &ttl) != nil {
		return "ttlMs is " + orNothing(raw)
	}
	scope, _ := wire.Text(wire.Get(result, "cacheScope"))
	if scope != "public" && scope != "private" {
		return "cacheScope is " + orNothing(wire.Get(result, "cacheScope"))
	}
	return ""
}
