package mcp

import (
	"slices"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/mcpschema"
)

func asks(id, method, params string) string {
	return `>{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`
}

func gives(id, result string) string {
	return `<{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
}

func tells(method, params string) string {
	return `<{"jsonrpc":"2.0","method":"notifications/` + method + `","params":` + params + `}`
}

func refuses(id, fault string) string {
	return `<{"jsonrpc":"2.0","id":` + id + `,"error":` + fault + `}`
}

func in(revision string, t conformance.Trace) conformance.Trace {
	t.Revision = revision
	return t
}

func hostile(t conformance.Trace) conformance.Trace {
	t.Hostile = true
	return t
}

func TestSchemaMonitors(t *testing.T) {
	const modernMeta = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`
	const otherMeta = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25"}}`
	results, notes, faults := schemaResults(), schemaNotifications(), schemaErrors()
	for name, c := range map[string]struct {
		monitor   conformance.Monitor
		trace     conformance.Trace
		exercised int
		actual    []string // what the violations begin with
	}{
		"good": {results, in(mcp.Rev2511, trace(asks("1", "tools/list", "{}"), gives("1", `{"tools":[]}`))), 1, nil},
		"bad": {
			results, in(mcp.Rev2511, trace(asks("1", "tools/list", "{}"), gives("1", `{"tools":null}`))), 1,
			[]string{"at /tools: expected array, but got null"},
		},
		"bad in one revision": {
			results, in(mcp.Rev2607, trace(asks("1", "tools/list", modernMeta), gives("1", `{"tools":[]}`))), 1,
			[]string{"missing properties: 'resultType'"},
		},
		"two answers": {
			results, in(mcp.Rev2511, trace(asks("1", "prompts/list", "{}"), gives("1", `{"prompts":[]}`), gives("1", `[]`))), 2,
			[]string{"expected object, but got array"},
		},
		"the server chooses a revision": {
			results, in(mcp.Rev2511, trace(asks("1", "initialize", "{}"),
				gives("1", `{"protocolVersion":"2024-11-05","capabilities":{"completions":true},"serverInfo":{"name":"n","version":"1"}}`))), 1, nil,
		},
		"the server chooses none": {
			results, in(mcp.Rev2511, trace(asks("1", "initialize", "{}"), gives("1", `{"capabilities":{},"serverInfo":{"name":"n","version":"1"}}`))), 1,
			[]string{"missing properties: 'protocolVersion'"},
		},
		"an error":             {results, in(mcp.Rev2511, trace(asks("1", "tools/list", "{}"), refuses("1", `{"code":1,"message":""}`))), 0, nil},
		"of another era":       {results, in(mcp.Rev2607, trace(asks("1", "ping", "{}"), gives("1", `[]`))), 0, nil},
		"of another revision":  {results, in(mcp.Rev2607, trace(asks("1", "tools/list", otherMeta), gives("1", `{"tools":[]}`))), 0, nil},
		"of no revision":       {results, in(mcp.Rev2607, trace(asks("1", "tools/list", "{}"), gives("1", `{"tools":[]}`))), 0, nil},
		"modern among legacy":  {results, in(mcp.Rev2511, trace(asks("1", "tools/list", modernMeta), gives("1", `5`))), 0, nil},
		"a method of its own":  {results, in(mcp.Rev2511, trace(asks("1", "own/method", "{}"), gives("1", `[]`))), 0, nil},
		"a broken request":     {results, in(mcp.Rev2511, trace(asks("1", "tools/list", "5"), gives("1", `{}`))), 0, nil},
		"an answer to nothing": {results, in(mcp.Rev2511, trace(gives("1", `{}`))), 0, nil},
		"too large": {
			results, in(mcp.Rev2511, trace(asks("1", "tools/list", "{}"), gives("1", `"`+strings.Repeat("x", mcpschema.MaxBytes)+`"`))), 0, nil,
		},
		"an id for two methods": {
			results, hostile(in(mcp.Rev2511, trace(asks("1", "tools/list", "{}"), asks("1", "ping", "{}"), gives("1", `{}`), gives("1", `{"tools":[]}`)))), 0, nil,
		},
		"an odd URI repeated": {
			results, hostile(in(mcp.Rev2511, trace(asks("1", "resources/read", `{"uri":"?"}`), gives("1", `{"contents":[{"uri":"?","text":""}]}`)))), 0, nil,
		},
		"hostile": {
			results, hostile(in(mcp.Rev2511, trace(asks("1", "tools/list", "{}"), gives("1", `{"tools":5}`)))), 1,
			[]string{"at /tools: expected array, but got number"},
		},

		"a good note": {notes, in(mcp.Rev2511, trace(tells("message", `{"level":"info","data":1}`))), 1, nil},
		"a bad note": {
			notes, in(mcp.Rev2511, trace(tells("message", `{"level":"warn","data":1}`), tells("message", `{"level":"info"}`))), 2,
			[]string{"at /level: value must be one of", "missing properties: 'data'"},
		},
		"a note of its own": {notes, in(mcp.Rev2511, trace(tells("own", `5`))), 0, nil},
		"a note without params": {
			notes, in(mcp.Rev2511, trace(`<{"jsonrpc":"2.0","method":"notifications/resources/updated"}`, `<{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)), 2,
			[]string{"missing properties: 'uri'; in nothing"},
		},
		"a note of the suite": {notes, in(mcp.Rev2511, trace(`>{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`)), 0, nil},
		"an odd token repeated": {
			notes, hostile(in(mcp.Rev2511, trace(tells("progress", `{"progressToken":null,"progress":1}`)))), 0, nil,
		},
		"an odd token": {
			notes, in(mcp.Rev2511, trace(tells("progress", `{"progressToken":null,"progress":1}`))), 1,
			[]string{"at /progressToken: expected string or integer, but got null"},
		},

		"a good error": {
			faults, in(mcp.Rev2607, trace(asks("1", "ping", otherMeta), refuses("1", `{"code":-32022,"message":"","data":{"supported":[],"requested":"x"}}`))), 1, nil,
		},
		"a bad error": {
			faults, in(mcp.Rev2607, trace(asks("1", "ping", otherMeta), refuses("1", `{"code":-32022,"message":""}`))), 1,
			[]string{"missing properties: 'data'"},
		},
		"an error of another revision": {faults, in(mcp.Rev2511, trace(refuses("1", `{"code":-32022,"message":""}`))), 0, nil},
		"an error with problems":       {faults, in(mcp.Rev2607, trace(refuses("1", `{"code":-32022}`))), 0, nil},
		"a common error":               {faults, in(mcp.Rev2607, trace(refuses("1", `{"code":-32602,"message":""}`))), 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			j := c.monitor.Judge(c.trace)
			if j.Exercised != c.exercised {
				t.Errorf("exercised %d times, not %d", j.Exercised, c.exercised)
			}
			begins := func(v conformance.Violation, with string) bool { return strings.HasPrefix(v.Actual, with) }
			if !slices.EqualFunc(j.Violations, c.actual, begins) {
				t.Errorf("violations %+v, not %q", j.Violations, c.actual)
			}
			for _, v := range j.Violations {
				if v.Expected == "" || len(v.Frames) == 0 {
					t.Errorf("%+v shows nothing", v)
				}
			}
		})
	}
}
