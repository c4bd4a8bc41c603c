package mcp

import (
	"encoding/json"
	"slices"

	"github.com/peerwright/peerwright/internal/wire"
)

// Tool is one tool of the server, and what the suite may do with it.
type Tool struct {
	Name         string
	Raw          json.RawMessage
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage // nil when it has none
	Required     []string        // the arguments that its schema requires
	ReadOnly     bool            // by its annotation readOnlyHint
	// Args are arguments that its schema accepts; nil when none could be made up.
	Args json.RawMessage
	// Callable tells whether the suite may call it: it only reads, or the user allows
	// it by name, and Args could be made up. WhyNot says why not.
	Callable bool
	WhyNot   string
}

func (t *Target) readTool(raw json.RawMessage) Tool {
	tool := Tool{Raw: raw, InputSchema: wire.Get(raw, "inputSchema"), OutputSchema: wire.Get(raw, "outputSchema")}
	tool.Name, _ = wire.Text(wire.Get(raw, "name"))
	tool.ReadOnly = string(wire.Path(raw, "annotations", "readOnlyHint")) == "true"
	_ = json.Unmarshal(wire.Get(tool.InputSchema, "required"), &tool.Required) // what is no list requires nothing
	if !tool.ReadOnly && !slices.Contains(t.config.AllowTools, tool.Name) {
		tool.WhyNot = "it is not marked read-only, and --allow-tool does not name it"
		return tool
	}
	args, err := Arguments(tool.InputSchema)
	if err != nil {
		tool.WhyNot = err.Error()
		return tool
	}
	tool.Args, tool.Callable = args, true
	return tool
}

func (t Tool) callable() bool   { return t.Callable }
func (t Tool) structured() bool { return t.Callable && t.OutputSchema != nil }
func (t Tool) demanding() bool  { return t.Callable && len(t.Required) > 0 }
