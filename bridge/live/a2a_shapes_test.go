package live_test

import (
	"net/http"
	"strings"
)

// shape is a way in which an agent answers, and what the user is to see of it. The
// first of them are those that a2a-bridge recorded from live agents; the others are what
// A2A allows beside them.
type shape struct {
	name   string // the first word of the message
	answer func(w http.ResponseWriter, h heard)
	block  string // what is right, of message/send
	stream string // of message/stream
	// blockGap and streamGap say why a2a-bridge shows something else; "" where it shows
	// the same.
	blockGap, streamGap string
	// onceGap is why it does where the client does not stream and the agent does: ours
	// calls message/stream then too.
	onceGap string
}

// either answers with a task, or with the events.
func either(task func(heard) object, events func(heard) []object) func(http.ResponseWriter, heard) {
	return func(w http.ResponseWriter, h heard) {
		if h.stream {
			h.events(w, events(h)...)
			return
		}
		h.result(w, task(h))
	}
}

// answers completes its task with artifacts, each of them one event of a stream.
func answers(artifacts ...object) func(http.ResponseWriter, heard) {
	return either(
		func(h heard) object { return h.task(state("completed"), artifacts...) },
		func(h heard) []object {
			var events []object
			for _, a := range artifacts {
				events = append(events, h.artifact(a))
			}
			return append(events, h.status(state("completed")))
		})
}

// ends leaves its task in a state, after artifacts.
func ends(status object, artifacts ...object) func(http.ResponseWriter, heard) {
	return either(
		func(h heard) object { return h.task(status, artifacts...) },
		func(h heard) []object {
			var events []object
			for _, a := range artifacts {
				events = append(events, h.artifact(a))
			}
			return append(events, h.status(status))
		})
}

// refuses answers with a bare HTTP status, and headers in pairs.
func refuses(status int, head ...string) func(http.ResponseWriter, heard) {
	return func(w http.ResponseWriter, _ heard) {
		for i := 0; i+1 < len(head); i += 2 {
			w.Header().Set(head[i], head[i+1])
		}
		w.WriteHeader(status)
	}
}

// saying answers with the text that a function makes of the message.
func saying(text func(heard) string) func(http.ResponseWriter, heard) {
	return func(w http.ResponseWriter, h heard) { answers(artifact("a", text(h)))(w, h) }
}

// Why a2a-bridge shows something else.
const (
	gapWords    = "the failure is told in other words: ours name the agent"
	gapStatus   = "it reads no text of the status"
	gapMessage  = "it knows no answer that is a message"
	gapFinal    = "it reads nothing of the last event of a stream"
	gapFailed   = "what failed looks like an answer"
	gapJoin     = "it joins artifacts in an answer as a whole only"
	gapParts    = "it drops what is no text"
	gapPoll     = "it does not wait for a task that is not done"
	gapCut      = "a stream that broke looks like one that ended"
	gapOnce     = "it calls message/send where the client does not stream, and so does not meet what broke"
	gapDocument = "it reads no document in place of a stream"
	gapEvents   = "it reads neither tasks nor messages in a stream"
	gapLines    = "it does not join the lines of an event"
	gapStopped  = "what was refused before it began is told as if it had stopped midway"
	gapDate     = "it does not read a date in Retry-After"
)

// shapes are those of answers, and then those of failures.
func shapes() []shape { return append(append(recorded(), wider()...), failures()...) }

// recorded are the shapes of the recordings in a2a-bridge.
func recorded() []shape {
	const gate, blocks = "This answer is for subscribers. [Subscribe](https://example.org/join)", "[FIRST DESK]\n\nOne.\n\n[SECOND DESK]\n\nTwo."
	return []shape{
		{name: "gate", answer: answers(artifact("a", gate)), block: gate, stream: gate},
		{name: "desks", answer: answers(artifact("a", blocks)), block: blocks, stream: blocks},
		{
			name: "fragments", answer: answers(artifact("a", "[", "THE X]\n\n…", " need", "")),
			block: "[THE X]\n\n… need", stream: "[THE X]\n\n… need",
		},
		{
			name: "notes", answer: either(
				func(h heard) object { return h.task(state("completed"), artifact("a", "Found it.")) },
				func(h heard) []object {
					return []object{
						h.status(state("working", "Searching…")), h.status(state("working", "Reading…")),
						h.artifact(artifact("a", "Found it.")), h.status(state("completed")),
					}
				}),
			block: "Found it.", stream: "_Searching…_\n_Reading…_\n\nFound it.",
		},
		{name: "asks", answer: ends(state("input-required"), artifact("a", "Which one?")), block: "Which one?", stream: "Which one?"},
		{
			name: "echo", answer: saying(func(h heard) string { return h.text }),
			block: "echo", stream: "echo",
		},
		{
			name: "markdown", answer: answers(artifact("a", "# T\n\n- *a*\r\n- `b`\n\n```go\nx := \"👩‍👩‍👧‍👦\"\n```\n  ")),
			block: "# T\n\n- *a*\r\n- `b`\n\n```go\nx := \"👩‍👩‍👧‍👦\"\n```\n  ", stream: "# T\n\n- *a*\r\n- `b`\n\n```go\nx := \"👩‍👩‍👧‍👦\"\n```\n  ",
		},
		{name: "nothing", answer: ends(state("completed"))},
		{
			name: "chunks", answer: either(
				func(h heard) object { return h.task(state("completed"), artifact("a", "One answer", " in pieces.")) },
				func(h heard) []object {
					return []object{
						h.artifact(artifact("a", "One answer")), h.artifact(artifact("a", " in pieces."), object{"append": true, "lastChunk": true}),
						h.status(state("completed")),
					}
				}),
			block: "One answer in pieces.", stream: "One answer in pieces.",
		},
	}
}

// wider are answers that A2A allows and a2a-bridge does not know.
func wider() []shape {
	data := object{"artifactId": "a", "parts": []object{{"kind": "data", "data": object{"n": 1}}, {"kind": "text", "text": "There."}}}
	return []shape{
		{
			name: "artifacts", answer: answers(artifact("a", "First."), artifact("b", "Second.")),
			block: "First.\n\nSecond.", stream: "First.\n\nSecond.", streamGap: gapJoin,
		},
		{
			name: "question", answer: ends(state("input-required", "Which one?")),
			block: "Which one?", stream: "Which one?", blockGap: gapStatus, streamGap: gapFinal,
		},
		{
			name: "message", answer: func(w http.ResponseWriter, h heard) {
				m := object{"kind": "message", "role": "agent", "messageId": "m1", "contextId": h.context, "parts": texts("Just ", "this.")}
				either(func(heard) object { return m }, func(heard) []object { return []object{m} })(w, h)
			},
			block: "Just this.", stream: "Just this.", blockGap: gapMessage, streamGap: gapEvents,
		},
		{
			name: "whole", answer: either(
				func(h heard) object { return h.task(state("completed"), artifact("a", "All at once.")) },
				func(h heard) []object { return []object{h.task(state("completed"), artifact("a", "All at once."))} }),
			block: "All at once.", stream: "All at once.", streamGap: gapEvents,
		},
		{
			name: "data", answer: answers(data), block: "```json\n{\"n\":1}\n```\n\nThere.", stream: "```json\n{\"n\":1}\n```\n\nThere.",
			blockGap: gapParts, streamGap: gapParts,
		},
		{
			name: "soon", answer: func(w http.ResponseWriter, h heard) {
				t := h.task(state("submitted"))
				t["id"] = "soon-" + h.context
				either(func(heard) object { return t }, func(heard) []object { return []object{t} })(w, h)
			},
			block: "Done by now.", stream: "Done by now.", blockGap: gapPoll, streamGap: gapPoll,
		},
		{
			name: "lines", answer: func(w http.ResponseWriter, h heard) {
				if !h.stream {
					h.result(w, h.task(state("completed"), artifact("a", "Several lines.")))
					return
				}
				h.events(w)
				_, _ = w.Write([]byte("data: {\"jsonrpc\":\"2.0\",\"id\":" + string(h.id) + ",\ndata: \"result\":{\"kind\":\"artifact-update\",\"taskId\":\"task\",\"contextId\":\"" +
					h.context + "\",\ndata: \"artifact\":{\"artifactId\":\"a\",\"parts\":[{\"kind\":\"text\",\"text\":\"Several lines.\"}]}}}\n\n"))
				h.events(w, h.status(state("completed")))
			},
			block: "Several lines.", stream: "Several lines.", streamGap: gapLines,
		},
	}
}

// failures are told in the chat, below what was said.
func failures() []shape {
	invalid := object{"code": -32602, "message": "Invalid parameters", "data": []object{{"loc": []string{"params", "message", "parts"}, "type": "missing"}}}
	return []shape{
		{
			name: "failed", answer: ends(state("failed", "The archive is closed.")),
			block: "The agent NAME could not answer (The archive is closed.).", stream: "The agent NAME could not answer (The archive is closed.).",
			blockGap: gapStatus, streamGap: gapFailed,
		},
		{
			name: "half", answer: ends(state("failed", "It broke."), artifact("a", "Half an answer")),
			block: "Half an answer\n\nThe agent NAME could not answer (It broke.).", stream: "Half an answer\n\nThe agent NAME could not answer (It broke.).",
			blockGap: gapFailed, streamGap: gapFailed,
		},
		{
			name: "nomethod", answer: func(w http.ResponseWriter, h heard) { h.fail(w, -32601, "Method not found") },
			block: "The agent NAME could not answer (Method not found).", stream: "The agent NAME could not answer (Method not found).",
			blockGap: gapWords, streamGap: gapDocument,
		},
		{
			name: "invalid", answer: func(w http.ResponseWriter, h heard) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(strings.NewReplacer("ID", string(h.id), "ERROR", marshalled(invalid)).Replace(`{"error":ERROR,"id":ID,"jsonrpc":"2.0"}`)))
			},
			block: "The agent NAME could not answer (Invalid parameters).", stream: "The agent NAME could not answer (Invalid parameters).",
			blockGap: gapWords, streamGap: gapDocument,
		},
		{
			name: "cut", answer: either(
				func(h heard) object { return h.task(state("completed"), artifact("a", "Whole.")) },
				func(h heard) []object { return []object{h.artifact(artifact("a", "Half"))} }),
			block: "Whole.", stream: "Half\n\nThe agent NAME stopped mid-answer (", streamGap: gapCut,
			onceGap: gapOnce,
		},
		{
			name: "busy", answer: refuses(http.StatusTooManyRequests, "Retry-After", "2"),
			block: "The agent NAME is rate limiting requests. Try again in about 2s.", stream: "The agent NAME is rate limiting requests. Try again in about 2s.",
			blockGap: gapWords, streamGap: gapWords,
		},
		{
			name: "busydate", answer: refuses(http.StatusTooManyRequests, "Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT"),
			block: "The agent NAME is rate limiting requests. Try again later.", stream: "The agent NAME is rate limiting requests. Try again later.",
			blockGap: gapDate, streamGap: gapDate,
		},
		{
			name: "large", answer: refuses(http.StatusRequestEntityTooLarge),
			block: "This message is too large for the agent NAME. Send a shorter one.", stream: "This message is too large for the agent NAME. Send a shorter one.",
			blockGap: gapWords, streamGap: gapStopped,
		},
		{
			name: "slash", answer: refuses(http.StatusTemporaryRedirect, "Location", "/elsewhere/"),
			block: "The agent NAME is not configured rightly: ", stream: "The agent NAME is not configured rightly: ",
			blockGap: gapWords, streamGap: gapStopped,
		},
		{
			name: "down", answer: refuses(http.StatusServiceUnavailable),
			block: "The agent NAME is unavailable: it answered with HTTP status 503. Try again later.", stream: "The agent NAME is unavailable: it answered with HTTP status 503. Try again later.",
			blockGap: gapWords, streamGap: gapStopped,
		},
	}
}
