package chat

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// completionCases judge one answer that is no stream.
func completionCases() []conformance.Case {
	return []conformance.Case{completionType(), completionDocument(), completionMessage(), completionFinish(), finishWords(), completionUsage()}
}

func completionType() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Schema, "media-type", "A completion is application/json", reporters.Should, needs(Completions),
			"A completion that was not asked for as a stream is one JSON document, and its Content-Type says so.", createURL,
			"Send Content-Type: application/json."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			a := s.completed(ctx, c, false)
			c.That(transport.MediaType(a.header) == "application/json", "application/json", "%q", a.header.Get("Content-Type"))
		}),
	}
}

func completionDocument() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Schema, "completion", "A completion has the members of one", reporters.Must, needs(Completions),
			`A completion has object "chat.completion", an id, created in whole Unix seconds, a model, and choices.`, createURL,
			"Write every one of these members, created as an integer."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			a := s.completed(ctx, c, false)
			fault := memberFault(a.body, "chat.completion")
			c.That(fault == "", "the members of a completion", "%s in %s", fault, clip(string(a.body)))
			c.That(len(elements(a.at("choices"))) > 0, "at least one choice", "%s", clip(string(a.body)))
		}),
	}
}

// memberFault says which member of a completion, or of a chunk of one, is not as it
// should be; "" when all are.
func memberFault(raw json.RawMessage, object string) string {
	if said, _ := wire.Text(at(raw, "object")); said != object {
		return "object " + strconv.Quote(said)
	}
	for name, want := range map[string]string{"id": "string", "created": "integer", "model": "string", "choices": "array"} {
		if got := kind(at(raw, name)); got != want {
			return name + " is " + got + ", not " + want
		}
	}
	return ""
}

func completionMessage() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Schema, "message", "Each choice has an index and an assistant's message", reporters.Must, needs(Completions),
			"A choice has its index and a message of role assistant, whose content is text or null, and whose tool_calls have id, type and a function with name and arguments, both text. Content in parts, which some models give, is accepted.", createURL,
			"Write arguments as JSON text, not as an object."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			for _, choice := range elements(s.completed(ctx, c, false).at("choices")) {
				message := at(choice, "message")
				c.That(kind(at(choice, "index")) == "integer", "an index", "%s", clip(string(choice)))
				c.That(string(at(message, "role")) == `"assistant"`, "role assistant", "%s", clip(string(choice)))
				c.That(slices.Contains([]string{"string", "null", "nothing", "array"}, kind(at(message, "content"))), "content that is text, null or a list of parts", "%s", clip(string(choice)))
				for _, called := range elements(at(message, "tool_calls")) {
					c.That(wholeCall(called), "tool_calls with id, type and a function of name and arguments", "%s", clip(string(called)))
				}
			}
		}),
	}
}

// wholeCall tells whether a tool call has its members. A type other than function has
// others, which the reference leaves open.
func wholeCall(raw json.RawMessage) bool {
	if kind(at(raw, "id")) != "string" || kind(at(raw, "type")) != "string" {
		return false
	}
	return string(at(raw, "type")) != `"function"` ||
		kind(at(raw, "function", "name")) == "string" && kind(at(raw, "function", "arguments")) == "string"
}

// reasons are why an answer may end.
func reasons() []string {
	return []string{"stop", "length", "tool_calls", "content_filter", "function_call"}
}

func completionFinish() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Schema, "finish-reason", "Each choice says why it ended", reporters.Must, needs(Completions),
			"A choice of a completion has finish_reason, and it is text: by it a client tells an answer that is whole from one that was cut off.", createURL,
			"Write finish_reason in every choice, stop where the model simply ended."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			for _, choice := range elements(s.completed(ctx, c, false).at("choices")) {
				said, _ := wire.Text(at(choice, "finish_reason"))
				c.That(said != "", "a finish_reason that is text", "%s", clip(string(choice)))
			}
		}),
	}
}

func finishWords() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Schema, "finish-words", "Why a choice ended is said in a word of the reference", reporters.Should, needs(Completions),
			"finish_reason is one of "+strings.Join(reasons(), ", ")+". Clients with closed types fail on other words.", createURL,
			"Map what your model says to these words."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			for _, choice := range elements(s.completed(ctx, c, false).at("choices")) {
				said, _ := wire.Text(at(choice, "finish_reason"))
				c.That(said == "" || slices.Contains(reasons(), said), "one of "+strings.Join(reasons(), ", "), "%s", clip(string(choice)))
			}
		}),
	}
}

func completionUsage() conformance.Case {
	return conformance.Case{
		Meta: about(conformance.Schema, "usage", "Usage counts add up", reporters.Should, needs(Completions),
			"Where there is usage, it has prompt_tokens, completion_tokens and their sum total_tokens.", createURL,
			"Write all three numbers, or leave usage out."),
		Run: on(func(ctx context.Context, c *conformance.Check, s *Session) {
			usage := s.completed(ctx, c, false).at("usage")
			if kind(usage) != "object" {
				c.NotVerified("the peer counts no tokens")
			}
			fault := usageFault(usage)
			c.That(fault == "", "three counts that add up", "%s", fault)
		}),
	}
}

func usageFault(usage json.RawMessage) string {
	count := func(name string) (n int64) {
		n, err := strconv.ParseInt(string(at(usage, name)), 10, 64)
		if err != nil || n < 0 {
			return -1
		}
		return n
	}
	prompt, completion, total := count("prompt_tokens"), count("completion_tokens"), count("total_tokens")
	if prompt < 0 || completion < 0 || total != prompt+completion {
		return string(usage)
	}
	return ""
}
