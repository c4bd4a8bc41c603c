package agent

import (
	"testing"

	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
)

// shape is what an agent answers, and what a user has to be told.
type shape struct {
	name   string
	events func(d dialect) []object // the last one is the answer of a call without a stream
	text   string
	notes  string
	state  State
	status string
	only   func(d dialect) bool // nil: every dialect has it
}

func last() object    { return object{"append": true, "lastChunk": true} }
func appends() object { return object{"append": true} }
func more() object    { return object{"lastChunk": false} }

func shapes() []shape {
	return []shape{
		{
			name: "one artifact in one event, then the end", text: "The answer.", state: Completed,
			events: func(d dialect) []object {
				return []object{
					d.chunkEvent(artifact("a", d.parts("The answer.")), nil),
					d.statusEvent(d.status(Completed), true),
				}
			},
		},
		{
			name: "notes before the answer", text: "The answer.", notes: "Looking…|Reading…", state: Completed,
			events: func(d dialect) []object {
				return []object{
					d.taskEvent(d.status(Submitted)),
					d.statusEvent(d.status(Working, "Looking…"), false),
					d.statusEvent(d.status(Working, "Reading…"), false),
					d.statusEvent(d.status(Working, "Reading…"), false),
					d.chunkEvent(artifact("a", d.parts("The answer.")), nil),
					d.statusEvent(d.status(Completed), true),
				}
			},
		},
		{
			name: "an artifact split into many parts", text: "[THE X]\n\nYou need", state: Completed,
			events: func(d dialect) []object {
				return []object{
					d.chunkEvent(artifact("a", d.parts("[", "THE X]\n\nYou", " need", "")), nil),
					d.statusEvent(d.status(Completed), true),
				}
			},
		},
		{
			name: "chunks are told once (bug report 29)", text: "Hello, big, wide world!", state: Completed,
			events: func(d dialect) []object {
				return []object{
					d.chunkEvent(artifact("a", d.parts("Hello, ")), object{"append": false}),
					d.chunkEvent(artifact("a", d.parts("big, ")), appends()),
					d.chunkEvent(artifact("a", d.parts("wide ")), appends()),
					d.chunkEvent(artifact("a", d.parts("world!")), last()),
					d.statusEvent(d.status(Completed), true),
				}
			},
		},
		{
			name: "a task at the end repeats nothing and loses nothing", text: "Hello, world!\n\nsecond", state: Completed,
			events: func(d dialect) []object {
				return []object{
					d.chunkEvent(artifact("a", d.parts("Hello, ")), nil),
					d.taskEvent(d.status(Completed), artifact("a", d.parts("Hello, world!")), artifact("b", d.parts("second"))),
				}
			},
		},
		{
			name: "the whole text so far, each time", text: "one two three", state: Completed,
			events: func(d dialect) []object {
				return []object{
					d.chunkEvent(artifact("a", d.parts("one")), nil),
					d.chunkEvent(artifact("a", d.parts("one two")), nil),
					d.chunkEvent(artifact("a", d.parts("one two three")), object{"lastChunk": true}),
					d.statusEvent(d.status(Completed), true),
				}
			},
		},
		{
			name: "an artifact that is replaced", text: "draft\n\n<replaced>\n\nfinal", state: Completed,
			events: func(d dialect) []object {
				return []object{
					d.chunkEvent(artifact("a", d.parts("draft")), nil),
					d.chunkEvent(artifact("a", d.parts("final")), nil),
					d.statusEvent(d.status(Completed), true),
				}
			},
		},
		{
			name: "an artifact that is replaced by its beginning", text: "draft\n\n<replaced>\n\ndra", state: Completed,
			events: func(d dialect) []object {
				return []object{
					d.chunkEvent(artifact("a", d.parts("draft")), nil),
					d.chunkEvent(artifact("a", d.parts("dra")), nil),
					d.statusEvent(d.status(Completed), true),
				}
			},
		},
		{
			name: "an empty last chunk wipes nothing", text: "all of it", state: Completed,
			events: func(d dialect) []object {
				return []object{
					d.chunkEvent(artifact("a", d.parts("all of it")), nil),
					d.chunkEvent(artifact("a", d.parts("")), object{"lastChunk": true}),
					d.statusEvent(d.status(Completed), true),
				}
			},
		},
		{
			name: "a task that is a moment old takes nothing back", text: "Hello, world!", state: Completed,
			events: func(d dialect) []object {
				return []object{
					d.chunkEvent(artifact("a", d.parts("Hello, ")), nil),
					d.chunkEvent(artifact("a", d.parts("world")), appends()),
					d.taskEvent(d.status(Working), artifact("a", d.parts("Hello, "))),
					d.chunkEvent(artifact("a", d.parts("!")), last()),
					d.statusEvent(d.status(Completed), true),
				}
			},
		},
		{
			name: "a message that is sent twice", text: "Hello, you.", state: Answered,
			events: func(d dialect) []object {
				return []object{d.messageEvent("m", "Hello, you."), d.messageEvent("m", "Hello, you.")}
			},
		},
		{
			name: "two artifacts", text: "first\n\nsecond", state: Completed,
			events: func(d dialect) []object {
				return []object{
					d.chunkEvent(artifact("a", d.parts("first")), nil),
					d.chunkEvent(artifact("b", d.parts("sec")), nil),
					d.chunkEvent(artifact("b", d.parts("ond")), appends()),
					d.statusEvent(d.status(Completed), true),
				}
			},
		},
		{
			name: "two artifacts at once, which are not torn apart", text: "first one\n\nsecond one", state: Completed,
			events: func(d dialect) []object {
				return []object{
					d.chunkEvent(artifact("a", d.parts("first ")), more()),
					d.chunkEvent(artifact("b", d.parts("second ")), more()),
					d.chunkEvent(artifact("a", d.parts("one")), last()),
					d.chunkEvent(artifact("b", d.parts("one")), last()),
					d.statusEvent(d.status(Completed), true),
				}
			},
		},
		{
			name: "an artifact that was to go on and did not", text: "first\n\nsecond", state: Completed,
			events: func(d dialect) []object {
				return []object{
					d.chunkEvent(artifact("a", d.parts("first")), more()),
					d.chunkEvent(artifact("b", d.parts("second")), nil),
					d.statusEvent(d.status(Completed), true),
				}
			},
		},
		{
			name: "a message in place of a task", text: "Hello, you.", state: Answered,
			events: func(d dialect) []object { return []object{d.messageEvent("m", "Hello, ", "you.")} },
		},
		{
			name: "what is said with the last status", text: "The answer.\n\nAsk again.", state: Completed, status: "Ask again.",
			events: func(d dialect) []object {
				return []object{d.taskEvent(d.status(Completed, "Ask again."), artifact("a", d.parts("The answer.")))}
			},
		},
		{
			name: "the last status says what the artifact has said", text: "The answer.", state: Completed, status: "The answer.",
			events: func(d dialect) []object {
				return []object{
					d.chunkEvent(artifact("a", d.parts("The answer.")), nil),
					d.statusEvent(d.status(Completed, "The answer."), true),
				}
			},
		},
		{
			name: "the agent asks", text: "Which size?", state: InputRequired, status: "Which size?",
			events: func(d dialect) []object {
				return []object{
					d.taskEvent(d.status(Submitted)),
					d.statusEvent(d.status(InputRequired, "Which ", "size?"), true),
				}
			},
		},
		{
			name: "the agent wants the user to sign in", text: "Sign in at https://x.example", state: AuthRequired, status: "Sign in at https://x.example",
			events: func(d dialect) []object {
				return []object{d.taskEvent(d.status(AuthRequired, "Sign in at https://x.example"))}
			},
		},
		{
			name: "a failure with its reason", state: Failed, status: "The oven is cold.",
			events: func(d dialect) []object {
				return []object{d.taskEvent(d.status(Failed, "The oven is cold."))}
			},
		},
		{
			name: "a failure after half an answer", text: "Half an", state: Failed, status: "The oven is cold.",
			events: func(d dialect) []object {
				return []object{
					d.chunkEvent(artifact("a", d.parts("Half an")), nil),
					d.statusEvent(d.status(Failed, "The oven is cold."), true),
				}
			},
		},
		{
			name: "a rejection", state: Rejected, status: "No.",
			events: func(d dialect) []object { return []object{d.taskEvent(d.status(Rejected, "No."))} },
		},
		{
			name: "a cancellation", state: Canceled,
			events: func(d dialect) []object { return []object{d.taskEvent(d.status(Canceled))} },
		},
		{
			name: "an unknown state", state: Unknown, only: func(d dialect) bool { return !d.now() && !d.proto() },
			events: func(d dialect) []object { return []object{d.taskEvent(d.status(Unknown))} },
		},
		{
			name: "labels and markdown as they are", state: Completed,
			text: "[CHEF]\r\n\r\n```go\nfunc main() {\n\t// <b>&amp;\n}\n```\n\n| a | b |\n|---|---|\n👩‍🍳 é \u2028 \\n",
			events: func(d dialect) []object {
				return []object{d.taskEvent(d.status(Completed), artifact("a", d.parts(
					"[CHEF]\r\n\r\n```go\nfunc main() {\n\t// <b>&amp;\n}\n```\n\n| a | b |\n|---|---|\n👩‍🍳 é \u2028 \\n")))}
			},
		},
		{
			name: "data and files among text", state: Completed,
			text: `before<data {"n":9007199254740993,"m":1.0}><file {Name:p.png MediaType:image/png URI:https://x.example/p.png Base64:}>` +
				`<file {Name:q MediaType:text/csv URI: Base64:YSxi}>after`,
			events: func(d dialect) []object {
				return []object{
					d.chunkEvent(artifact("a", []object{
						d.text("before"), d.data(`{"n":9007199254740993,"m":1.0}`),
						d.file("p.png", "image/png", "https://x.example/p.png", ""), d.file("q", "text/csv", "", "YSxi"), d.text("after"),
					}), nil),
					d.statusEvent(d.status(Completed), true),
				}
			},
		},
		{
			name: "data that is no object", text: `<data [1,null]>`, state: Completed, only: dialect.now,
			events: func(d dialect) []object {
				return []object{d.taskEvent(d.status(Completed), artifact("a", []object{d.data(`[1,null]`)}))}
			},
		},
		{
			name: "a part of no known kind is kept", text: `<data {"video":1}>`, state: Completed,
			events: func(d dialect) []object {
				return []object{d.taskEvent(d.status(Completed), artifact("a", []object{{"video": 1}}))}
			},
		},
	}
}

// TestShapes has every dialect say every shape as a stream, and those that are one
// answer also without one.
func TestShapes(t *testing.T) {
	for _, d := range dialects() {
		for _, s := range shapes() {
			if s.only != nil && !s.only(d) {
				continue
			}
			events := s.events(d)
			t.Run(d.String()+"/stream/"+s.name, func(t *testing.T) {
				a := serve(t, d, true, map[a2ahttp.Op]handler{
					a2ahttp.SendStreamingMessage: func(r request) { r.stream(events...) },
				})
				s.check(t, send(t, a.agent(t), hello()))
			})
			if len(events) == 1 {
				t.Run(d.String()+"/call/"+s.name, func(t *testing.T) {
					a := serve(t, d, false, map[a2ahttp.Op]handler{
						a2ahttp.SendMessage: func(r request) { r.answer(events[0]) },
					})
					s.check(t, send(t, a.agent(t), hello()))
				})
			}
		}
	}
}

func (s shape) check(t *testing.T, h heard) {
	t.Helper()
	if h.err != nil {
		t.Fatalf("%v (%s)", h.err, h.outcome.Detail)
	}
	if got := h.text(); got != s.text {
		t.Errorf("told %q, want %q", got, s.text)
	}
	if got := h.notes(); got != s.notes {
		t.Errorf("notes %q, want %q", got, s.notes)
	}
	if h.outcome.State != s.state || h.outcome.StatusText() != s.status {
		t.Errorf("ended as %s %q, want %s %q", h.outcome.State, h.outcome.StatusText(), s.state, s.status)
	}
	if h.outcome.ContextID != "ctx" || s.state != Answered && h.outcome.TaskID != "task" {
		t.Errorf("context %q, task %q", h.outcome.ContextID, h.outcome.TaskID)
	}
	if h.updates[0].Kind != Begun {
		t.Errorf("the first update is %+v", h.updates[0])
	}
	_, failed := h.outcome.Failure()
	if want := s.state.failed() || s.state == Unknown; failed != want {
		t.Errorf("failure %v, want %v", failed, want)
	}
}
