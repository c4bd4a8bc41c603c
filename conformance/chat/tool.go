package chat

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/conformance/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// tool is one entry of GET /v1/tools.
type tool struct {
	name, why  string // why it may be called; "" where it may not
	parameters json.RawMessage
	args       json.RawMessage // that its schema accepts; nil where none could be made up
}

// readTools reads the list, and makes up arguments for what may be called.
func (t *Target) readTools(f facts) []tool {
	if !contract(f) {
		return nil
	}
	var all []tool
	for _, raw := range elements(f.tools.at("data")) {
		name, _ := wire.Text(at(raw, "function", "name"))
		u := tool{name: name, parameters: at(raw, "function", "parameters"), why: t.mayCall(name, raw)}
		if u.why != "" {
			if args, err := mcp.Arguments(u.parameters); err == nil {
				u.args = args
			}
		}
		all = append(all, u)
	}
	return all
}

func (t *Target) mayCall(name string, raw json.RawMessage) string {
	original, _ := wire.Text(at(raw, "mcp", "name"))
	switch {
	case string(at(raw, "mcp", "annotations", "readOnlyHint")) == "true" && string(at(raw, "mcp", "mutates")) != "true":
		return "it says that it only reads"
	case slices.Contains(t.config.AllowTools, name), slices.Contains(t.config.AllowTools, original):
		return "allowed by --allow-tool"
	}
	return ""
}

func offer(tools []tool, why string, fits func(tool) bool) conformance.Offer {
	if slices.ContainsFunc(tools, fits) {
		return conformance.Offer{Usable: true}
	}
	return conformance.Offer{Why: why}
}

// wrong returns arguments that the schema refuses; nil where there are none.
func (u tool) wrong() json.RawMessage {
	args, _, ok := mcp.InvalidArguments(u.parameters)
	if !ok {
		return nil
	}
	return args
}

// leads counts the parameters that lead through pages, by their names.
func (u tool) leads() (n int) {
	for _, m := range wire.Fields(at(u.parameters, "properties")) {
		if leads(m.Name) {
			n++
		}
	}
	return n
}

func leads(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "cursor") || strings.Contains(name, "token")
}

// other returns other arguments that the schema accepts; nil where there are none. What
// leads through pages is left alone: a bridge may refuse made-up cursors.
func (u tool) other() json.RawMessage {
	schema := wire.Fields(u.parameters)
	for i := range schema {
		if schema[i].Name == "properties" {
			kept := slices.DeleteFunc(wire.Fields(schema[i].Value), func(m wire.Member) bool { return leads(m.Name) })
			schema[i].Value = wire.Object(kept)
		}
	}
	return mcp.OtherArguments(wire.Object(schema), u.args)
}
