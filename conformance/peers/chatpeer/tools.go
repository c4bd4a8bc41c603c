package chatpeer

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/peerwright/peerwright/internal/errclass"
)

// listing is GET /v1/tools: two lists that page, a tool that needs an argument, one that
// never answers twice alike, one that fails, and one that changes something.
func listing() []any {
	text := object{"type": "string"}
	return []any{
		entry("shelf_of", "Tells on which shelf a book stands.", true, object{"book": text}, "book"),
		entry("list_books", "Lists the books, four a page.", true, object{"cursor": text, "author": text}),
		entry("list_members", "Lists the members, four a page.", true, object{"cursor": text}),
		entry("find_lost_book", "Finds nothing.", true, object{}),
		entry("visitors", "Counts the visitors; each call is one.", true, object{}),
		entry("lend_book", "Lends a book.", false, object{"book": text}, "book"),
	}
}

func entry(name, description string, reads bool, properties object, required ...string) object {
	schema := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return object{
		"type": "function", "function": object{"name": name, "description": description, "parameters": schema},
		"mcp": object{"server": "library", "name": name, "mutates": !reads, "annotations": object{"readOnlyHint": reads}},
	}
}

const pageOf, items = 4, 10

// result calls one tool.
func (p *Peer) result(name string, args object) (any, *errclass.Error) {
	bad := failure(errclass.InvalidArgs, "the arguments do not fit the schema")
	book, named := args["book"].(string)
	switch name {
	case "shelf_of", "lend_book":
		if named && len(args) == 1 {
			return object{"result": "shelf of " + book}, nil
		}
	case "visitors":
		if len(args) == 0 {
			return object{"result": object{"visitors": p.clock.Add(1)}}, nil
		}
	case "find_lost_book":
		if len(args) == 0 {
			lost := errclass.New(errclass.InvalidArgs, errclass.Upstream, errclass.Failed, fmt.Sprintf("search %d found nothing", p.clock.Add(1)), errclass.Call{})
			return nil, &lost
		}
	case "list_books":
		if texts(args, "cursor", "author") {
			return p.list(name, "book", args)
		}
	case "list_members":
		if texts(args, "cursor") {
			return p.list(name, "member", args)
		}
	default:
		none := failure(errclass.NotFound, "there is no such tool")
		return nil, &none
	}
	return nil, &bad
}

// texts tells whether the arguments are some of these, and texts.
func texts(args object, names ...string) bool {
	for name, value := range args {
		if _, ok := value.(string); !ok || !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

// list gives one page. Its cursor is bound to the tool and the other arguments.
func (p *Peer) list(name, item string, args object) (any, *errclass.Error) {
	author, _ := args["author"].(string)
	bound, from := name+"\x00"+author+"\x00", 0
	if cursor, ok := args["cursor"].(string); ok {
		raw, err := p.seal.Open("pwc1.", cursor)
		place, ours := strings.CutPrefix(string(raw), bound)
		if from, _ = strconv.Atoi(place); err != nil || !ours || from == 0 {
			bad := failure(errclass.InvalidArgs, "the cursor is not one of this bridge for this call")
			return nil, &bad
		}
	}
	data := []any{}
	for i := from; i < min(from+pageOf, items); i++ {
		data = append(data, object{item: fmt.Sprintf("%s %d", item, i)})
	}
	pagination := object{"has_more": false, "cursor": nil}
	if from+pageOf < items {
		pagination = object{"has_more": true, "cursor": p.seal.Seal("pwc1.", []byte(bound+strconv.Itoa(from+pageOf)))}
	}
	return object{"data": data, "pagination": pagination}, nil
}

// outcome is what came of one call.
type outcome struct {
	content  string
	failed   *errclass.Error
	code     string
	replayed bool
}

func (p *Peer) execute(c toolCall, key string) outcome {
	var args object
	if err := json.Unmarshal([]byte(c.Function.Arguments), &args); err != nil || args == nil {
		e := failure(errclass.InvalidArgs, "the arguments are no JSON object")
		return outcome{failed: &e, code: "invalid_args"}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	digest := c.Function.Name + text(args)
	if was, known := p.kept[key]; known && key != "" {
		if was.digest != digest {
			e := failure(errclass.Conflict, "the key was used with other arguments")
			return outcome{failed: &e, code: "idempotency_conflict"}
		}
		was.replayed = true
		return was.outcome
	}
	o := outcome{}
	result, failed := p.result(c.Function.Name, args)
	if failed != nil {
		o.failed, o.code = failed, string(failed.Class)
	} else {
		o.content = text(result)
	}
	if key != "" && (failed == nil || failed.Context.Outcome == errclass.Failed) {
		p.kept[key] = stored{digest, o}
	}
	return o
}

func (p *Peer) calls(w http.ResponseWriter, header string, q request, calls []toolCall) {
	var made, messages, told []any
	for i, c := range calls {
		key := c.Key
		if key == "" && header != "" {
			key = header
			if i > 0 {
				key += "#" + strconv.Itoa(i+1)
			}
		}
		o := p.execute(c, key)
		if o.replayed {
			w.Header().Set("X-Idempotency-Replayed", "true")
		}
		if o.failed != nil && len(calls) == 1 {
			fail(w, errclass.HTTPStatus(o.failed.Class), o.code, *o.failed)
			return
		}
		said := "ok"
		if o.failed != nil {
			o.content, said = text(envelope(o.code, *o.failed)), "error"
		}
		made = append(made, object{"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Function.Name, "arguments": o.content}})
		messages = append(messages, object{"role": "tool", "tool_call_id": c.ID, "content": o.content})
		told = append(told, object{"id": c.ID, "name": c.Function.Name, "outcome": said, "replayed": o.replayed})
	}
	message := object{"role": "assistant", "content": nil, "tool_calls": made}
	p.answer(w, q, message, "tool_calls", object{"tool_messages": messages, "peerwright": object{"calls": told}})
}
