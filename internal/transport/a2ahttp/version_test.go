package a2ahttp

import "testing"

func TestMajorMinor(t *testing.T) {
	for version, want := range map[string]string{
		"": "", "1": "1.0", "1.0": "1.0", "1.0.1": "1.0", "0.3.0": "0.3", "v0.2.6": "0.2", "99.0": "99.0",
	} {
		if got := MajorMinor(version); got != want {
			t.Errorf("MajorMinor(%q) = %q, want %q", version, got, want)
		}
	}
}

func TestMethodNames(t *testing.T) {
	for _, test := range []struct {
		op            Op
		v02, v03, v10 string
		streams       bool
	}{
		{op: SendMessage, v02: "message/send", v03: "message/send", v10: "SendMessage"},
		{op: SendStreamingMessage, v02: "message/stream", v03: "message/stream", v10: "SendStreamingMessage", streams: true},
		{op: GetTask, v02: "tasks/get", v03: "tasks/get", v10: "GetTask"},
		{op: ListTasks, v10: "ListTasks"},
		{op: CancelTask, v02: "tasks/cancel", v03: "tasks/cancel", v10: "CancelTask"},
		{op: SubscribeToTask, v02: "tasks/resubscribe", v03: "tasks/resubscribe", v10: "SubscribeToTask", streams: true},
		{op: CreatePushConfig, v02: "tasks/pushNotificationConfig/set", v03: "tasks/pushNotificationConfig/set", v10: "CreateTaskPushNotificationConfig"},
		{op: GetPushConfig, v02: "tasks/pushNotificationConfig/get", v03: "tasks/pushNotificationConfig/get", v10: "GetTaskPushNotificationConfig"},
		{op: ListPushConfigs, v02: "tasks/pushNotificationConfig/list", v03: "tasks/pushNotificationConfig/list", v10: "ListTaskPushNotificationConfigs"},
		{op: DeletePushConfig, v02: "tasks/pushNotificationConfig/delete", v03: "tasks/pushNotificationConfig/delete", v10: "DeleteTaskPushNotificationConfig"},
		{op: GetExtendedCard, v03: "agent/getAuthenticatedExtendedCard", v10: "GetExtendedAgentCard"},
	} {
		for version, want := range map[string]string{V02: test.v02, V03: test.v03, V10: test.v10} {
			if got := Method(test.op, version); got != want {
				t.Errorf("Method(%s, %s) = %q, want %q", test.op, version, got, want)
			}
		}
		if test.op.Streams() != test.streams {
			t.Errorf("%s.Streams() = %v", test.op, !test.streams)
		}
	}
}
