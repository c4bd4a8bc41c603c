package agent

import (
	"cmp"
	"encoding/json"

	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// params returns the params that send the message, in the shape of the interface.
//
// https://a2a-protocol.org/v0.3.0/specification/#711-messagesendparams-object
// https://a2a-protocol.org/v1.0.0/specification/#321-sendmessagerequest
func (c Card) params(m Message, modes []string, op a2ahttp.Op) (json.RawMessage, error) {
	now := c.Interface.Version == a2ahttp.V10
	configuration := map[string]any{}
	if len(modes) == 0 && c.Interface.Version == a2ahttp.V02 {
		modes = c.OutputModes // which 0.2 requires
		if len(modes) == 0 {
			modes = []string{"text/plain"}
		}
	}
	if len(modes) > 0 {
		configuration["acceptedOutputModes"] = modes
	}
	if op == a2ahttp.SendMessage && !now {
		configuration["blocking"] = true // 1.0 blocks unless it is told not to
	}
	params := map[string]any{"message": c.message(m)}
	if len(configuration) > 0 {
		params["configuration"] = configuration
	}
	return wire.Marshal(params)
}

// message is the message of an interface: its parts and its role have another name in
// each version, and in the protobuf definition of 0.3, which HTTP+JSON goes by.
func (c Card) message(m Message) map[string]any {
	message := map[string]any{"messageId": m.MessageID, "role": "ROLE_USER"}
	for name, value := range map[string]string{"contextId": m.ContextID, "taskId": m.TaskID} {
		if value != "" {
			message[name] = value
		}
	}
	shape, parts := part10, "parts"
	switch {
	case c.proto():
		shape, parts = partProto, "content"
	case c.Interface.Version != a2ahttp.V10:
		shape = part03
		message["kind"], message["role"] = "message", "user"
	}
	all := make([]map[string]any, 0, len(m.Parts))
	for _, p := range m.Parts {
		all = append(all, shape(p))
	}
	message[parts] = all
	return message
}

// proto tells whether the interface speaks as the protobuf definition of 0.3 does. Its
// specification has the JSON schema's names in the text and the others in the routes
// (0.3 section 3.2.3), and there are agents of both kinds.
func (c Card) proto() bool {
	return !c.schema && c.Interface.Binding == a2ahttp.HTTPJSON && c.Interface.Version != a2ahttp.V10
}

func part10(p Part) map[string]any {
	switch {
	case p.File != nil:
		part := map[string]any{}
		set(part, "filename", p.File.Name)
		set(part, "mediaType", p.File.MediaType)
		set(part, "url", p.File.URI)
		if p.File.URI == "" {
			part["raw"] = p.File.Base64
		}
		return part
	case p.Data != nil:
		return map[string]any{"data": p.Data}
	}
	return map[string]any{"text": p.Text}
}

func part03(p Part) map[string]any {
	switch {
	case p.File != nil:
		return map[string]any{"kind": "file", "file": file03(p.File, "uri", "bytes")}
	case p.Data != nil:
		return map[string]any{"kind": "data", "data": p.Data}
	}
	return map[string]any{"kind": "text", "text": p.Text}
}

func partProto(p Part) map[string]any {
	switch {
	case p.File != nil:
		return map[string]any{"file": file03(p.File, "fileWithUri", "fileWithBytes")}
	case p.Data != nil:
		return map[string]any{"data": map[string]any{"data": p.Data}}
	}
	return map[string]any{"text": p.Text}
}

func file03(f *File, uri, bytes string) map[string]any {
	file := map[string]any{}
	set(file, "name", f.Name)
	set(file, "mimeType", f.MediaType)
	set(file, cmp.Or(map[bool]string{true: uri}[f.URI != ""], bytes), cmp.Or(f.URI, f.Base64))
	return file
}

func set(object map[string]any, name, value string) {
	if value != "" {
		object[name] = value
	}
}
