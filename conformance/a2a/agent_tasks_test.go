package a2a

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// incoming checks a message and makes its task, or finds it.
func (a *agent) incoming(params json.RawMessage) (*fakeTask, error) {
	m := wire.Get(params, "message")
	if _, err := wire.Members(m); err != nil || len(list(m, "parts")) == 0 {
		return nil, refusal{codeInvalidParams, "no message with parts"}
	}
	t := &fakeTask{contextID: text(m, "contextId")}
	if id := text(m, "taskId"); id != "" {
		switch t = a.find(id); {
		case t == nil:
			return nil, refusal{a2ahttp.CodeTaskNotFound, "no such task"}
		case state(t.state).terminal():
			return nil, refusal{a2ahttp.CodeUnsupportedOperation, "the task is over"}
		case text(m, "contextId") != "" && text(m, "contextId") != t.contextID:
			return nil, refusal{codeInvalidParams, "not the context of the task"}
		}
		return t, nil
	}
	if t.contextID == "" {
		t.contextID = a.newID("context")
	}
	t.id, t.history = a.newTaskID(), []any{m}
	t.state, t.at = a.live, a.clock()
	a.tasks = append(a.tasks, t)
	return t, nil
}

func (a *agent) newTaskID() string {
	if a.oneID {
		return "task"
	}
	return a.newID("task")
}

func (a *agent) finish(t *fakeTask) {
	t.state, t.at = "completed", a.clock()
	t.artifacts = []any{a.artifact()}
}

func (a *agent) artifact() object {
	return object{"artifactId": "a", "parts": []any{a.part("hello")}}
}

func (a *agent) part(text string) object {
	if a.version == a2ahttp.V10 {
		return object{"text": text}
	}
	return object{"kind": "text", "text": text}
}

func (a *agent) status(t *fakeTask, s string) object {
	if a.version == a2ahttp.V10 {
		s = "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(s, "-", "_"))
	}
	return object{"state": s, "timestamp": stampOf(t.at)}
}

// show writes a task as the version does. A history of -1 is all of it.
func (a *agent) show(t *fakeTask, history int, artifacts bool) object {
	o := object{"id": t.id, "contextId": t.contextID, "status": a.status(t, t.state)}
	if a.version != a2ahttp.V10 {
		o["kind"] = "task"
	}
	if h := t.history; history != 0 && len(h) > 0 {
		if history > 0 && len(h) > history {
			h = h[len(h)-history:]
		}
		o["history"] = h
	}
	if artifacts && len(t.artifacts) > 0 {
		o["artifacts"] = t.artifacts
	}
	return o
}

// wrap names what an answer or an event holds.
func (a *agent) wrap(member string, o object) object {
	if a.version == a2ahttp.V10 {
		return object{member: o}
	}
	return o
}

func (a *agent) send(params json.RawMessage) (any, error) {
	t, err := a.incoming(params)
	if err != nil {
		return nil, err
	}
	if a.messageOnly {
		a.tasks = nil
		return a.wrap("message", a.reply()), nil
	}
	config := wire.Get(params, "configuration")
	if !yes(config, "returnImmediately") && string(wire.Get(config, "blocking")) != "false" && a.live == "working" {
		a.finish(t)
	}
	return a.wrap("task", a.show(t, -1, true)), nil
}

func (a *agent) reply() object {
	m := object{"messageId": a.newID("message"), "role": "ROLE_AGENT", "contextId": "c", "parts": []any{a.part("hello")}}
	if a.version != a2ahttp.V10 {
		m["kind"], m["role"] = "message", "agent"
	}
	return m
}

func (a *agent) sendStream(params json.RawMessage) (any, error) {
	if !a.streaming {
		return nil, refusal{a2ahttp.CodeUnsupportedOperation, "no streaming"}
	}
	t, err := a.incoming(params)
	if err != nil {
		return nil, err
	}
	if a.messageOnly {
		a.tasks = nil
		return []any{a.wrap("message", a.reply())}, nil
	}
	events := []any{a.wrap("task", a.show(t, -1, true)), a.update(t, "working", false), a.chunk(t, false, false), a.chunk(t, true, true)}
	a.finish(t)
	return append(events, a.update(t, "completed", true)), nil
}

func (a *agent) update(t *fakeTask, s string, final bool) object {
	o := object{"taskId": t.id, "contextId": t.contextID, "status": a.status(t, s)}
	if a.version != a2ahttp.V10 {
		o["kind"], o["final"] = "status-update", final
	}
	return a.wrap("statusUpdate", o)
}

func (a *agent) chunk(t *fakeTask, appends, last bool) object {
	o := object{"taskId": t.id, "contextId": t.contextID, "artifact": a.artifact(), "append": appends, "lastChunk": last}
	if a.version != a2ahttp.V10 {
		o["kind"] = "artifact-update"
	}
	return a.wrap("artifactUpdate", o)
}

func (a *agent) onTask(op a2ahttp.Op, params json.RawMessage) (any, error) {
	id, ok := wire.Text(wire.Get(params, "id"))
	if !ok {
		return nil, refusal{codeInvalidParams, "no id"}
	}
	if raw := wire.Get(params, "historyLength"); raw != nil && !json.Valid(bytes.Trim(raw, `"`)) {
		return nil, refusal{codeInvalidParams, "historyLength is no number"}
	}
	t := a.find(id)
	switch {
	case op == a2ahttp.SubscribeToTask && !a.streaming:
		return nil, refusal{a2ahttp.CodeUnsupportedOperation, "no streaming"}
	case t == nil:
		return nil, refusal{a2ahttp.CodeTaskNotFound, "no such task"}
	case op == a2ahttp.CancelTask && state(t.state).terminal():
		return nil, refusal{a2ahttp.CodeTaskNotCancelable, "the task is over"}
	case op == a2ahttp.SubscribeToTask && state(t.state).terminal():
		return nil, refusal{a2ahttp.CodeUnsupportedOperation, "the task is over"}
	case op == a2ahttp.SubscribeToTask:
		return []any{a.wrap("task", a.show(t, -1, true))}, nil
	case op == a2ahttp.CancelTask:
		t.state, t.at = "canceled", a.clock()
	}
	history := -1
	if wire.Get(params, "historyLength") != nil {
		history = number(params, "historyLength")
	}
	if op == a2ahttp.GetTask && a.wrapsGet {
		return object{"task": a.show(t, history, true)}, nil
	}
	return a.show(t, history, true), nil
}

func (a *agent) list(params json.RawMessage) (any, error) {
	size := 50
	if raw := wire.Get(params, "pageSize"); raw != nil {
		if size = number(params, "pageSize"); size < 1 || size > 100 {
			return nil, refusal{codeInvalidParams, "pageSize out of bounds"}
		}
	}
	var shown []any
	var total int
	token := text(params, "pageToken")
	if token != "" && a.find(token) == nil {
		return nil, refusal{codeInvalidParams, "no such page"}
	}
	next, skip := "", token != ""
	for _, t := range slices.Backward(a.sorted()) {
		if c := text(params, "contextId"); c != "" && c != t.contextID {
			continue
		}
		total++
		switch {
		case skip:
			skip = t.id != token
		case len(shown) < size:
			shown = append(shown, a.show(t, number(params, "historyLength"), false))
		case next == "":
			next = text(encode(shown[len(shown)-1]), "id")
		}
	}
	return object{"tasks": append([]any{}, shown...), "nextPageToken": next, "pageSize": size, "totalSize": total}, nil
}

func (a *agent) sorted() []*fakeTask {
	tasks := slices.Clone(a.tasks)
	slices.SortFunc(tasks, func(x, y *fakeTask) int {
		if a.ascending {
			return y.at - x.at
		}
		return x.at - y.at
	})
	return tasks
}

func (a *agent) onPush(op a2ahttp.Op, params json.RawMessage) (any, error) {
	if !a.push {
		return nil, refusal{a2ahttp.CodePushNotificationNotSupported, "no push"}
	}
	if a.find(text(params, "taskId")) == nil {
		return nil, refusal{a2ahttp.CodeTaskNotFound, "no such task"}
	}
	id := text(params, "id")
	switch op {
	case a2ahttp.CreatePushConfig:
		a.hooks[id] = object{"taskId": text(params, "taskId"), "id": id, "url": text(params, "url")}
	case a2ahttp.DeletePushConfig:
		delete(a.hooks, id)
		return object{}, nil
	case a2ahttp.ListPushConfigs:
		all := []any{}
		for _, hook := range a.hooks {
			all = append(all, hook)
		}
		return object{"configs": all}, nil
	default:
		if a.hooks[id] == nil {
			return nil, refusal{a2ahttp.CodeTaskNotFound, "no such configuration"}
		}
	}
	return a.hooks[id], nil
}
