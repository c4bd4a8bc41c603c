package a2apeer

import (
	"encoding/json"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
)

// The operations of 1.0 by their names over JSON-RPC, with the message that their
// params are.
//
// https://a2a-protocol.org/latest/specification/#53-method-mapping-reference
var operations = map[string]func() proto.Message{ //nolint:gochecknoglobals // a compiled table
	"SendMessage":                      func() proto.Message { return &a2apb.SendMessageRequest{} },
	"SendStreamingMessage":             func() proto.Message { return &a2apb.SendMessageRequest{} },
	"GetTask":                          func() proto.Message { return &a2apb.GetTaskRequest{} },
	"ListTasks":                        func() proto.Message { return &a2apb.ListTasksRequest{} },
	"CancelTask":                       func() proto.Message { return &a2apb.CancelTaskRequest{} },
	"SubscribeToTask":                  func() proto.Message { return &a2apb.SubscribeToTaskRequest{} },
	"CreateTaskPushNotificationConfig": func() proto.Message { return &a2apb.TaskPushNotificationConfig{} },
	"GetTaskPushNotificationConfig":    func() proto.Message { return &a2apb.GetTaskPushNotificationConfigRequest{} },
	"ListTaskPushNotificationConfigs":  func() proto.Message { return &a2apb.ListTaskPushNotificationConfigsRequest{} },
	"DeleteTaskPushNotificationConfig": func() proto.Message { return &a2apb.DeleteTaskPushNotificationConfigRequest{} },
	"GetExtendedAgentCard":             func() proto.Message { return &a2apb.GetExtendedAgentCardRequest{} },
}

// The methods of 0.3, with what judges their params.
//
// https://a2a-protocol.org/v0.3.0/specification/#7-protocol-rpc-methods
var oldMethods = map[string]func(p json.RawMessage) *fault{ //nolint:gochecknoglobals // a compiled table
	"message/send":                        checkOldSend,
	"message/stream":                      checkOldSend,
	"tasks/get":                           needTexts("id"),
	"tasks/cancel":                        needTexts("id"),
	"tasks/resubscribe":                   needTexts("id"),
	"tasks/pushNotificationConfig/set":    checkOldHook,
	"tasks/pushNotificationConfig/get":    needTexts("id"),
	"tasks/pushNotificationConfig/list":   needTexts("id"),
	"tasks/pushNotificationConfig/delete": needTexts("id", "pushNotificationConfigId"),
	"agent/getAuthenticatedExtendedCard":  func(json.RawMessage) *fault { return nil },
}
