package a2a

import (
	"encoding/json"
	"strings"

	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// state is the state of a task in the words of 0.3, which 1.0 writes as
// TASK_STATE_INPUT_REQUIRED and the like; "" when it is none.
type state string

func stateOf(raw json.RawMessage) state {
	text, _ := wire.Text(raw)
	word := strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(text, "TASK_STATE_")), "_", "-")
	if word == "cancelled" { // the protobuf definition of 0.3
		word = "canceled"
	}
	return state(word)
}

// terminal tells whether the task is over.
func (s state) terminal() bool {
	switch s {
	case "completed", "failed", "canceled", "rejected":
		return true
	}
	return false
}

// interrupted tells whether the task waits for its client.
func (s state) interrupted() bool { return s == "input-required" || s == "auth-required" }

// kind says what an item is.
type kind string

// The kinds of item, as 0.3 names them.
const (
	isTask     kind = "task"
	isMessage  kind = "message"
	isStatus   kind = "status-update"
	isArtifact kind = "artifact-update"
)

// item is what an agent sends back for a message: a task, a message, or an update of
// a task.
type item struct {
	Kind    kind // "" when it is none of them
	Raw     json.RawMessage
	Problem string // what is wrong with it as one of several alternatives; "" when nothing is

	TaskID, ContextID string
	State             state
	Final             bool // 0.3: the last event of the stream
}

// members10 are the alternatives of StreamResponse and SendMessageResponse in 1.0.
func members10() map[string]kind {
	return map[string]kind{"task": isTask, "message": isMessage, "statusUpdate": isStatus, "artifactUpdate": isArtifact}
}

// item reads what the result of a send, or an event of a stream, holds.
func (d dialect) item(payload json.RawMessage) item {
	if d.protoJSON() {
		return wrappedItem(payload)
	}
	word, _ := wire.Text(wire.Get(payload, "kind"))
	switch k := kind(word); k {
	case isTask, isMessage, isStatus, isArtifact:
		return viewItem(k, payload)
	}
	return item{Raw: payload, Problem: "kind is " + orNone(wire.Get(payload, "kind"))}
}

// wrappedItem reads an object of which exactly one member says what it is.
func wrappedItem(payload json.RawMessage) item {
	members, err := wire.Members(payload)
	if err != nil {
		return item{Raw: payload, Problem: "it is no JSON object"}
	}
	it := item{Raw: payload}
	var found []string
	for _, m := range members {
		if k, ok := members10()[m.Name]; ok && string(m.Value) != "null" {
			found = append(found, m.Name)
			it = viewItem(k, m.Value)
		}
	}
	switch len(found) {
	case 1:
	case 0:
		it.Problem = "it has none of task, message, statusUpdate and artifactUpdate"
	default:
		it.Problem = "it has " + strings.Join(found, " and ") + " together"
	}
	return it
}

func viewItem(k kind, raw json.RawMessage) item {
	it := item{Kind: k, Raw: raw, TaskID: text(raw, "taskId"), ContextID: text(raw, "contextId")}
	if k == isTask {
		it.TaskID = text(raw, "id")
	}
	it.State = stateOf(wire.Path(raw, "status", "state"))
	it.Final = string(wire.Get(raw, "final")) == "true"
	return it
}

// task reads a bare Task, as GetTask and CancelTask answer with.
func task(raw json.RawMessage) item { return viewItem(isTask, raw) }

// text returns the named string of the object, "" when it is not there.
func text(raw json.RawMessage, name string) string {
	s, _ := wire.Text(wire.Get(raw, name))
	return s
}

// list returns the elements of the named array; nil when it is not there.
func list(raw json.RawMessage, name string) []json.RawMessage {
	var items []json.RawMessage
	if json.Unmarshal(wire.Get(raw, name), &items) != nil {
		return nil
	}
	return items
}

func orNone(raw json.RawMessage) string {
	if raw == nil {
		return "not there"
	}
	return clip(string(raw))
}

// clip shortens what the agent said for a finding.
func clip(s string) string {
	const most = 300
	s = strings.TrimSpace(s)
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}

// dialectOf returns the dialect of an interface.
func dialectOf(i a2ahttp.Interface) dialect { return dialect{i.Version, i.Binding} }

// number returns the named whole number of the object, 0 when it is not there.
func number(raw json.RawMessage, name string) int {
	var n int
	if json.Unmarshal(wire.Get(raw, name), &n) != nil {
		return 0
	}
	return n
}
