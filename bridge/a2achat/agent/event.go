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
	last     bool
	more     bool // the agent said that this is not the last chunk
}

var errNoEvent = errors.New("neither a task, a message, a status nor an artifact")

// readEvent reads the result of a call or the payload of an event. Every version's
// shape is taken, whatever the version: kind members (0.2, 0.3 section 6), a wrapper
// for each kind (1.0 section 4.2.3), and the names of the protobuf definition. Of 0.3
// over HTTP+JSON (proto) data has one more object around it.
func readEvent(raw []byte, proto bool) (event, error) {
	wrapper, raw := unwrap(raw)
	e := event{contextID: text(raw, "contextId", "context_id"), taskID: text(raw, "taskId", "task_id"), proto: proto}
	kind, id, state := text(raw, "kind"), get(raw, "id"), get(raw, "status")
	switch {
	case get(raw, "artifact") != nil:
		artifact := e.readChunk(get(raw, "artifact"))
		artifact.append, artifact.last = flag(raw, "append"), flag(raw, "lastChunk", "last_chunk")
		artifact.more = string(get(raw, "lastChunk", "last_chunk")) == "false"
		e.artifact = &artifact
	case kind == "status-update", wrapper == "statusUpdate", e.taskID != "" && state != nil && id == nil:
		s := e.readStatus(state)
		e.status, e.final = &s, flag(raw, "final")
	case kind == "message", get(raw, "parts", "content") != nil:
		e.message = e.readMessage(raw)
	case kind == "task", wrapper == "task", id != nil, state != nil:
		e.taskID = text(raw, "id")
		e.task = e.readTask(raw)
	default:
		return event{}, fmt.Errorf("%w: %.200s", errNoEvent, raw)
	}
	return e, nil
}

// unwrap takes the wrapper of 1.0 away, and names it.
func unwrap(raw []byte) (string, []byte) {
	wrappers := []struct{ name, old string }{
		{"task", "task"}, {"message", "msg"}, {"statusUpdate", "status_update"}, {"artifactUpdate", "artifact_update"},
	}
	if get(raw, "kind", "id", "status", "artifact") != nil {
		return "", raw
	}
	for _, w := range wrappers {
		if inner := get(raw, w.name, w.old); len(inner) > 0 && inner[0] == '{' {
			return w.name, inner
		}
	}
	return "", raw
}

func (e *event) readTask(raw []byte) *task {
	t := &task{status: e.readStatus(get(raw, "status"))}
	for _, artifact := range list(get(raw, "artifacts")) {
		t.artifacts = append(t.artifacts, e.readChunk(artifact))
	}
	return t
}

func (e *event) readStatus(raw []byte) status {
	s := status{state: stateOf(text(raw, "state")), raw: string(raw)}
	if message := get(raw, "message", "update"); len(message) > 0 && message[0] == '{' {
		s.message = e.readMessage(message)
	}
	return s
}

func (e *event) readMessage(raw []byte) *said {
	m := &said{key: text(raw, "messageId", "message_id"), parts: e.readParts(get(raw, "parts", "content"))}
	if m.key == "" {
		m.key = string(raw)
	}
	return m
}

func (e *event) readChunk(raw []byte) chunk {
	return chunk{
		id: text(raw, "artifactId", "artifact_id"), name: text(raw, "name"),
		parts: e.readParts(get(raw, "parts")),
	}
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

// get returns the first of the named members that is there and is not null.
func get(raw []byte, names ...string) json.RawMessage {
	for _, name := range names {
		if value := wire.Get(raw, name); value != nil && string(value) != "null" {
			return value
		}
	}
	return nil
}

func text(raw []byte, names ...string) string {
	s, _ := wire.Text(get(raw, names...)) // what is no string says nothing
	return s
}

func flag(raw []byte, names ...string) bool { return string(get(raw, names...)) == "true" }

func list(raw []byte) []json.RawMessage {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return nil // what is no list has nothing in it
	}
	return items
}
