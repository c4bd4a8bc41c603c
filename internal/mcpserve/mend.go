package mcpserve

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/peerwright/peerwright/internal/rawjson"
	"github.com/peerwright/peerwright/internal/wire"
)

// inbound puts a request of the client in the form that the SDK gets: the tag in
// place of its id, the SDK's own cursor, and a URI that the SDK can name when it
// does not find it.
func (j judge) inbound(m wire.Message, t tag) []byte {
	params := m.Params
	if cursor := wire.Get(params, "cursor"); isList(m.Method) && cursor != nil {
		inner, _ := j.cursors.open(m.Method, cursor) // checkMethod has opened it before
		params = rawjson.With(params, "cursor", inner)
	}
	if uri, ok := wire.Text(wire.Get(params, "uri")); ok && m.Method == "resources/read" && !json.Valid([]byte(strconv.Quote(uri))) {
		params = rawjson.With(params, "uri", wire.Quote(url.PathEscape(uri)))
	}
	return wire.Request(t.wireID(), m.Method, params)
}

// mender mends what the SDK says on its way to the client.
type mender struct {
	revision string
	calls    *calls
	replay   bool // the message was said before, and is said again to a client that resumes
	cursors  cursors
}

// outbound returns the message as it goes to the client, or nil when the client
// must not have it.
func (m mender) outbound(raw []byte) []byte {
	msg := wire.Parse(raw)
	if !msg.IsResponse() {
		return m.notice(msg)
	}
	t, ok := parseTag([]byte(msg.ID.String()))
	if !ok {
		return raw
	}
	m.calls.end(t)
	if m.calls.isDropped(t) {
		return nil
	}
	if msg.Kind == wire.KindError {
		return m.failure(msg, t)
	}
	return m.result(msg, t)
}

// notice mends a notification. Progress is for requests that still wait, and a
// subscription is named by the client's own id of the listen request.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions#receiving-notifications
func (m mender) notice(msg wire.Message) []byte {
	if msg.Method == "notifications/progress" && !m.replay && !m.calls.awaits(wire.Get(msg.Params, "progressToken")) {
		return nil
	}
	t, ok := parseTag(wire.Path(msg.Params, "_meta", metaSubscription))
	if !ok {
		return msg.Raw
	}
	if m.calls.isDropped(t) {
		return nil
	}
	return rawjson.Within(msg.Raw, func(meta []byte) []byte {
		return rawjson.With(meta, metaSubscription, []byte(t.id.String()))
	}, "params", "_meta")
}

func (m mender) result(msg wire.Message, t tag) []byte {
	result := []byte(msg.Result)
	if cursor := wire.Get(result, "nextCursor"); cursor != nil {
		result = rawjson.With(result, "nextCursor", m.cursors.seal(t.method, cursor))
	}
	if t.method == "subscriptions/listen" {
		result = rawjson.Within(result, func(meta []byte) []byte {
			return rawjson.With(meta, metaSubscription, []byte(t.id.String()))
		}, "_meta")
	}
	if reason, bad := badArguments(t, result); bad && m.revision < rev2025c {
		return faultf(codeInvalidParams, "invalid params: %s", reason).encode(t.id, m.revision)
	}
	return wire.Result(t.id, result)
}

// failure gives an error the code that its revision asks for.
//
// https://modelcontextprotocol.io/specification/2025-11-25/server/resources#error-handling
// https://modelcontextprotocol.io/specification/2026-07-28/server/resources#error-handling
func (m mender) failure(msg wire.Message, t tag) []byte {
	code := msg.Error.Code
	switch {
	case code == 0:
		code = codeInternal
	case t.method == "resources/read" && code == codeInvalidParams && m.revision < revModern:
		code = codeResourceNotFound
	}
	return wire.Failure(t.id, code, msg.Error.Message, msg.Error.Data)
}

// badArguments tells whether a tool answered that its arguments do not fit its
// schema: the SDK's own words, or a failure of the canonical class invalid_args in
// _meta for a call that was not run. From 2025-11-25 on that is a result with isError,
// before it is an error.
//
// https://modelcontextprotocol.io/specification/2025-06-18/server/tools#error-handling
// https://modelcontextprotocol.io/specification/2025-11-25/server/tools#error-handling
func badArguments(t tag, result []byte) (reason string, bad bool) {
	if t.method != "tools/call" || string(wire.Get(result, "isError")) != "true" {
		return "", false
	}
	var content []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(wire.Get(result, "content"), &content); err != nil || len(content) != 1 {
		return "", false
	}
	class, _ := wire.Text(wire.Path(result, "_meta", "error", "class"))
	outcome, _ := wire.Text(wire.Path(result, "_meta", "error", "context", "outcome"))
	return content[0].Text, strings.HasPrefix(content[0].Text, `validating "arguments": `) || class == "invalid_args" && outcome == "not_run"
}
