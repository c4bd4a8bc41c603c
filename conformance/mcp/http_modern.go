package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

const streamablePage = "2026-07-28/basic/transports/streamable-http"

// headerMeta is what the rules of headers and statuses of 2026-07-28 have in common.
func headerMeta(id, title string, level reporters.Level, rule, anchor, fix string) conformance.Meta {
	return conformance.Meta{
		ID: "mcp.framing." + id, Title: title, Protocol: conformance.MCP, Area: conformance.Framing, Level: level,
		Revisions: modern(), Needs: []conformance.Feature{HTTP},
		Rule: reporters.Rule{Text: rule, URL: page(streamablePage + anchor)}, Fix: fix,
	}
}

// mismatched sends a good request with a header that does not fit, and wants it
// refused for that.
func (s *Session) mismatched(ctx context.Context, c *conformance.Check, raw []byte, header http.Header, what string, codes ...int64) {
	resp, m := s.post(ctx, c, raw, header)
	a := answerOf(resp, m)
	fits := resp.Status == http.StatusBadRequest
	for _, code := range codes {
		if fits && a.Code() == code {
			return
		}
	}
	c.That(false, expectedCodes(codes)+" with HTTP status 400 to "+what, "%v", a)
}

func methodHeader() conformance.Case {
	return conformance.Case{
		Meta: headerMeta("method-header", "an Mcp-Method that is not the method is answered with -32020 and 400", reporters.Must,
			"A server that reads the body must refuse a request whose Mcp-Method header is not its method, with HTTP status 400 and the error -32020.",
			"#server-validation", "Compare the headers with the body before dispatching."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			id := s.NextID()
			s.mismatched(ctx, c, s.good(id), http.Header{"Mcp-Method": {"tools/list"}}, "a wrong Mcp-Method", mcp.CodeHeaderMismatch)
		}),
	}
}

func missingMethodHeader() conformance.Case {
	return conformance.Case{
		Meta: headerMeta("missing-method-header", "a request without Mcp-Method is answered with -32020 and 400", reporters.Must,
			"The header Mcp-Method is required of all requests; one without it must be refused with HTTP status 400 and the error -32020.",
			"#server-validation", "Require Mcp-Method on every request of 2026-07-28."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			id := s.NextID()
			s.mismatched(ctx, c, s.good(id), http.Header{"Mcp-Method": nil}, "a missing Mcp-Method", mcp.CodeHeaderMismatch)
		}),
	}
}

func versionMismatch() conformance.Case {
	return conformance.Case{
		Meta: headerMeta("version-mismatch", "an MCP-Protocol-Version that is not that of the body is refused with 400", reporters.Must,
			"The MCP-Protocol-Version header must be the version in the body; a request in which they differ is refused with HTTP status 400 and the error -32020. Where the header names a version that there is not, -32022 is right as well, and a server of both eras may refuse it with status 400 as legacy revisions do.",
			"#protocol-version-header", "Compare the header with the version in _meta before dispatching."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			id := s.NextID()
			resp, m := s.post(ctx, c, s.good(id), http.Header{"Mcp-Protocol-Version": {neverWas}})
			a := answerOf(resp, m)
			c.That(resp.Status == http.StatusBadRequest, "HTTP status 400 to a wrong MCP-Protocol-Version", "%v", a)
			known := a.Code() == mcp.CodeHeaderMismatch || a.Code() == mcp.CodeUnsupportedVersion
			c.That(known || s.speaksLegacy(ctx, c), "error -32020 or -32022 to a wrong MCP-Protocol-Version", "%v", a)
		}),
	}
}

// addressed is a good request that names something, so that Mcp-Name goes with it.
type addressed struct {
	method, name string
	params       any
	tool         bool // it is a call of the tool with that name
	raw          []byte
}

// address composes such a request, of the safest kind that the server offers, and
// makes sure that it is answered with a result.
func (s *Session) address(ctx context.Context, c *conformance.Check) addressed {
	for _, r := range s.addresses() {
		id := s.NextID()
		r.raw = s.Compose(id, r.method, encode(c, r.params))
		s.noteUse(r)
		if _, m := s.post(ctx, c, r.raw, nil); m.Result != nil {
			return r
		}
	}
	c.NotVerified("nothing that can be read, got or called by name gives a result")
	return addressed{}
}

// noteUse puts a call into the books where the request is one.
func (s *Session) noteUse(r addressed) {
	if r.tool {
		s.Note(r.name, "to see whether the header Mcp-Name is read")
	}
}

// addresses lists a resource, a prompt without required arguments, and a tool.
func (s *Session) addresses() []addressed {
	var list []addressed
	for _, raw := range firstRaw(s.Facts.Resources, 1) {
		uri, _ := wire.Text(wire.Get(raw, "uri"))
		list = append(list, addressed{method: "resources/read", name: uri, params: map[string]any{"uri": uri}})
	}
	for _, raw := range s.Facts.Prompts {
		if name, ok := wire.Text(wire.Get(raw, "name")); ok && !demands(raw) {
			list = append(list, addressed{method: "prompts/get", name: name, params: map[string]any{"name": name}})
			break
		}
	}
	if tool := s.Facts.Tool(Tool.callable); tool != nil {
		params := map[string]any{"name": tool.Name, "arguments": tool.Args}
		list = append(list, addressed{method: "tools/call", name: tool.Name, params: params, tool: true})
	}
	return list
}

// demands tells whether a prompt has a required argument.
func demands(prompt json.RawMessage) bool {
	_, argument := (&Facts{Prompts: []json.RawMessage{prompt}}).demandingPrompt()
	return argument != ""
}

func nameHeader() conformance.Case {
	return conformance.Case{
		Meta: headerMeta("name-header", "an Mcp-Name that is not the name is answered with -32020 and 400", reporters.Must,
			"A server that reads the body must refuse a request whose Mcp-Name header is not the name or URI in it, with HTTP status 400 and the error -32020.",
			"#server-validation", "Compare Mcp-Name, once it is decoded, with params.name or params.uri before dispatching."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			r := s.address(ctx, c)
			s.noteUse(r)
			s.mismatched(ctx, c, r.raw, http.Header{"Mcp-Name": {noSuch}}, "a wrong Mcp-Name on "+r.method, mcp.CodeHeaderMismatch)
		}),
	}
}

func encodedName() conformance.Case {
	return conformance.Case{
		Meta: headerMeta("encoded-name", "an Mcp-Name in base64 is decoded before it is compared", reporters.Must,
			"Servers must decode an Mcp-Name of the form =?base64?…?= before they compare it with the body.",
			"#value-encoding", "Decode the header when it begins with =?base64? and ends with ?=."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			r := s.address(ctx, c)
			s.noteUse(r)
			encoded := "=?base64?" + base64.StdEncoding.EncodeToString([]byte(r.name)) + "?="
			resp, m := s.post(ctx, c, r.raw, http.Header{"Mcp-Name": {encoded}})
			c.That(m.Result != nil, fmt.Sprintf("a result of %s with the name %s as %s", r.method, clip(r.name, 100), clip(encoded, 100)), "%v", answerOf(resp, m))
		}),
	}
}
