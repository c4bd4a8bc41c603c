package a2apeer

import (
	"encoding/json"
	"slices"

	"github.com/peerwright/peerwright/internal/wire"
)

// needTexts asks for members that are strings, and not empty.
func needTexts(names ...string) func(json.RawMessage) *fault {
	return func(p json.RawMessage) *fault {
		for _, name := range names {
			if s, ok := wire.Text(wire.Get(p, name)); !ok || s == "" {
				return invalidParams.faultf("invalid params: %q must be a string", name)
			}
		}
		return nil
	}
}

// checkOldSend judges the params of message/send and message/stream.
//
// https://a2a-protocol.org/v0.3.0/specification/#711-messagesendparams-object
func checkOldSend(p json.RawMessage) *fault {
	message := wire.Get(p, "message")
	if f := needTexts("messageId", "role")(message); f != nil {
		return f
	}
	if role, _ := wire.Text(wire.Get(message, "role")); role != "user" && role != "agent" {
		return invalidParams.faultf("invalid params: role must be user or agent")
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(wire.Get(message, "parts"), &parts); err != nil || len(parts) == 0 {
		return invalidParams.faultf("invalid params: parts must be a list that is not empty")
	}
	for _, part := range parts {
		if kind, _ := wire.Text(wire.Get(part, "kind")); !slices.Contains([]string{"text", "file", "data"}, kind) || wire.Get(part, kind) == nil {
			return invalidParams.faultf("invalid params: a part must be of kind text, file or data, and have that member")
		}
	}
	return nil
}

// checkOldHook judges the params of tasks/pushNotificationConfig/set.
//
// https://a2a-protocol.org/v0.3.0/specification/#75-taskspushnotificationconfigset
func checkOldHook(p json.RawMessage) *fault {
	if f := needTexts("taskId")(p); f != nil {
		return f
	}
	return needTexts("url")(wire.Get(p, "pushNotificationConfig"))
}
