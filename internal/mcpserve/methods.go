package mcpserve

import (
	"encoding/json"
	"slices"

	"github.com/peerwright/peerwright/internal/wire"
)

// method is what the server knows of one request method.
type method struct {
	eras   []era
	params func(p json.RawMessage) *fault // judges params; p is an object or nil
}

// The request methods, and who may send them.
//
// https://modelcontextprotocol.io/specification/2025-11-25/schema
// https://modelcontextprotocol.io/specification/2026-07-28/schema
var methods = map[string]method{ //nolint:gochecknoglobals // a compiled table
	"initialize":               {[]era{legacyEra}, checkInitialize},
	"ping":                     {[]era{legacyEra}, anyParams},
	"logging/setLevel":         {[]era{legacyEra}, checkLevel},
	"resources/subscribe":      {[]era{legacyEra}, needText("uri")},
	"resources/unsubscribe":    {[]era{legacyEra}, needText("uri")},
	"server/discover":          {[]era{modernEra}, anyParams},
	"subscriptions/listen":     {[]era{modernEra}, checkListen},
	"tools/list":               {[]era{legacyEra, modernEra}, anyParams},
	"resources/list":           {[]era{legacyEra, modernEra}, anyParams},
	"resources/templates/list": {[]era{legacyEra, modernEra}, anyParams},
	"prompts/list":             {[]era{legacyEra, modernEra}, anyParams},
	"tools/call":               {[]era{legacyEra, modernEra}, checkCall},
	"prompts/get":              {[]era{legacyEra, modernEra}, checkPrompt},
	"resources/read":           {[]era{legacyEra, modernEra}, needText("uri")},
	"completion/complete":      {[]era{legacyEra, modernEra}, checkComplete},
}

// lists are the methods that page.
func isList(name string) bool {
	return slices.Contains([]string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"}, name)
}

// checkMeta judges the progress token, which is a string or an integer.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress
func checkMeta(p json.RawMessage) *fault {
	meta := wire.Get(p, "_meta")
	if meta != nil && !isObject(meta) {
		return faultf(codeInvalidParams, "invalid params: _meta must be an object")
	}
	token := wire.Get(meta, "progressToken")
	if token != nil && !answerable(wire.RawID(token)) {
		return faultf(codeInvalidParams, "invalid params: progressToken must be a string or an integer")
	}
	return nil
}

func anyParams(json.RawMessage) *fault { return nil }

// needText asks for members that are strings.
func needText(names ...string) func(json.RawMessage) *fault {
	return func(p json.RawMessage) *fault {
		for _, name := range names {
			if _, ok := wire.Text(wire.Get(p, name)); !ok {
				return faultf(codeInvalidParams, "invalid params: %q must be a string", name)
			}
		}
		return nil
	}
}

// needObject asks for a member that is an object.
func needObject(p json.RawMessage, name string) *fault {
	if !isObject(wire.Get(p, name)) {
		return faultf(codeInvalidParams, "invalid params: %q must be an object", name)
	}
	return nil
}

// mayObject asks that a member is an object where it is there.
func mayObject(p json.RawMessage, name string) *fault {
	if wire.Get(p, name) == nil {
		return nil
	}
	return needObject(p, name)
}

// first returns the first fault there is.
func first(faults ...*fault) *fault {
	for _, f := range faults {
		if f != nil {
			return f
		}
	}
	return nil
}
