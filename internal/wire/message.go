package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Kind says what a message is by the members it has, not by whether it is well
// formed: see Message.Problems for that.
type Kind string

// The kinds of message.
const (
	KindRequest      Kind = "request"      // method and id
	KindNotification Kind = "notification" // method without id
	KindResult       Kind = "result"       // a response that succeeded
	KindError        Kind = "error"        // a response that failed
	KindBatch        Kind = "batch"        // an array of messages
	KindInvalid      Kind = "invalid"      // none of these; Problems says why
)

// Message is one JSON-RPC message: the bytes as received, and a view of them.
//
// https://www.jsonrpc.org/specification
type Message struct {
	Raw      []byte // exactly what was received, without the framing
	Kind     Kind
	ID       ID
	Method   string
	Params   json.RawMessage // nil when absent
	Result   json.RawMessage // nil when absent
	Error    *Error          // nil when absent
	Batch    []Message       // the messages of a batch
	Problems []string        // what JSON-RPC 2.0 forbids and the message does
}

// Error is the error member of a response.
type Error struct {
	Code    int64
	Message string
	Data    json.RawMessage // nil when absent
	Raw     json.RawMessage // the error member itself
}

// Error implements the error interface with the code and the peer's own text.
func (e *Error) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

// IsResponse tells whether the message answers a request.
func (m Message) IsResponse() bool { return m.Kind == KindResult || m.Kind == KindError }

// Parse reads raw as a JSON-RPC message. It never fails: what is not JSON, or not
// a message, is a Message of KindInvalid with its Problems. Raw is kept, not copied.
func Parse(raw []byte) Message {
	m := Message{Raw: raw, Kind: KindInvalid}
	if !utf8.Valid(raw) {
		m.Problems = append(m.Problems, "not valid UTF-8")
	}
	body := bytes.TrimSpace(raw)
	switch {
	case !Valid(body):
		m.Problems = append(m.Problems, "not valid JSON")
	case body[0] == '[':
		m.parseBatch(body)
	case body[0] == '{':
		m.parseObject(body)
	default:
		m.Problems = append(m.Problems, "neither a JSON object nor an array")
	}
	return m
}

func (m *Message) parseBatch(body []byte) {
	m.Kind = KindBatch
	var items []json.RawMessage
	if err := json.Unmarshal(body, &items); err != nil {
		m.problem("a batch that cannot be read: %v", err)
		return
	}
	if len(items) == 0 {
		m.problem("an empty batch")
	}
	for _, item := range items {
		m.Batch = append(m.Batch, Parse(item))
	}
}

func (m *Message) parseObject(body []byte) {
	list, err := members(body)
	if err != nil {
		m.problem("%v", err)
		return
	}
	seen := make(map[string]json.RawMessage, len(list))
	for _, mem := range list {
		if _, twice := seen[mem.Name]; twice {
			m.problem("member %q stands twice", mem.Name)
		}
		seen[mem.Name] = mem.Value
	}
	m.view(seen)
}

func (m *Message) view(seen map[string]json.RawMessage) {
	if v, _ := Text(seen["jsonrpc"]); v != "2.0" {
		m.problem(`member "jsonrpc" is not "2.0"`)
	}
	m.viewID(seen["id"])
	m.Params, m.Result = seen["params"], seen["result"]
	method, hasMethod := seen["method"]
	fault, hasError := seen["error"]
	switch {
	case hasMethod:
		m.viewCall(method, hasError || m.Result != nil)
	case hasError:
		m.Kind = KindError
		m.viewError(fault)
	case m.Result != nil:
		m.Kind = KindResult
	default:
		m.problem("no method, no result and no error")
	}
	if m.Kind == KindResult && m.ID.IsZero() {
		m.problem("a result without an id")
	}
}

func (m *Message) viewID(id json.RawMessage) {
	if id == nil {
		return
	}
	m.ID = RawID(id)
	if !m.ID.IsString() && !m.ID.IsNumber() && m.ID != NullID {
		m.problem("id is neither a string, a number nor null")
	}
}

func (m *Message) viewCall(method json.RawMessage, answered bool) {
	name, ok := Text(method)
	if !ok {
		m.problem("method is not a string")
		return
	}
	m.Method, m.Kind = name, KindRequest
	if m.ID.IsZero() {
		m.Kind = KindNotification
	}
	if answered {
		m.problem("a method together with a result or an error")
	}
	if p := bytes.TrimSpace(m.Params); len(p) > 0 && p[0] != '{' && p[0] != '[' {
		m.problem("params is neither an object nor an array")
	}
}

func (m *Message) viewError(fault json.RawMessage) {
	if m.Result != nil {
		m.problem("result and error together")
	}
	m.Error = &Error{Raw: fault}
	var view struct {
		Code    json.RawMessage `json:"code"`
		Message *string         `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(fault, &view); err != nil {
		m.problem("error member: %v", err)
		return
	}
	m.Error.Data = view.Data
	if view.Message == nil {
		m.problem("error has no message")
	} else {
		m.Error.Message = *view.Message
	}
	m.viewCode(view.Code)
}

func (m *Message) viewCode(code json.RawMessage) {
	if code == nil || string(code) == "null" {
		m.problem("error has no code")
		return
	}
	n, err := strconv.ParseInt(string(code), 10, 64)
	if err != nil {
		m.problem("error code %s is not an integer", code)
		return
	}
	m.Error.Code = n
}

func (m *Message) problem(format string, args ...any) {
	m.Problems = append(m.Problems, fmt.Sprintf(format, args...))
}
