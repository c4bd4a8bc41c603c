package a2a

import (
	"encoding/json"
	"slices"
	"testing"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
)

// The shapes of 1.0 say what the protobuf definition says.
func TestShapesAgreeWithTheDefinition(t *testing.T) {
	names := map[string]string{
		"StatusUpdate": "TaskStatusUpdateEvent", "ArtifactUpdate": "TaskArtifactUpdateEvent",
		"PushConfig": "TaskPushNotificationConfig", "Authentication": "AuthenticationInfo",
	}
	for name, shape := range shapes10() {
		if name == "TaskList" {
			continue // its members are the affair of a2a.pagination.members
		}
		full := name
		if other, ok := names[name]; ok {
			full = other
		}
		m := pb.File_a2av1_proto.Messages().ByName(protoreflect.Name(full))
		if m == nil {
			t.Errorf("the definition has no %s", full)
			continue
		}
		if got := requiredOf(m); !sameSet(got, shape.required) {
			t.Errorf("%s requires %q, and we ask for %q", full, got, shape.required)
		}
		if got := oneOfOf(m); !sameSet(got, shape.oneOf) {
			t.Errorf("%s has one of %q, and we ask for %q", full, got, shape.oneOf)
		}
		for member := range shape.members {
			if m.Fields().ByJSONName(member) == nil {
				t.Errorf("%s has no %s", full, member)
			}
		}
	}
}

func requiredOf(m protoreflect.MessageDescriptor) (names []string) {
	for i := range m.Fields().Len() {
		f := m.Fields().Get(i)
		behaviour, _ := proto.GetExtension(f.Options(), annotations.E_FieldBehavior).([]annotations.FieldBehavior)
		if slices.Contains(behaviour, annotations.FieldBehavior_REQUIRED) {
			names = append(names, f.JSONName())
		}
	}
	return names
}

func oneOfOf(m protoreflect.MessageDescriptor) (names []string) {
	for i := range m.Oneofs().Len() {
		o := m.Oneofs().Get(i)
		for j := range o.Fields().Len() {
			if !o.IsSynthetic() {
				names = append(names, o.Fields().Get(j).JSONName())
			}
		}
	}
	return names
}

func sameSet(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

func TestCheck(t *testing.T) {
	v10, v03 := rpc10, dialect{a2ahttp.V03, a2ahttp.JSONRPC}
	for _, test := range []struct {
		name    string
		dialect dialect
		shape   string
		raw     string
		want    []problemKind
	}{
		{"sound", v10, "Task", `{"id":"t","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-01-01T00:00:00.123Z"},"more":1}`, nil},
		{"null is absent", v10, "Task", `{"id":null,"status":{"state":"TASK_STATE_WORKING"}}`, []problemKind{missing}},
		{"null data is data", v10, "Part", `{"data":null}`, nil},
		{"nothing in it", v10, "Part", `{"mediaType":"text/plain"}`, []problemKind{ambiguous}},
		{"two contents", v10, "Part", `{"text":"","url":"u"}`, []problemKind{ambiguous}},
		{"a number as state", v10, "TaskStatus", `{"state":3}`, []problemKind{misspelt}},
		{"snake case", v10, "Message", `{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"x"}],"context_id":"c"}`, []problemKind{snakeCase}},
		{"an offset", v10, "TaskStatus", `{"state":"TASK_STATE_WORKING","timestamp":"2026-01-01T00:00:00+00:00"}`, []problemKind{badTime}},
		{"no parts", v10, "Artifact", `{"artifactId":"a","parts":[]}`, []problemKind{missing}},
		{"what a user said", v10, "Task", `{"id":"t","status":{"state":"TASK_STATE_WORKING"},"history":[{"role":"ROLE_USER"}]}`, nil},
		{"what an agent said", v10, "Task", `{"id":"t","status":{"state":"TASK_STATE_WORKING"},"history":[{"role":"ROLE_AGENT","messageId":"m"}]}`, []problemKind{missing}},
		{"no object", v10, "Task", `[]`, []problemKind{mistyped}},
		{"no array", v10, "Artifact", `{"artifactId":"a","parts":{}}`, []problemKind{mistyped}},
		{"0.3", v03, "Task", `{"kind":"task","id":"t","contextId":"c","status":{"state":"working","timestamp":"yesterday"}}`, nil},
		{"0.3 without final", v03, "StatusUpdate", `{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"working"}}`, []problemKind{missing}},
		{"0.3 text without text", v03, "Part", `{"kind":"text"}`, []problemKind{missing}},
		{"0.3 file", v03, "Part", `{"kind":"file","file":{"uri":"u","bytes":"b"}}`, []problemKind{ambiguous}},
		{"unknown shape", v03, "PushConfig", `{}`, nil},
		{"unknown dialect", dialect{a2ahttp.V03, a2ahttp.HTTPJSON}, "Task", `{}`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []problemKind
			for _, p := range check(test.dialect, test.shape, json.RawMessage(test.raw)) {
				got = append(got, p.kind)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("found %q, want %q", got, test.want)
			}
		})
	}
}

// Whatever an agent sends, it can be read and compared.
func FuzzReading(f *testing.F) {
	for _, seed := range []string{
		`{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"}}}`, `{"kind":"status-update","final":true}`,
		`{"statusUpdate":null,"message":{"parts":[{"data":null}]}}`, `[]`, `{"task":{"history":[1,{"role":"user"}]}}`, `"`, `{"a":`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, d := range bindings() {
			it := d.item(raw)
			if it.Kind == "" && it.Problem == "" {
				t.Errorf("%q is neither an item nor wrong", raw)
			}
			for name := range d.shapes() {
				check(d, name, it.Raw)
			}
			if !sameJSON(raw, raw) && json.Valid(raw) && len(raw) > 0 {
				t.Errorf("%q differs from itself", raw)
			}
		}
	})
}
