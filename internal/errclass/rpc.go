package errclass

import (
	"encoding/json"
	"time"
)

// standardCodes are the codes of JSON-RPC 2.0 §5.1, the same in both protocols. An internal error says
// no more than that the call was answered.
var standardCodes = map[int]verdict{
	-32700: {InvalidArgs, NotRun}, // parse error
	-32600: {InvalidArgs, NotRun}, // invalid request
	-32601: {NotFound, NotRun},    // method not found
	-32602: {InvalidArgs, NotRun}, // invalid params; MCP also: unknown tool, prompt, cursor, task
}

// mcpCodes are the codes of MCP (2026-07-28, basic, error codes; 2025-11-25, client/elicitation,
// client/sampling, server/resources). Of the other codes from -32000 to -32019 no meaning may be assumed.
var mcpCodes = map[int]verdict{
	-1:     {Permission, NotRun},  // the user refused the sampling request
	-32002: {NotFound, NotRun},    // no such resource, until 2025-11-25
	-32020: {InvalidArgs, NotRun}, // the headers do not match the body
	-32021: {InvalidArgs, NotRun}, // a client capability was not declared
	-32022: {InvalidArgs, NotRun}, // the revision is not supported
	-32042: {Permission, NotRun},  // the user must first visit an address
}

// a2aCodes are the codes of A2A (1.0, §5.4). What an agent does not offer is not there: asking
// otherwise does not help. The last two are no part of it, but what the Go SDK sends.
var a2aCodes = map[int]verdict{
	-32001: {NotFound, NotRun},    // no such task
	-32002: {Conflict, NotRun},    // the task cannot be cancelled
	-32003: {NotFound, NotRun},    // push notifications are not supported
	-32004: {NotFound, NotRun},    // the operation is not supported
	-32005: {InvalidArgs, NotRun}, // the content type is not supported
	-32006: {Transient, Failed},   // the agent answered wrongly
	-32007: {NotFound, NotRun},    // no extended agent card is configured
	-32008: {InvalidArgs, NotRun}, // an extension is required
	-32009: {InvalidArgs, NotRun}, // the version is not supported
	-31401: {Auth, NotRun},
	-31403: {Permission, NotRun},
}

// a2aReasons are the codes that the reasons of ErrorInfo stand for (A2A 1.0, §5.4 and §11.6).
var a2aReasons = map[string]int{
	"TASK_NOT_FOUND":                     -32001,
	"TASK_NOT_CANCELABLE":                -32002,
	"PUSH_NOTIFICATION_NOT_SUPPORTED":    -32003,
	"UNSUPPORTED_OPERATION":              -32004,
	"CONTENT_TYPE_NOT_SUPPORTED":         -32005,
	"INVALID_AGENT_RESPONSE":             -32006,
	"EXTENDED_AGENT_CARD_NOT_CONFIGURED": -32007,
	"EXTENSION_SUPPORT_REQUIRED":         -32008,
	"VERSION_NOT_SUPPORTED":              -32009,
}

// FromMCP classifies a JSON-RPC error of an MCP peer by its code and, where the code means nothing, by
// what data says in a form that programs read. The message is passed on.
func FromMCP(code int, message string, data json.RawMessage, now time.Time, call Call) Error {
	return fromRPC(mcpCodes, code, message, readHints(data), now, call)
}

// FromA2A is [FromMCP] for an A2A agent, whose codes mean something else.
func FromA2A(code int, message string, data json.RawMessage, now time.Time, call Call) Error {
	return fromRPC(a2aCodes, code, message, readHints(data), now, call)
}

func fromRPC(codes map[int]verdict, code int, message string, h hints, now time.Time, call Call) Error {
	v, ok := standardCodes[code]
	if !ok {
		v, ok = codes[code]
	}
	if !ok {
		v = h.or(verdict{Transient, Failed})
	}
	return h.addWait(New(v.class, Upstream, v.outcome, message, call).withCode(code), now)
}

// FromIsError classifies the result of tools/call that has isError, by what its structuredContent or
// _meta says in a form that programs read. If that says nothing the arguments are taken to be wrong, as
// such a result is meant for whoever chose them (MCP 2025-11-25, server/tools, error handling). The
// message is passed on.
func FromIsError(result json.RawMessage, message string, now time.Time, call Call) Error {
	var told struct {
		StructuredContent json.RawMessage `json:"structuredContent"`
		Meta              json.RawMessage `json:"_meta"`
	}
	_ = json.Unmarshal(result, &told) // what cannot be read says nothing
	h := readHints(told.StructuredContent)
	if h.class == "" {
		h = readHints(told.Meta)
	}
	v := h.or(verdict{InvalidArgs, Failed})
	e := New(v.class, Upstream, v.outcome, message, call)
	return h.addWait(e.withCode(h.status), now)
}
