package agent

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
)

// bare is a task as tasks/get has it, without a wrapper.
func (d dialect) bare(status object, artifacts ...object) object { return d.task(status, artifacts...) }

// TestFollow is about tasks that are not finished when the answer to the message ends
// (bug reports 28 and 52), and streams that break.
func TestFollow(t *testing.T) {
	for _, d := range dialects() {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			follow(t, d)
		})
	}
}

func follow(t *testing.T, d dialect) {
	answer := func(s string) object { return artifact("a", d.parts(s)) }
	working := d.statusEvent(d.status(Working, "note"), false)
	done := func(r request) { r.answer(d.bare(d.status(Completed), answer("The whole answer."))) }
	terminal := func(r request) {
		r.fail(-32004, http.StatusBadRequest, "UNSUPPORTED_OPERATION", "the task is over")
	}
	for _, test := range []struct {
		name      string
		streaming bool
		script    map[a2ahttp.Op]handler
		text      string
		notes     string
		subs      int // subscriptions that are made
		warned    string
	}{
		{
			name: "only submitted, then polled", text: "The whole answer.", notes: "note",
			script: map[a2ahttp.Op]handler{
				a2ahttp.SendMessage: func(r request) { r.answer(d.taskEvent(d.status(Submitted))) },
				a2ahttp.GetTask: func(r request) {
					if r.n < 3 {
						r.answer(d.bare(d.status(Working, "note")))
						return
					}
					done(r)
				},
			},
		},
		{
			name: "polled through failures that pass", text: "The whole answer.",
			script: map[a2ahttp.Op]handler{
				a2ahttp.SendMessage: func(r request) { r.answer(d.taskEvent(d.status(Submitted))) },
				a2ahttp.GetTask: func(r request) {
					switch r.n {
					case 0:
						r.w.Header().Set("Retry-After", "0")
						r.w.WriteHeader(http.StatusTooManyRequests)
					case 1:
						r.breakOff()
					default:
						done(r)
					}
				},
			},
		},
		{
			name: "a stream that ends while the task works", streaming: true, text: "The whole answer.", notes: "note", subs: 1,
			script: map[a2ahttp.Op]handler{
				a2ahttp.SendStreamingMessage: func(r request) { r.stream(d.taskEvent(d.status(Submitted)), working) },
				a2ahttp.SubscribeToTask:      terminal,
				a2ahttp.GetTask:              done,
			},
			warned: "could not be taken up again",
		},
		{
			name: "a stream that breaks, taken up again with the task", streaming: true, text: "The whole answer.", subs: 1,
			script: map[a2ahttp.Op]handler{
				a2ahttp.SendStreamingMessage: func(r request) {
					r.stream(d.chunkEvent(answer("The "), nil))
					r.breakOff()
				},
				a2ahttp.SubscribeToTask: func(r request) {
					r.stream(d.taskEvent(d.status(Working), answer("The whole")), d.chunkEvent(answer(" answer."), appends()),
						d.statusEvent(d.status(Completed), true))
				},
				a2ahttp.GetTask: done,
			},
		},
		{
			name: "taken up again without the task: what was missed is not lost", streaming: true, text: "The whole answer.", subs: 1,
			script: map[a2ahttp.Op]handler{
				a2ahttp.SendStreamingMessage: func(r request) {
					r.stream(d.chunkEvent(answer("The "), nil))
					r.breakOff()
				},
				a2ahttp.SubscribeToTask: func(r request) {
					r.stream(d.chunkEvent(answer(" answer."), appends()), d.statusEvent(d.status(Completed), true))
				},
				a2ahttp.GetTask: done,
			},
		},
		{
			name: "all is sent again from the start: nothing is told twice", streaming: true, text: "The whole answer.", subs: 1,
			script: map[a2ahttp.Op]handler{
				a2ahttp.SendStreamingMessage: func(r request) {
					r.stream(d.chunkEvent(answer("The "), nil), d.chunkEvent(answer("whole"), appends()))
					r.breakOff()
				},
				a2ahttp.SubscribeToTask: func(r request) {
					r.stream(d.taskEvent(d.status(Working)), d.chunkEvent(answer("The "), nil), d.chunkEvent(answer("whole"), appends()),
						d.chunkEvent(answer(" answer."), last()), d.statusEvent(d.status(Completed), true))
				},
				a2ahttp.GetTask: done,
			},
		},
		{
			name: "the subscription breaks too", streaming: true, text: "The whole answer.", subs: 1,
			script: map[a2ahttp.Op]handler{
				a2ahttp.SendStreamingMessage: func(r request) {
					r.stream(d.taskEvent(d.status(Working)))
					r.breakOff()
				},
				a2ahttp.SubscribeToTask: func(r request) {
					r.stream(d.taskEvent(d.status(Working)))
					r.breakOff()
				},
				a2ahttp.GetTask: done,
			},
			warned: "could not be taken up again",
		},
		{
			name: "the agent knows nothing of the task afterwards", streaming: true, text: "The whole answer.", subs: 1,
			script: map[a2ahttp.Op]handler{
				a2ahttp.SendStreamingMessage: func(r request) {
					r.stream(d.chunkEvent(answer("The "), nil))
					r.breakOff()
				},
				a2ahttp.SubscribeToTask: func(r request) {
					r.stream(d.chunkEvent(answer("whole answer."), appends()), d.statusEvent(d.status(Completed), true))
				},
				a2ahttp.GetTask: func(r request) { r.fail(-32001, http.StatusNotFound, "TASK_NOT_FOUND", "no such task") },
			},
			warned: "something may be missing",
		},
		{
			name: "final, and yet not over", streaming: true, text: "The whole answer.", notes: "note", subs: 1,
			script: map[a2ahttp.Op]handler{
				a2ahttp.SendStreamingMessage: func(r request) { r.stream(d.statusEvent(d.status(Working, "note"), true)) },
				a2ahttp.SubscribeToTask:      terminal,
				a2ahttp.GetTask:              done,
			},
		},
		{
			name: "one document for a stream", streaming: true, text: "The whole answer.", warned: "one document",
			script: map[a2ahttp.Op]handler{
				a2ahttp.SendStreamingMessage: func(r request) { r.answer(d.taskEvent(d.status(Completed), answer("The whole answer."))) },
			},
		},
		{
			name: "lines for a stream (bug report 51)", streaming: true, text: "The whole answer.",
			script: map[a2ahttp.Op]handler{
				a2ahttp.SendStreamingMessage: func(r request) {
					r.w.Header().Set("Content-Type", "application/x-ndjson")
					for _, e := range []object{d.chunkEvent(answer("The whole answer."), nil), d.statusEvent(d.status(Completed), true)} {
						_, _ = r.w.Write(append(r.frame(e), '\n'))
					}
				},
			},
		},
		{
			name: "the card promises a stream, and there is none", streaming: true, text: "The whole answer.", warned: "it does not",
			script: map[a2ahttp.Op]handler{
				a2ahttp.SendStreamingMessage: func(r request) {
					r.fail(-32004, http.StatusBadRequest, "UNSUPPORTED_OPERATION", "no streaming")
				},
				a2ahttp.SendMessage: func(r request) { r.answer(d.taskEvent(d.status(Completed), answer("The whole answer."))) },
			},
		},
		{
			name: "events that cannot be read, empty ones, comments, and an end like OpenAI's", streaming: true,
			text: "The whole answer.", warned: "cannot be read",
			script: map[a2ahttp.Op]handler{
				a2ahttp.SendStreamingMessage: func(r request) {
					r.stream()
					_, _ = io.WriteString(r.w, "id: 1\nretry: 3000\ndata: \n\n: keep-alive\r\n\r\ndata: {oops\n\ndata: {\"jsonrpc\":\"2.0\",\"result\":{}}\n\n")
					r.stream(d.chunkEvent(answer("The whole answer."), nil), d.statusEvent(d.status(Completed), false))
					_, _ = io.WriteString(r.w, "data: [DONE]\n\n")
				},
			},
		},
		{
			name: "an event in many lines", streaming: true, text: "The whole answer.",
			script: map[a2ahttp.Op]handler{
				a2ahttp.SendStreamingMessage: func(r request) {
					r.stream()
					var pretty strings.Builder
					indented(&pretty, r.frame(d.chunkEvent(answer("The whole answer."), nil)))
					_, _ = io.WriteString(r.w, "data: "+strings.ReplaceAll(pretty.String(), "\n", "\r\ndata:")+"\r\n\r\n")
					r.stream(d.statusEvent(d.status(Completed), true))
				},
			},
		},
		{
			name: "a stream that stays open after the end", streaming: true, text: "The whole answer.",
			script: map[a2ahttp.Op]handler{
				a2ahttp.SendStreamingMessage: func(r request) {
					r.stream(d.chunkEvent(answer("The whole answer."), nil), d.statusEvent(d.status(Completed), false))
					<-r.done
				},
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t, d, test.streaming, test.script)
			h := send(t, s.agent(t), hello())
			if h.err != nil {
				t.Fatalf("%v (%s)", h.err, h.outcome.Detail)
			}
			if h.text() != test.text || h.answer() != test.text || h.outcome.State != Completed {
				t.Errorf("told %q, answer %q, state %s; want %q", h.text(), h.answer(), h.outcome.State, test.text)
			}
			if h.notes() != test.notes {
				t.Errorf("notes %q, want %q", h.notes(), test.notes)
			}
			if n := len(s.calls(a2ahttp.SubscribeToTask)); n != test.subs {
				t.Errorf("%d subscriptions, want %d", n, test.subs)
			}
			if n := len(s.calls(a2ahttp.SendStreamingMessage)) + len(s.calls(a2ahttp.SendMessage)); n != 1 && test.warned != "it does not" {
				t.Errorf("the message was sent %d times", n)
			}
			if warnings := strings.Join(h.outcome.Warnings, "; "); !strings.Contains(warnings, test.warned) {
				t.Errorf("warnings %q lack %q", warnings, test.warned)
			}
		})
	}
}

func indented(w io.Writer, raw []byte) {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		panic(err)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	_ = e.Encode(v)
}

// TestGoesOn is a second turn of a task: what the first one told is not told again.
func TestGoesOn(t *testing.T) {
	for _, d := range dialects() {
		for _, streaming := range []bool{false, true} {
			before := d.task(d.status(InputRequired, "Which size?"), artifact("a", d.parts("The menu.")))
			after := []object{artifact("a", d.parts("The menu.")), artifact("b", d.parts("A large one."))}
			s := serve(t, d, streaming, map[a2ahttp.Op]handler{
				a2ahttp.GetTask: func(r request) { r.answer(before) },
				a2ahttp.SendStreamingMessage: func(r request) {
					r.stream(d.wrap("task", before), d.statusEvent(d.status(Working), false), d.chunkEvent(after[1], nil),
						d.statusEvent(d.status(InputRequired, "Which size?", "!"), true))
				},
				a2ahttp.SendMessage: func(r request) { r.answer(d.taskEvent(d.status(InputRequired, "Which size?", "!"), after...)) },
			})
			m := hello()
			m.ContextID, m.TaskID = "ctx", "task"
			h := send(t, s.agent(t), m)
			if want := "A large one.\n\nWhich size?!"; h.err != nil || h.text() != want || h.answer() != want {
				t.Errorf("%s, streaming %v: told %q, answer %q, error %v", d, streaming, h.text(), h.answer(), h.err)
			}
			for _, u := range h.updates {
				if u.Kind == Begun {
					t.Errorf("ids that are not new were told: %+v", u)
				}
			}
		}
	}
}
