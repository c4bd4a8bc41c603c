package a2a

import (
	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// listMonitors read lists of tasks, and the tasks that messages make.
func listMonitors() []conformance.Monitor {
	return []conformance.Monitor{artifactsLeftOut(), newTaskIDs()}
}

func artifactsLeftOut() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "a2a.pagination.artifacts-left-out", Title: "A list has no artifacts unless they were asked for",
			Area: conformance.Pagination, Level: reporters.Must, Revisions: since10(), Needs: needs(ListTasks),
			Rule: rule("Without includeArtifacts, the tasks of a list have no artifacts member, not even an empty or a null one.", listTasks),
			Fix:  "Clear artifacts before a list is written, and omit the empty member.",
		},
		Judge: func(t conformance.Trace) (j conformance.Judgement) {
			for _, x := range exchanges(t) {
				if x.op != a2ahttp.ListTasks || wire.Get(x.params, "includeArtifacts") != nil {
					continue
				}
				x.judgeList(&j)
			}
			return j
		},
	}
}

func (x *exchange) judgeList(j *conformance.Judgement) {
	for _, a := range x.answers {
		result, _ := x.result(a)
		for _, t := range list(result, "tasks") {
			j.Exercised++
			if artifacts := wire.Get(t, "artifacts"); artifacts != nil {
				x.found(j, a, "a task without the member artifacts", clip(string(artifacts)))
			}
		}
	}
}

func newTaskIDs() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "a2a.idempotency.task-ids", Title: "Each message without a taskId makes a task with an id of its own",
			Area: conformance.Idempotency, Level: reporters.Must, Revisions: since10(),
			Rule: rule("The agent generates a unique id for each task that it makes.", spec10+"#342-task-identifier-semantics"),
			Fix:  "Generate task ids at random, and do not derive them from the text, the context or a counter that is reset.",
		},
		Judge: func(t conformance.Trace) (j conformance.Judgement) {
			if t.Hostile {
				return j
			}
			byMessage := map[string]string{} // task id to the id of the message that made it
			for _, x := range exchanges(t) {
				if x.op == a2ahttp.SendMessage || x.op == a2ahttp.SendStreamingMessage {
					x.judgeNewTask(&j, byMessage)
				}
			}
			return j
		},
	}
}

func (x *exchange) judgeNewTask(j *conformance.Judgement, byMessage map[string]string) {
	sent := wire.Get(x.params, "message")
	if text(sent, "taskId") != "" || len(x.answers) == 0 {
		return
	}
	first := x.answers[0]
	result, ok := x.result(first)
	if !ok {
		return
	}
	id := x.dialect().item(result).TaskID
	if id == "" {
		return
	}
	j.Exercised++
	messageID := text(sent, "messageId")
	if other, taken := byMessage[id]; taken && other != messageID {
		x.found(j, first, "a task with an id of its own", "the id "+id+", which another message's task has")
	}
	byMessage[id] = messageID
}

// dialect returns how the exchange's agent writes.
func (x *exchange) dialect() dialect {
	binding := a2ahttp.HTTPJSON
	if x.rpc() {
		binding = a2ahttp.JSONRPC
	}
	return dialect{x.trace.Revision, binding}
}

// items reads the events of a stream, each beside the answer that carried it.
func (x *exchange) items() (items []item, carriers []answered) {
	for _, a := range x.answers {
		if result, ok := x.result(a); ok {
			items, carriers = append(items, x.dialect().item(result)), append(carriers, a)
		}
	}
	return items, carriers
}
