package a2apeer

import (
	"encoding/json"
	"fmt"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/peerwright/peerwright/internal/wire"
)

// normalise reads params as ProtoJSON of the operation's request, which is what
// A2A 1.0 defines them as: with names in either spelling, enums that exist, one
// member of each union, and everything that is required. It returns them as the
// SDK reads them, which knows only one spelling and misses the rest.
//
// https://a2a-protocol.org/latest/specification/#55-json-field-naming-convention
// https://a2a-protocol.org/latest/specification/#57-field-presence-and-optionality
func normalise(request proto.Message, params []byte) (json.RawMessage, *fault) {
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(params, request); err != nil {
		return nil, invalidParams.faultf("invalid params: %v", err)
	}
	if list, ok := request.(*a2apb.ListTasksRequest); ok && list.PageSize != nil && list.GetPageSize() < 1 {
		return nil, invalidParams.faultf("invalid params: pageSize must be between 1 and %d", largestPage)
	}
	if name := strangeEnum(request.ProtoReflect().Descriptor(), params); name != "" {
		return nil, invalidParams.faultf("invalid params: %s has no value of that name", name)
	}
	if missing := incomplete(request.ProtoReflect()); missing != "" {
		return nil, invalidParams.faultf("invalid params: %s", missing)
	}
	raw, err := protojson.Marshal(request)
	if err != nil {
		return nil, invalidParams.faultf("invalid params: %v", err)
	}
	return raw, nil
}

// strangeEnum names the enum of which the JSON text has a value that is none, ""
// when there is no such; protojson takes them for unknown members and drops them.
func strangeEnum(d protoreflect.MessageDescriptor, raw []byte) string {
	members, err := wire.Members(raw)
	if err != nil {
		return ""
	}
	for _, m := range members {
		f := d.Fields().ByJSONName(m.Name)
		if f == nil {
			f = d.Fields().ByTextName(m.Name)
		}
		switch value, isText := wire.Text(m.Value); {
		case f == nil:
		case f.Enum() != nil && isText && f.Enum().Values().ByName(protoreflect.Name(value)) == nil:
			return string(f.Enum().Name())
		case f.Message() != nil && f.Message().ParentFile().Package() == protoPackage && !f.IsList() && !f.IsMap():
			if name := strangeEnum(f.Message(), m.Value); name != "" {
				return name
			}
		}
	}
	return ""
}

// protoPackage is where the messages of A2A 1.0 are declared; others in them, like
// google.protobuf.Struct, require nothing.
const protoPackage = "lf.a2a.v1"

// incomplete names what a message lacks, "" when it is complete.
func incomplete(m protoreflect.Message) string {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		if f := fields.Get(i); isRequired(f) && !m.Has(f) {
			return fmt.Sprintf("%s.%s is required", m.Descriptor().Name(), f.JSONName())
		}
	}
	unions := m.Descriptor().Oneofs()
	for i := range unions.Len() {
		if u := unions.Get(i); !u.IsSynthetic() && m.WhichOneof(u) == nil {
			return fmt.Sprintf("%s needs one of its kinds of %s", m.Descriptor().Name(), u.Name())
		}
	}
	lack := ""
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		lack = incompleteField(f, v)
		return lack == ""
	})
	return lack
}

func incompleteField(f protoreflect.FieldDescriptor, v protoreflect.Value) string {
	if f.Message() == nil || f.IsMap() || f.Message().ParentFile().Package() != protoPackage {
		return ""
	}
	if !f.IsList() {
		return incomplete(v.Message())
	}
	for i := range v.List().Len() {
		if lack := incomplete(v.List().Get(i).Message()); lack != "" {
			return lack
		}
	}
	return ""
}

func isRequired(f protoreflect.FieldDescriptor) bool {
	behaviours, _ := proto.GetExtension(f.Options(), annotations.E_FieldBehavior).([]annotations.FieldBehavior)
	for _, b := range behaviours {
		if b == annotations.FieldBehavior_REQUIRED {
			return true
		}
	}
	return false
}
