package a2a

import (
	"encoding/json"

	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// object is a JSON object to be sent.
type object map[string]any

// encoded writes an object of ours, which always marshals.
func encoded(o object) json.RawMessage {
	raw, err := wire.Marshal(o)
	if err != nil {
		return nil
	}
	return raw
}

// dialect says how a version and a binding write what the suite sends.
type dialect struct{ version, binding string }

// protoJSON tells whether objects are those of the protobuf definition. In 0.3 they
// are so over HTTP+JSON only: its text asks for the shapes of JSON-RPC there, and the
// agents in the field follow its protobuf definition.
func (d dialect) protoJSON() bool {
	return d.version == a2ahttp.V10 || d.binding == a2ahttp.HTTPJSON
}

// message is what the suite says. An empty contextID or taskID is left out.
type message struct {
	id, text          string
	contextID, taskID string
	returnAtOnce      bool // do not wait for the task to come to rest
}

// send returns the params of SendMessage and SendStreamingMessage.
func (d dialect) send(m message) object {
	return object{"message": d.message(m), "configuration": d.configuration(m)}
}

func (d dialect) message(m message) object {
	o := object{"messageId": m.id, "role": "ROLE_USER", "parts": []object{{"text": m.text}}}
	switch {
	case d.version != a2ahttp.V10 && d.protoJSON():
		o["content"] = o["parts"]
		delete(o, "parts")
	case d.version != a2ahttp.V10:
		o["kind"], o["role"] = "message", "user"
		o["parts"] = []object{{"kind": "text", "text": m.text}}
	}
	if m.contextID != "" {
		o["contextId"] = m.contextID
	}
	if m.taskID != "" {
		o["taskId"] = m.taskID
	}
	return o
}

// configuration says whether to wait: a default in 1.0, and said aloud before it,
// where there is none.
func (d dialect) configuration(m message) object {
	switch {
	case d.version != a2ahttp.V10:
		return object{"blocking": !m.returnAtOnce}
	case m.returnAtOnce:
		return object{"returnImmediately": true}
	}
	return object{}
}

// pushConfig returns the params that set a push configuration under an id.
func (d dialect) pushConfig(taskID, id, url string) object {
	if d.version == a2ahttp.V10 {
		return object{"taskId": taskID, "id": id, "url": url}
	}
	return object{"taskId": taskID, "pushNotificationConfig": object{"id": id, "url": url}}
}

// pushConfigID returns the params that name a push configuration.
func (d dialect) pushConfigID(taskID, id string) object {
	if d.version == a2ahttp.V10 {
		return object{"taskId": taskID, "id": id}
	}
	return object{"id": taskID, "pushNotificationConfigId": id}
}

// pushConfigs returns the params that ask for all push configurations of a task.
func (d dialect) pushConfigs(taskID string) object {
	if d.version == a2ahttp.V10 {
		return object{"taskId": taskID}
	}
	return object{"id": taskID}
}
