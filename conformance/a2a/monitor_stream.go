package a2a

import (
	"encoding/json"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// streamMonitors read every stream.
func streamMonitors() []conformance.Monitor {
	return []conformance.Monitor{oneMember(), sameTask(), nothingAfterEnd(), artifactChunks()}
}

// eachStream calls judge for every stream that has items.
func eachStream(t conformance.Trace, judge func(x *exchange, items []item, carriers []answered, j *conformance.Judgement)) (j conformance.Judgement) {
	for _, x := range exchanges(t) {
		if !x.stream() {
			continue
		}
		if items, carriers := x.items(); len(items) > 0 {
			judge(x, items, carriers, &j)
		}
	}
	return j
}

func oneMember() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "a2a.streaming.one-member", Title: "Every event is one task, message, status update or artifact update",
			Area: conformance.Streaming, Level: reporters.Must, Revisions: everyRevision(), Needs: needs(Streaming),
			Rule: rule("In 1.0 an event has exactly one of task, message, statusUpdate and artifactUpdate; before it, its kind says which "+
				"of the four it is.", spec10+"#323-stream-response"),
			Fix: "Send one event for each update, with the member names of the version that was asked for.",
		},
		Judge: func(t conformance.Trace) conformance.Judgement {
			return eachStream(t, func(x *exchange, items []item, carriers []answered, j *conformance.Judgement) {
				for i, it := range items {
					j.Exercised++
					if it.Problem != "" {
						x.found(j, carriers[i], "an event that is one of the four", it.Problem)
					}
				}
			})
		},
	}
}

func sameTask() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "a2a.streaming.same-task", Title: "All events of a stream are about one task, in one context",
			Area: conformance.Streaming, Level: reporters.Should, Revisions: everyRevision(), Needs: needs(Streaming),
			Rule: rule("A stream tells of one task: the taskId and contextId of its events are those of its first.", streamMessage),
			Fix:  "Take taskId and contextId of each event from the task, not from the message or the process that made the event.",
		},
		Judge: func(t conformance.Trace) conformance.Judgement {
			return eachStream(t, func(x *exchange, items []item, carriers []answered, j *conformance.Judgement) {
				first := items[0]
				for i, it := range items[1:] {
					if it.Problem != "" || first.Problem != "" {
						continue // oneMember's affair
					}
					j.Exercised++
					if it.TaskID != first.TaskID || it.ContextID != first.ContextID {
						x.found(j, carriers[i+1], "the task "+first.TaskID+" in the context "+first.ContextID, it.TaskID+" in "+it.ContextID)
					}
				}
			})
		},
	}
}

func nothingAfterEnd() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "a2a.streaming.nothing-after-end", Title: "Nothing follows the end of a task",
			Area: conformance.Streaming, Level: reporters.Must, Revisions: since10(), Needs: needs(Streaming),
			Rule: rule("The stream closes when the task is in a terminal state. A last snapshot of the Task in that state may be sent before.", streamMessage),
			Fix:  "Send artifacts before the terminal status, and nothing after it.",
		},
		Judge: func(t conformance.Trace) conformance.Judgement {
			return eachStream(t, func(x *exchange, items []item, carriers []answered, j *conformance.Judgement) {
				end := state("")
				for i, it := range items {
					snapshot := it.Kind == isTask && it.State == end
					if end != "" && !snapshot {
						x.found(j, carriers[i], "nothing after the state "+string(end), seen(it))
					}
					if it.State.terminal() && end == "" {
						j.Exercised++
						end = it.State
					}
				}
			})
		},
	}
}

func artifactChunks() conformance.Monitor {
	return conformance.Monitor{
		Meta: conformance.Meta{
			ID: "a2a.streaming.artifact-chunks", Title: "Chunks are appended to an artifact that was begun and is not complete",
			Area: conformance.Streaming, Level: reporters.Should, Revisions: everyRevision(), Needs: needs(Streaming),
			Rule: rule("append:true adds to an artifact that was sent before under the same artifactId; lastChunk:true is its last chunk.",
				spec10+"#422-taskartifactupdateevent"),
			Fix: "Send the first chunk of an artifact without append, and no chunk after the one with lastChunk.",
		},
		Judge: func(t conformance.Trace) conformance.Judgement {
			return eachStream(t, func(x *exchange, items []item, carriers []answered, j *conformance.Judgement) {
				if x.op != a2ahttp.SendStreamingMessage {
					return // a subscription may begin between two chunks
				}
				open := map[string]bool{} // artifactId to whether it takes more chunks
				for i, it := range items {
					if problem := chunkProblem(it, open, j); problem != "" {
						x.found(j, carriers[i], "a chunk of an artifact that takes one", problem)
					}
				}
			})
		},
	}
}

// chunkProblem follows the artifacts of a stream.
func chunkProblem(it item, open map[string]bool, j *conformance.Judgement) string {
	if it.Kind == isTask {
		for _, artifact := range list(it.Raw, "artifacts") {
			open[text(artifact, "artifactId")] = true
		}
	}
	if it.Kind != isArtifact {
		return ""
	}
	j.Exercised++
	id := text(wire.Get(it.Raw, "artifact"), "artifactId")
	appends, last := yes(it.Raw, "append"), yes(it.Raw, "lastChunk")
	more, begun := open[id]
	open[id] = !last
	switch {
	case appends && !begun:
		return "append:true for the artifact " + id + ", which was not begun"
	case appends && !more:
		return "append:true for the artifact " + id + ", whose last chunk was sent"
	}
	return ""
}

func yes(raw json.RawMessage, name string) bool { return string(wire.Get(raw, name)) == "true" }
