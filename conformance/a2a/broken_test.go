package a2a

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/reporters"
)

// broken is an agent that breaks one rule. The zero dialect is JSON-RPC 1.0.
type broken struct {
	rule string
	dialect
	spoil func(a *agent)
}

// brokenAgents lists at least one agent for each rule.
func brokenAgents() []broken {
	rest, old := dialect{a2ahttp.V10, a2ahttp.HTTPJSON}, dialect{a2ahttp.V03, a2ahttp.JSONRPC}
	return []broken{
		// Errors.
		{"a2a.errors.unknown-method", old, answers("", refusal{-32603, "internal error"})},
		{"a2a.errors.invalid-json", dialect{}, rewrites(`"code":-32700`, `"code":-32603`)},
		{"a2a.errors.not-a-request", dialect{}, rewrites(`"code":-32600`, `"code":-32601`)},
		{"a2a.errors.bad-envelope", dialect{}, rewrites(`"code":-32600`, `"code":-32602`)},
		{"a2a.errors.ill-typed-params", dialect{}, answers(a2ahttp.GetTask, refusal{a2ahttp.CodeTaskNotFound, "no"})},
		{"a2a.errors.ill-typed-params", dialect{}, paramsWithout("historyLength", "no number")},
		{"a2a.errors.ill-typed-body", rest, answers(a2ahttp.SendMessage, refusal{a2ahttp.CodeTaskNotFound, "no"})},
		{"a2a.errors.missing-params", dialect{}, takesAnyMessage},
		{"a2a.errors.empty-parts", dialect{}, takesAnyMessage},
		{"a2a.errors.unsupported-version", dialect{}, func(a *agent) { a.any = true }},
		{"a2a.errors.unknown-task", dialect{}, rewrites(`"code":-32001`, `"code":-32603`)},
		{"a2a.errors.unknown-task", rest, answers(a2ahttp.GetTask, refusal{a2ahttp.CodeUnsupportedOperation, "no"})},
		{"a2a.errors.cancel-unknown-task", dialect{}, answers(a2ahttp.CancelTask, object{"id": "x", "status": object{"state": "TASK_STATE_CANCELED"}})},
		{"a2a.errors.cancel-finished-task", dialect{}, rewrites(`"code":-32002`, `"code":-32004`)},
		{"a2a.errors.send-to-finished-task", dialect{}, rewrites(`"code":-32004`, `"code":-32602`)},
		{"a2a.errors.send-to-finished-task", old, forgetsTasks},
		{"a2a.errors.subscribe-to-finished-task", dialect{}, answers(a2ahttp.SubscribeToTask, refusal{a2ahttp.CodeTaskNotFound, "no"})},
		{"a2a.errors.push-not-supported", dialect{}, func(a *agent) { a.push = true; a.card = undeclared("pushNotifications") }},
		{"a2a.errors.streaming-not-supported", dialect{}, func(a *agent) { a.card = undeclared("streaming") }},
		{"a2a.errors.extended-card-not-supported", dialect{}, func(a *agent) { a.card = undeclared("extendedAgentCard") }},
		{"a2a.errors.details", dialect{}, rewrites(`"data":[`, `"data":{"error":"no"},"old":[`)},
		{"a2a.errors.details", dialect{}, rewrites(`"@type":`, `"type":`)},
		{"a2a.errors.error-info", dialect{}, rewrites(`"reason":"TASK_NOT_FOUND"`, `"reason":"NOT_FOUND"`)},
		{"a2a.errors.status-body", rest, rewrites(`"error":{`, `"fault":{`)},
		{"a2a.errors.status-body", rest, rewrites(`"code":404`, `"code":5`)},
		{"a2a.errors.http-error-info", rest, rewrites(`"domain":"a2a-protocol.org"`, `"domain":"example.com"`)},

		// Ids.
		{"a2a.idempotency.id-echoed", dialect{}, rewrites(`"id":"007"`, `"id":7`)},
		{"a2a.idempotency.long-number-id", dialect{}, rewrites(`"id":9007199254740993`, `"id":9007199254740992`)},
		{"a2a.idempotency.null-id", dialect{}, rewrites(`"id":null`, `"id":""`)},
		{"a2a.idempotency.notification", dialect{}, func(a *agent) { a.answersAll = true }},
		{"a2a.idempotency.answer-id", dialect{}, rewrites(`"jsonrpc":"2.0","id":`, `"jsonrpc":"2.0","id":1`)},
		{"a2a.streaming.event-id", dialect{}, inOp(a2ahttp.SendStreamingMessage, `"jsonrpc":"2.0","id":`, `"jsonrpc":"2.0","id":1`)},
		{"a2a.idempotency.get-task", dialect{}, changes(a2ahttp.GetTask, `"hello"`)},
		{"a2a.idempotency.cancel-repeated", dialect{}, inOp(a2ahttp.CancelTask, `"code":-32002`, `"code":-32603`)},
		{"a2a.idempotency.context-kept", dialect{}, func(a *agent) { editMessage(a, "contextId") }},
		{"a2a.idempotency.context-mismatch", dialect{}, forgetsContexts},
		{"a2a.idempotency.unknown-task-in-message", dialect{}, forgetsTasks},
		{"a2a.idempotency.task-ids", dialect{}, func(a *agent) { a.oneID = true }},
		{"a2a.idempotency.push-delete", dialect{}, onceOnly(a2ahttp.DeletePushConfig)},

		// Lists.
		{"a2a.pagination.members", dialect{}, rewrites(`"nextPageToken":"",`, ``)},
		{"a2a.pagination.members", rest, rewrites(`"totalSize":`, `"size":`)},
		{"a2a.pagination.empty-list", dialect{}, rewrites(`,"totalSize":0`, ``)},
		{"a2a.pagination.page-size", dialect{}, paramsWithout("pageSize", 1)},
		{"a2a.pagination.page-size-bounds", dialect{}, paramsWithout("pageSize", 0)},
		{"a2a.pagination.page-size-bounds", rest, paramsWithout("pageSize", 101)},
		{"a2a.pagination.invalid-token", dialect{}, paramsWithout("pageToken", "peerwright-was-never-given-this")},
		{"a2a.pagination.order", dialect{}, func(a *agent) { a.ascending = true }},
		{"a2a.pagination.context-filter", dialect{}, dropsParam("contextId")},
		{"a2a.pagination.walk-ends", dialect{}, dropsParam("pageToken")},
		{"a2a.pagination.walk-complete", dialect{}, rewrites(`"nextPageToken":"task`, `"nextPageToken":"","was":"task`)},
		{"a2a.pagination.artifacts-left-out", dialect{}, inOp(a2ahttp.ListTasks, `"contextId":`, `"artifacts":[],"contextId":`)},

		// Streams.
		{"a2a.streaming.declared", dialect{}, answers(a2ahttp.SendStreamingMessage, refusal{a2ahttp.CodeUnsupportedOperation, "no"})},
		{"a2a.streaming.declared", old, answers(a2ahttp.SendStreamingMessage, refusal{codeMethodNotFound, "no"})},
		{"a2a.streaming.content-type", dialect{}, typed("text/event-stream", "application/x-ndjson")},
		{"a2a.streaming.content-type", rest, typed("text/event-stream", "application/json")},
		{"a2a.streaming.first-event", dialect{}, streams(func(e []any) []any { return e[1:] })},
		{"a2a.streaming.one-member", dialect{}, inOp(a2ahttp.SendStreamingMessage, `"statusUpdate":{`, `"message":{},"statusUpdate":{`)},
		{"a2a.streaming.one-member", old, rewrites(`"kind":"status-update"`, `"kind":"statusUpdate"`)},
		{"a2a.streaming.same-task", dialect{}, rewrites(`"taskId":"task-`, `"taskId":"other-`)},
		{"a2a.streaming.nothing-after-end", dialect{}, streams(func(e []any) []any { return append(e, e[1]) })},
		{"a2a.streaming.artifact-chunks", dialect{}, streams(func(e []any) []any { return append(e[:2:2], e[3:]...) })},
		{"a2a.streaming.artifact-chunks", dialect{}, rewrites(`"lastChunk":false`, `"lastChunk":true`)},
		{"a2a.streaming.closes", dialect{}, func(a *agent) { a.hold = make(chan struct{}) }},
		{"a2a.streaming.ends-at-rest", dialect{}, streams(func(e []any) []any { return e[:3] })},
		{"a2a.streaming.final", old, rewrites(`"final":true`, `"final":false`)},
		{"a2a.streaming.agrees-with-task", dialect{}, inOp(a2ahttp.GetTask, `"TASK_STATE_COMPLETED"`, `"TASK_STATE_FAILED"`)},
		{"a2a.streaming.subscribe-unknown-task", dialect{}, answers(a2ahttp.SubscribeToTask, []any{})},
		{"a2a.streaming.subscribe-first-event", dialect{}, inOp(a2ahttp.SubscribeToTask, `{"task":{`, `{"statusUpdate":{`)},

		// Life of a task.
		{"a2a.lifecycle.missing-version", dialect{}, func(a *agent) { a.any = true }},
		{"a2a.lifecycle.patch-version", dialect{}, func(a *agent) { a.exact = true }},
		{"a2a.lifecycle.blocking-send", dialect{}, inOp(a2ahttp.SendMessage, `"TASK_STATE_COMPLETED"`, `"TASK_STATE_WORKING"`)},
		{"a2a.lifecycle.context-given", dialect{}, inOp(a2ahttp.SendMessage, `"contextId":`, `"context":`)},
		{"a2a.tasks.get-task", dialect{}, func(a *agent) { a.wrapsGet = true }},
		{"a2a.tasks.history-length", dialect{}, paramsWithout("historyLength", 0)},
		{"a2a.push.round-trip", dialect{}, rewrites(`"url":"http`, `"url":"ftp`)},

		// The card.
		{"a2a.discovery.well-known", dialect{}, func(a *agent) { a.cardPath = a2ahttp.OldWellKnown }},
		{"a2a.discovery.card-members", dialect{}, func(a *agent) { a.card = func(card object) { card["skills"] = nil } }},
		{"a2a.discovery.card-members", old, func(a *agent) { a.card = func(card object) { delete(card, "description") } }},
		{"a2a.discovery.card-caching", dialect{}, func(a *agent) { a.head = func(h http.Header) { h.Del("ETag") } }},
		{"a2a.discovery.interfaces", dialect{}, alsoDeclares(a2ahttp.HTTPJSON, "/nowhere")},
		{"a2a.discovery.interfaces", old, alsoDeclares(a2ahttp.JSONRPC, "/nowhere")},
		{"a2a.discovery.extended-card", dialect{}, answers(a2ahttp.GetExtendedCard, refusal{a2ahttp.CodeUnsupportedOperation, "no"})},
		{"a2a.security.extended-card", dialect{}, answers(a2ahttp.GetExtendedCard, object{"name": "x", "skills": []any{}})},

		// Shapes and frames.
		{"a2a.schema.send-result", dialect{}, inOp(a2ahttp.SendMessage, `"result":{"task":{`, `"result":{"kind":"task","was":{`)},
		{"a2a.schema.send-result", old, inOp(a2ahttp.SendMessage, `"kind":"task"`, `"type":"task"`)},
		{"a2a.schema.required-members", dialect{}, rewrites(`"status":`, `"condition":`)},
		{"a2a.schema.required-members", old, rewrites(`"contextId":`, `"context":`)},
		{"a2a.schema.one-content", dialect{}, rewrites(`"parts":[{`, `"parts":[{"url":"https://example.com/",`)},
		{"a2a.schema.enum-words", dialect{}, rewrites(`"TASK_STATE_COMPLETED"`, `"completed"`)},
		{"a2a.schema.enum-words", old, rewrites(`"state":"completed"`, `"state":"TASK_STATE_COMPLETED"`)},
		{"a2a.schema.camel-case", dialect{}, rewrites(`"artifactId":`, `"artifact_id":`)},
		{"a2a.schema.timestamps", dialect{}, rewrites(`Z"`, `+02:00"`)},
		{"a2a.framing.response-object", dialect{}, rewrites(`"jsonrpc":"2.0",`, ``)},
		{"a2a.framing.response-object", dialect{}, inOp(a2ahttp.DeletePushConfig, `,"result":{}`, ``)},
		{"a2a.framing.json-content-type", old, typed("application/json", "text/plain")},
		{"a2a.framing.media-type", rest, typed("application/a2a+json", "text/plain")},
	}
}

func TestBrokenAgentsAreCaught(t *testing.T) {
	for _, b := range brokenAgents() {
		if b.dialect == (dialect{}) {
			b.dialect = dialect{a2ahttp.V10, a2ahttp.JSONRPC}
		}
		t.Run(b.rule+" "+b.binding+" "+b.version, func(t *testing.T) {
			t.Parallel()
			a := &agent{dialect: b.dialect, streaming: true, push: true, extended: true}
			b.spoil(a)
			patience := DefaultPatience
			if a.hold != nil {
				patience = 50 * time.Millisecond
			}
			cases, monitors := only(b.rule)
			got, _ := examineFor(t, Config{URL: start(t, a), Patience: patience}, cases, monitors)
			out := got[b.rule]
			if out.Status != levelOf(b.rule) {
				t.Errorf("%s is %s: %+v", b.rule, out.Status, out.Finding)
			}
			if out.Expected == "" || out.Actual == "" {
				t.Errorf("the finding does not say what was expected and seen: %+v", out.Finding)
			}
		})
	}
}

// only returns what has to run for a rule: its case, or for a monitor everything that
// it may read. A list of one context needs tasks of others to be told from.
func only(rule string) ([]conformance.Case, []conformance.Monitor) {
	for _, c := range Cases() {
		if c.ID == rule && rule != "a2a.pagination.context-filter" {
			return []conformance.Case{c}, nil
		}
	}
	return Cases(), Monitors()
}

// levelOf returns the status of a rule that is broken.
func levelOf(id string) reporters.Status {
	for _, c := range Cases() {
		if c.ID == id {
			return c.Broken()
		}
	}
	for _, m := range Monitors() {
		if m.ID == id {
			return m.Broken()
		}
	}
	return "of no rule"
}

func TestEveryRuleHasABrokenAgent(t *testing.T) {
	caught := map[string]bool{}
	for _, b := range brokenAgents() {
		caught[b.rule] = true
	}
	for _, c := range Cases() {
		if !caught[c.ID] {
			t.Errorf("nothing shows that %s can fail", c.ID)
		}
	}
	for _, m := range Monitors() {
		if !caught[m.ID] {
			t.Errorf("nothing shows that %s can fail", m.ID)
		}
	}
}

// The ways in which agents are spoilt.

// answers makes an operation answer always the same; "" stands for unknown methods.
func answers(op a2ahttp.Op, with any) func(*agent) {
	return func(a *agent) {
		a.call = func(got a2ahttp.Op, _ json.RawMessage) (any, bool) { return with, got == op }
	}
}

// rewrites replaces text in whatever the agent writes.
func rewrites(old, with string) func(*agent) {
	return func(a *agent) {
		a.body = func(_ a2ahttp.Op, body string) string { return strings.ReplaceAll(body, old, with) }
	}
}

// inOp replaces text in what one operation writes.
func inOp(op a2ahttp.Op, old, with string) func(*agent) {
	return func(a *agent) {
		a.body = func(got a2ahttp.Op, body string) string {
			if got != op {
				return body
			}
			return strings.ReplaceAll(body, old, with)
		}
	}
}

// changes makes text of one operation different each time.
func changes(op a2ahttp.Op, old string) func(*agent) {
	return func(a *agent) {
		a.body = func(got a2ahttp.Op, body string) string {
			if got != op {
				return body
			}
			a.mu.Lock()
			defer a.mu.Unlock()
			end := old[len(old)-1:]
			return strings.ReplaceAll(body, old, strings.TrimSuffix(old, end)+a.newID("x")+end)
		}
	}
}

// onceOnly makes an operation fail from the second time on.
func onceOnly(op a2ahttp.Op) func(*agent) {
	return func(a *agent) {
		done := false
		a.call = func(got a2ahttp.Op, _ json.RawMessage) (any, bool) {
			if got != op || !done {
				done = done || got == op
				return nil, false
			}
			return refusal{a2ahttp.CodeTaskNotFound, "gone"}, true
		}
	}
}

// edits makes the agent work on other params than it was sent.
func edits(edit func(op a2ahttp.Op, params object)) func(*agent) {
	return func(a *agent) {
		a.params = func(op a2ahttp.Op, raw json.RawMessage) json.RawMessage {
			params := object{}
			_ = json.Unmarshal(raw, &params)
			edit(op, params)
			return encoded(params)
		}
	}
}

// dropsParam makes an agent ignore a member of the params of ListTasks.
func dropsParam(name string) func(*agent) {
	return edits(func(op a2ahttp.Op, params object) {
		if op == a2ahttp.ListTasks {
			delete(params, name)
		}
	})
}

// paramsWithout makes an agent ignore a member with a certain value.
func paramsWithout(name string, value any) func(*agent) {
	return edits(func(_ a2ahttp.Op, params object) {
		if string(encode(params[name])) == string(encode(value)) {
			delete(params, name)
		}
	})
}

// takesAnyMessage makes an agent take what is no message for one.
func takesAnyMessage(a *agent) {
	edits(func(op a2ahttp.Op, params object) {
		if op == a2ahttp.SendMessage && len(list(encode(params["message"]), "parts")) == 0 {
			params["message"] = object{"messageId": "m", "role": "ROLE_USER", "parts": []object{{"text": "?"}}}
		}
	})(a)
}

// forgetsTasks makes an agent take a message to any task as a new one.
func forgetsTasks(a *agent) { editMessage(a, "taskId") }

// forgetsContexts makes an agent take a message to a task whatever its context is.
func forgetsContexts(a *agent) {
	edits(func(_ a2ahttp.Op, params object) {
		m := object{}
		_ = json.Unmarshal(encode(params["message"]), &m)
		if m["taskId"] != nil {
			delete(m, "contextId")
			params["message"] = m
		}
	})(a)
}

func editMessage(a *agent, without string) {
	edits(func(_ a2ahttp.Op, params object) {
		m := object{}
		if json.Unmarshal(encode(params["message"]), &m) == nil && len(m) > 0 {
			delete(m, without)
			params["message"] = m
		}
	})(a)
}

// streams changes the events of a streaming message.
func streams(change func([]any) []any) func(*agent) {
	return func(a *agent) {
		a.events = func(events []any) []any {
			if len(events) < 5 {
				return events
			}
			return change(events)
		}
	}
}

func typed(old, with string) func(*agent) {
	return func(a *agent) {
		a.head = func(h http.Header) {
			if h.Get("Content-Type") == old {
				h.Set("Content-Type", with)
			}
		}
	}
}

// undeclared takes a capability out of the card.
func undeclared(name string) func(object) {
	return func(card object) { delete(card["capabilities"].(object), name) }
}

// alsoDeclares adds an interface that is not there.
func alsoDeclares(binding, path string) func(*agent) {
	return func(a *agent) {
		a.card = func(card object) {
			if all, ok := card["supportedInterfaces"].([]any); ok {
				card["supportedInterfaces"] = append(all, object{"url": a.url + path, "protocolBinding": binding, "protocolVersion": a.version})
				return
			}
			card["additionalInterfaces"] = []any{object{"url": a.url + path, "transport": binding}}
		}
	}
}
