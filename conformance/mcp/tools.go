package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

const toolsURL = "https://modelcontextprotocol.io/specification/2025-11-25/server/tools"

// toolCases check the tools as they are listed, and what they give when called.
func toolCases() []conformance.Case {
	return []conformance.Case{
		inputSchemas(), outputSchemas(), uniqueNames(), plainNames(), toolResults(), structuredOutput(), structuredText(),
	}
}

func toolMeta(id, title string, level reporters.Level, revisions []string, need conformance.Feature, rule, anchor, fix string) conformance.Meta {
	return conformance.Meta{
		ID: "mcp.tools." + id, Title: title, Protocol: conformance.MCP, Area: conformance.Tools, Level: level, Revisions: revisions,
		Needs: []conformance.Feature{need}, Rule: reporters.Rule{Text: rule, URL: toolsURL + anchor}, Fix: fix,
	}
}

func inputSchemas() conformance.Case {
	return conformance.Case{
		Meta: toolMeta("input-schema", "every tool has an input schema that is a JSON Schema of an object", reporters.Must, all(), Tools,
			"inputSchema must be a valid JSON Schema object, never null, whose type is object.", "#tool",
			`Give each tool an inputSchema with "type": "object"; {"type":"object"} where it takes nothing.`),
		Run: on(func(_ context.Context, c *conformance.Check, s *Session) {
			for _, tool := range s.tools(c) {
				c.That(len(tool.InputSchema) > 0 && tool.InputSchema[0] == '{', "a JSON Schema object as inputSchema of "+tool.Name, "%s", orNothing(tool.InputSchema))
				kind := string(wire.Get(tool.InputSchema, "type"))
				c.That(kind == `"object"`, `type "object" in the inputSchema of `+tool.Name, "%s", orNothing(json.RawMessage(kind)))
				fault := schemaFault(tool.InputSchema)
				c.That(fault == "", "a valid JSON Schema as inputSchema of "+tool.Name, "%s", fault)
			}
		}),
	}
}

func outputSchemas() conformance.Case {
	return conformance.Case{
		Meta: toolMeta("output-schema", "an output schema is a valid JSON Schema", reporters.Must, since(mcp.Rev2506), Tools,
			"outputSchema, where a tool has one, is a JSON Schema; 2020-12 unless it says otherwise.", "#output-schema",
			"Check the schema against its own metaschema."),
		Run: on(func(_ context.Context, c *conformance.Check, s *Session) {
			any := false
			for _, tool := range s.Facts.Tools {
				if tool.OutputSchema == nil {
					continue
				}
				any = true
				fault := schemaFault(tool.OutputSchema)
				c.That(fault == "", "a valid JSON Schema as outputSchema of "+tool.Name, "%s", fault)
			}
			if !any {
				c.NotVerified("no tool has an outputSchema")
			}
		}),
	}
}

// schemaFault says why a schema is not valid. One that the suite will not load, for
// its size or because it points to the network, is given the benefit of the doubt.
func schemaFault(raw json.RawMessage) string {
	_, err := compileSchema(raw, false)
	var breach *jsonschema.ValidationError // of the metaschema
	if !errors.As(err, &breach) {
		return ""
	}
	return clip(err.Error(), 300)
}

func uniqueNames() conformance.Case {
	return conformance.Case{
		Meta: toolMeta("unique-names", "no two tools have one name", reporters.Should, all(), Tools,
			"Tool names should be unique within a server; the name is all that a call has to tell tools apart.", "#tool-names",
			"Rename one of them, or put a prefix before the names of each source."),
		Run: on(func(_ context.Context, c *conformance.Check, s *Session) {
			seen := map[string]json.RawMessage{}
			for _, page := range s.toolPages(c) {
				here := map[string]bool{}
				for _, raw := range page {
					name := itemName(raw)
					again := seen[name] != nil && bytes.Equal(seen[name], raw) && !here[name] // mcp.pagination.no-duplicates tells
					c.That(seen[name] == nil || again, "each tool name once", "%q twice", name)
					seen[name], here[name] = raw, true
				}
			}
		}),
	}
}

// toolPages returns the tools as they stand on each page.
func (s *Session) toolPages(c *conformance.Check) [][]json.RawMessage {
	s.tools(c)
	list := s.Facts.Lists["tools/list"]
	var pages [][]json.RawMessage
	for _, page := range list.Pages {
		tools, _ := items(page, list.Member) // what is no list has no tools
		pages = append(pages, tools)
	}
	return pages
}

func plainNames() conformance.Case {
	name := regexp.MustCompile(`^[A-Za-z0-9_./-]{1,128}$`)
	return conformance.Case{
		Meta: toolMeta("plain-names", "tool names keep to the characters that clients can pass on", reporters.Should, since(mcp.Rev2511), Tools,
			"Tool names should have 1 to 128 characters, each a letter, a digit, _, - or a dot. (The proposal behind the rule allows a slash too; it is accepted here.)", "#tool-names",
			"Rename the tool; a title can hold any text."),
		Run: on(func(_ context.Context, c *conformance.Check, s *Session) {
			for _, tool := range s.tools(c) {
				c.That(name.MatchString(tool.Name), "1 to 128 of A-Z a-z 0-9 _ - .", "%q", clip(tool.Name, 200))
			}
		}),
	}
}

func toolResults() conformance.Case {
	return conformance.Case{
		Meta: toolMeta("results", "a tool answers good arguments with a well-formed result", reporters.Must, all(), ReadableTool,
			"The result of tools/call holds an array of content blocks, each with the members of its type; binary data is base64. A failure of the tool is such a result too, with isError.", "#tool-result",
			"Build results with an SDK, and report what goes wrong in a tool by isError."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			judged := 0
			for _, v := range s.tour(ctx, c) {
				if errors.Is(v.Err, errSlow) {
					continue // how long a tool takes is its own business
				}
				c.Answered(v.Err, "a call of "+v.Tool.Name)
				result, ok := v.result()
				if !ok {
					continue // -32602 and the like are for the error cases
				}
				judged++
				blocks, ok := items(result, "content")
				c.That(ok, "an array as content of what "+v.Tool.Name+" gives", "%s", clip(string(result), 200))
				for _, block := range blocks {
					fault := contentFault(block)
					c.That(fault == "", "well-formed content from "+v.Tool.Name, "%s", fault)
				}
			}
			if judged == 0 {
				c.NotVerified("no tool that may be called gave a result within %v", tourTimeout)
			}
		}),
	}
}

func structuredOutput() conformance.Case {
	return conformance.Case{
		Meta: toolMeta("structured-output", "structured results keep to the output schema", reporters.Must, since(mcp.Rev2506), StructuredTool,
			"A server whose tool has an outputSchema must give structuredContent that conforms to it.", "#output-schema",
			"Validate the structured result against the tool's own outputSchema before sending it."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			judged := 0
			for _, v := range structuredVisits(s.tour(ctx, c)) {
				schema, err := compileSchema(v.Tool.OutputSchema, false)
				if err != nil {
					continue // output-schema judges it
				}
				content := wire.Get(v.Reply.Result, "structuredContent")
				c.That(content != nil, "structuredContent from "+v.Tool.Name+", which has an outputSchema", "none in %s", clip(string(v.Reply.Result), 200))
				err = schema.check(content)
				c.That(err == nil, "structuredContent that the outputSchema of "+v.Tool.Name+" accepts", "%v", err)
				judged++
			}
			if judged == 0 {
				c.NotVerified("no tool with an outputSchema gave a result without isError")
			}
		}),
	}
}

func structuredText() conformance.Case {
	return conformance.Case{
		Meta: toolMeta("structured-text", "a structured result is there as text too", reporters.Should, since(mcp.Rev2506), StructuredTool,
			"A tool that gives structured content should also give its JSON in a text block, for clients that know only those.", "#structured-content",
			"Add a text block with the same JSON to content."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			judged := 0
			for _, v := range structuredVisits(s.tour(ctx, c)) {
				blocks, _ := items(v.Reply.Result, "content")
				text := false
				for _, b := range blocks {
					kind, _ := wire.Text(wire.Get(b, "type"))
					text = text || kind == "text"
				}
				c.That(text, "a text block beside the structured content of "+v.Tool.Name, "%d blocks, none of text", len(blocks))
				judged++
			}
			if judged == 0 {
				c.NotVerified("no tool with an outputSchema gave a result without isError")
			}
		}),
	}
}

// structuredVisits keeps the visits of tools with an output schema that went well.
func structuredVisits(visits []visit) []visit {
	var out []visit
	for _, v := range visits {
		result, ok := v.result()
		if ok && v.Tool.structured() && strings.TrimSpace(string(wire.Get(result, "isError"))) != "true" {
			out = append(out, v)
		}
	}
	return out
}

func orNothing(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "nothing"
	}
	return clip(string(raw), 200)
}
