package agent

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/peerwright/peerwright/internal/wire"
)

// event is what an agent tells in one answer or one event of a stream, in the form of
// no version: one of task, message, status and artifact is set.
type event struct {
	contextID, taskID string
	task              *task
	message           *said
	status            *status
	artifact          *chunk
	final             bool // 0.2, 0.3: the stream is over
	unread            int  // parts that are of no known kind, and stand as data
	proto             bool // read as the protobuf definition of 0.3 spells it
}

type task struct {
	status    status
	artifacts []chunk
}

// said is a message.
type said struct {
	key   string // its id, or what else tells it from another
	parts content
}

type status struct {
	state   State
	message *said
	raw     string
}

// chunk is an artifact, or a piece of one.
type chunk struct {
	id, name string
	parts    content
	append   bool
	more     bool // the agent said that this is not the last chunk
}

var errNoEvent = errors.New("neither a task, a message, a status nor an artifact")

// readEvent reads the result of a call or the payload of an event. Every version's
// shape is taken, whatever the version: kind members (0.2, 0.3 section 6), a wrapper
// for each kind (1.0 section 4.2.3), and the names of the protobuf definition. Of 0.3
// over HTTP+JSON (proto) data has one more object around it.
func readEvent(raw []byte, proto bool) (event, error) {
	wrapper, o := unwrap(fieldsOf(raw))
	e := event{contextID: o.text("contextId", "context_id"), taskID: o.text("taskId", "task_id"), proto: proto}
	kind, id, state := o.text("kind"), o.get("id"), o.get("status")
	switch {
	case o.get("artifact") != nil:
		artifact := e.readChunk(o.get("artifact"))
		artifact.append = o.flag("append")
		artifact.more = string(o.get("lastChunk", "last_chunk")) == "false"
		e.artifact = &artifact
	case kind == "status-update", wrapper == "statusUpdate", e.taskID != "" && state != nil && id == nil:
		s := e.readStatus(state)
		e.status, e.final = &s, o.flag("final")
	case kind == "message", o.get("parts", "content") != nil:
		e.message = e.readMessage(o)
	case kind == "task", wrapper == "task", id != nil, state != nil:
		e.taskID = o.text("id")
		e.task = e.readTask(o)
	default:
		return event{}, fmt.Errorf("%w: %.200s", errNoEvent, raw)
	}
	return e, nil
}

// unwrap takes the wrapper of 1.0 away, and names it.
func unwrap(o fields) (string, fields) {
	if o.get("kind", "id", "status", "artifact") != nil {
		return "", o
	}
	for _, w := range []struct{ name, old string }{
		{"task", "task"}, {"message", "msg"}, {"statusUpdate", "status_update"}, {"artifactUpdate", "artifact_update"},
	} {
		if inner := fieldsOf(o.get(w.name, w.old)); inner != nil {
			return w.name, inner
		}
	}
	return "", o
}

func (e *event) readTask(o fields) *task {
	t := &task{status: e.readStatus(o.get("status"))}
	for _, artifact := range list(o.get("artifacts")) {
		t.artifacts = append(t.artifacts, e.readChunk(artifact))
	}
	return t
}

func (e *event) readStatus(raw []byte) status {
	o := fieldsOf(raw)
	s := status{state: stateOf(o.text("state")), raw: string(raw)}
	if message := fieldsOf(o.get("message", "update")); message != nil {
		s.message = e.readMessage(message)
	}
	return s
}

func (e *event) readMessage(o fields) *said {
	m := &said{key: o.text("messageId", "message_id"), parts: e.readParts(o.get("parts", "content"))}
	if m.key == "" {
		m.key = string(wire.Object(o))
	}
	return m
}

func (e *event) readChunk(raw []byte) chunk {
	o := fieldsOf(raw)
	return chunk{id: o.text("artifactId", "artifact_id"), name: o.text("name"), parts: e.readParts(o.get("parts"))}
}

func (e *event) readParts(raw []byte) content {
	var parts content
	for _, part := range list(raw) {
		p, known := readPart(part, e.proto)
		if !known {
			e.unread++
		}
		parts = append(parts, p)
	}
	return parts
}

// fields are the members of an object, which is read once for all of them.
type fields []wire.Member

func fieldsOf(raw []byte) fields { return wire.Fields(raw) }

// get returns the first of the named members that is there and is not null.
func (f fields) get(names ...string) json.RawMessage {
	for _, name := range names {
		if value := f.raw(name); value != nil && string(value) != "null" {
			return value
		}
	}
	return nil
}

// raw returns the named member, the last one where it stands twice.
func (f fields) raw(name string) json.RawMessage {
	for i := len(f) - 1; i >= 0; i-- {
		if f[i].Name == name {
			return f[i].Value
		}
	}
	return nil
}

func (f fields) text(names ...string) string {
	s, _ := wire.Text(f.get(names...)) // what is no string says nothing
	return s
}

func (f fields) flag(name string) bool { return string(f.get(name)) == "true" }

func list(raw []byte) []json.RawMessage {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return nil // what is no list has nothing in it
	}
	return items
}
