package a2ahttp

// Op is an operation of A2A under the name that 1.0 gives it, whatever a version
// and a binding call it.
//
// https://a2a-protocol.org/v1.0.0/specification/#53-method-mapping-reference
type Op string

// The operations.
const (
	SendMessage          Op = "SendMessage"
	SendStreamingMessage Op = "SendStreamingMessage"
	GetTask              Op = "GetTask"
	ListTasks            Op = "ListTasks" // 1.0
	CancelTask           Op = "CancelTask"
	SubscribeToTask      Op = "SubscribeToTask"
	CreatePushConfig     Op = "CreateTaskPushNotificationConfig"
	GetPushConfig        Op = "GetTaskPushNotificationConfig"
	ListPushConfigs      Op = "ListTaskPushNotificationConfigs"
	DeletePushConfig     Op = "DeleteTaskPushNotificationConfig"
	GetExtendedCard      Op = "GetExtendedAgentCard"
)

// Streams tells whether the operation is answered by a stream.
func (o Op) Streams() bool { return o == SendStreamingMessage || o == SubscribeToTask }

// Method returns what the JSON-RPC binding of the version calls the operation; ""
// when it has none.
func Method(op Op, version string) string {
	if version == V10 {
		return string(op)
	}
	switch op {
	case SendMessage:
		return "message/send"
	case SendStreamingMessage:
		return "message/stream"
	case GetTask:
		return "tasks/get"
	case CancelTask:
		return "tasks/cancel"
	case SubscribeToTask:
		return "tasks/resubscribe"
	case CreatePushConfig:
		return "tasks/pushNotificationConfig/set"
	case GetPushConfig:
		return "tasks/pushNotificationConfig/get"
	case ListPushConfigs:
		return "tasks/pushNotificationConfig/list"
	case DeletePushConfig:
		return "tasks/pushNotificationConfig/delete"
	case GetExtendedCard:
		if version == V03 { // 0.2 serves it by a plain GET beside the agent's URL
			return "agent/getAuthenticatedExtendedCard"
		}
	case ListTasks:
	}
	return ""
}
