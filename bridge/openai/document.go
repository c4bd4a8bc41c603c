package openai

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/peerwright/peerwright/internal/wire"
)

// document keeps an answer until it is whole, and then sends it as one.
type document struct {
	w      http.ResponseWriter // nil for a copy that is not sent
	extra  *Header
	head   head
	body   []byte // the text so far, and the whole document in the end
	calls  []ToolCall
	others []wire.Member // further members of the message
	sent   bool
	whole  bool // body is the whole document
}

func (d *document) text(s string) error {
	d.body = append(d.body, s...)
	return nil
}

func (d *document) toolCalls(calls []ToolCall) error {
	d.calls = append(d.calls, calls...)
	return nil
}

func (d *document) begun() bool { return d.sent }

func (d *document) finish(reason string, u Usage, extras []wire.Member) error {
	d.body, d.whole = d.write(reason, u, extras), true
	if d.w == nil {
		return nil
	}
	d.sent = true
	h := d.w.Header()
	d.extra.copyTo(h)
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(d.body)))
	d.w.WriteHeader(http.StatusOK)
	_, err := d.w.Write(d.body)
	return err
}

// write returns the document.
//
// https://platform.openai.com/docs/api-reference/chat/object
func (d *document) write(reason string, u Usage, extras []wire.Member) []byte {
	const rest = 512 // about as much as the members around the text take
	dst := make([]byte, 0, len(d.body)+sizeOf(d.calls, extras)+sizeOf(nil, d.others)+rest)
	dst = d.head.appendHead(dst, "chat.completion")
	dst = append(dst, `,"choices":[{"index":0,"message":{"role":"assistant","content":`...)
	if len(d.body) == 0 && len(d.calls)+len(d.others) > 0 {
		dst = append(dst, "null"...)
	} else {
		dst = appendString(dst, string(d.body))
	}
	if !slices.ContainsFunc(d.others, func(m wire.Member) bool { return m.Name == "refusal" }) {
		dst = append(dst, `,"refusal":null`...)
	}
	dst = appendExtras(dst, d.others)
	if len(d.calls) > 0 {
		dst = append(dst, `,"tool_calls":[`...)
		for i, c := range d.calls {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendCall(dst, -1, c)
		}
		dst = append(dst, ']')
	}
	dst = appendString(append(dst, `},"logprobs":null,"finish_reason":`...), reason)
	dst = appendUsage(append(dst, `}]`...), u)
	return append(appendExtras(dst, extras), '}')
}

// sizeOf returns about how many bytes calls and extras take.
func sizeOf(calls []ToolCall, extras []wire.Member) int {
	n := 0
	for _, c := range calls {
		n += len(c.Name) + len(c.Arguments)*9/8
	}
	for _, m := range extras {
		n += len(m.Name) + len(m.Value)
	}
	return n
}
