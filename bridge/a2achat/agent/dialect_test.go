package agent

import (
	"encoding/json"
	"strings"

	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
)

// dialect is a version and a binding, in which a scripted agent speaks.
type dialect struct{ version, binding string }

func (d dialect) String() string { return d.version + " " + d.binding }

func dialects() []dialect {
	return []dialect{
		{a2ahttp.V02, a2ahttp.JSONRPC},
		{a2ahttp.V03, a2ahttp.JSONRPC},
		{a2ahttp.V03, a2ahttp.HTTPJSON},
		{a2ahttp.V10, a2ahttp.JSONRPC},
		{a2ahttp.V10, a2ahttp.HTTPJSON},
	}
}

func (d dialect) now() bool   { return d.version == a2ahttp.V10 }
func (d dialect) proto() bool { return !d.now() && d.binding == a2ahttp.HTTPJSON }

// object is JSON to be.
type object map[string]any

// The shapes of each version, as its specification has them.

func (d dialect) state(s State) string {
	if d.now() || d.proto() {
		return "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(string(s), "-", "_"))
	}
	return string(s)
}

func (d dialect) text(s string) object {
	if d.now() || d.proto() {
		return object{"text": s}
	}
	return object{"kind": "text", "text": s}
}

func (d dialect) parts(texts ...string) []object {
	list := []object{}
	for _, s := range texts {
		list = append(list, d.text(s))
	}
	return list
}

func (d dialect) message(id string, texts ...string) object {
	m := object{"messageId": id, "contextId": "ctx", "role": "agent", "parts": d.parts(texts...)}
	switch {
	case d.now():
		m["role"] = "ROLE_AGENT"
	case d.proto():
		m["role"], m["content"] = "ROLE_AGENT", m["parts"]
		delete(m, "parts")
	default:
		m["kind"] = "message"
	}
	return m
}

func (d dialect) status(s State, texts ...string) object {
	st := object{"state": d.state(s)}
	if len(texts) > 0 {
		st["message"] = d.message("status "+string(s)+strings.Join(texts, ""), texts...)
	}
	return st
}

func artifact(id string, parts []object) object {
	return object{"artifactId": id, "name": "result", "parts": parts}
}

// task is a whole task, with what the user said in its history.
func (d dialect) task(status object, artifacts ...object) object {
	t := object{
		"id": "task", "contextId": "ctx", "status": status, "artifacts": artifacts,
		"history": []object{d.message("user", "what the user said")},
	}
	if !d.now() && !d.proto() {
		t["kind"] = "task"
	}
	return t
}

func (d dialect) wrap(kind string, o object) object {
	if d.now() || d.proto() {
		return object{kind: o}
	}
	return o
}

func (d dialect) taskEvent(status object, artifacts ...object) object {
	return d.wrap("task", d.task(status, artifacts...))
}

func (d dialect) messageEvent(id string, texts ...string) object {
	return d.wrap("message", d.message(id, texts...))
}

func (d dialect) statusEvent(status object, final bool) object {
	e := object{"taskId": "task", "contextId": "ctx", "status": status}
	if !d.now() {
		e["final"] = final
	}
	if !d.now() && !d.proto() {
		e["kind"] = "status-update"
	}
	return d.wrap("statusUpdate", e)
}

// chunkEvent is an artifact event; more holds append and lastChunk.
func (d dialect) chunkEvent(a object, more object) object {
	e := object{"taskId": "task", "contextId": "ctx", "artifact": a}
	for name, value := range more {
		e[name] = value
	}
	if !d.now() && !d.proto() {
		e["kind"] = "artifact-update"
	}
	return d.wrap("artifactUpdate", e)
}

func (d dialect) data(raw string) object {
	switch {
	case d.proto():
		return object{"data": object{"data": json.RawMessage(raw)}}
	case d.now():
		return object{"data": json.RawMessage(raw)}
	}
	return object{"kind": "data", "data": json.RawMessage(raw)}
}

func (d dialect) file(name, mediaType, uri, bytes string) object {
	f := &File{Name: name, MediaType: mediaType, URI: uri, Base64: bytes}
	switch {
	case d.proto():
		return partProto(Part{File: f})
	case d.now():
		return part10(Part{File: f})
	}
	return part03(Part{File: f})
}
