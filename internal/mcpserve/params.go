package mcpserve

import (
	"encoding/json"
	"slices"

	"github.com/peerwright/peerwright/internal/wire"
)

// checkInitialize: https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization
func checkInitialize(p json.RawMessage) *fault {
	return first(
		needText("protocolVersion")(p),
		needObject(p, "capabilities"),
		needObject(p, "clientInfo"),
		needText("name", "version")(wire.Get(p, "clientInfo")),
	)
}

// checkCall: https://modelcontextprotocol.io/specification/2025-11-25/server/tools#calling-tools
func checkCall(p json.RawMessage) *fault {
	return first(needText("name")(p), mayObject(p, "arguments"))
}

// checkPrompt: https://modelcontextprotocol.io/specification/2025-11-25/server/prompts#getting-a-prompt
func checkPrompt(p json.RawMessage) *fault {
	if f := first(needText("name")(p), mayObject(p, "arguments")); f != nil {
		return f
	}
	members, _ := wire.Members(wire.Get(p, "arguments")) // an object or absent, as checked
	for _, m := range members {
		if _, ok := wire.Text(m.Value); !ok {
			return faultf(codeInvalidParams, "invalid params: argument %q must be a string", m.Name)
		}
	}
	return nil
}

// checkLevel: https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging#log-levels
func checkLevel(p json.RawMessage) *fault {
	if !isLevel(wire.Get(p, "level")) {
		return faultf(codeInvalidParams, "invalid params: level must be one of %v", levels())
	}
	return nil
}

func isLevel(raw json.RawMessage) bool {
	level, ok := wire.Text(raw)
	return ok && slices.Contains(levels(), level)
}

func levels() []string {
	return []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
}

// checkComplete: https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/completion#requesting-completions
func checkComplete(p json.RawMessage) *fault {
	if f := first(needObject(p, "ref"), needObject(p, "argument"), needText("name", "value")(wire.Get(p, "argument"))); f != nil {
		return f
	}
	ref := wire.Get(p, "ref")
	switch kind, _ := wire.Text(wire.Get(ref, "type")); kind {
	case "ref/prompt":
		return needText("name")(ref)
	case "ref/resource":
		return needText("uri")(ref)
	default:
		return faultf(codeInvalidParams, "invalid params: ref.type must be ref/prompt or ref/resource")
	}
}

// checkListen: https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#notification-filter
func checkListen(p json.RawMessage) *fault {
	if f := needObject(p, "notifications"); f != nil {
		return f
	}
	var filter struct {
		Tools     bool     `json:"toolsListChanged"`
		Prompts   bool     `json:"promptsListChanged"`
		Resources bool     `json:"resourcesListChanged"`
		URIs      []string `json:"resourceSubscriptions"`
	}
	if err := json.Unmarshal(wire.Get(p, "notifications"), &filter); err != nil {
		return faultf(codeInvalidParams, "invalid params: notifications: %v", err)
	}
	return nil
}
