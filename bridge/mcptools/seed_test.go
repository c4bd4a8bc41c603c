package mcptools_test

import (
	"testing"

	"github.com/peerwright/peerwright/internal/wire"
)

// The request in the README of agno-relay, and its answer.
func TestOneCallAndItsAnswer(t *testing.T) {
	b := start(t, setting{}, at(t, &script{tools: map[string]tool{"list_repos": says("", "two repositories")}}))
	got := b.post(t, `{"model": "gpt-4","messages": [{"role": "assistant","content": null,"tool_calls": [
	 {"id": "call_1","type": "function","function": {"name": "list_repos","arguments": "{\"org\": \"acme\"}"}}]}]}`)
	if got.status != 200 || got.text("choices", "0", "message", "role") != "assistant" || string(got.at("choices", "0", "message", "content")) != "null" ||
		got.text("choices", "0", "finish_reason") != "tool_calls" || got.text("object") != "chat.completion" || got.text("model") != "gpt-4" {
		t.Errorf("%d %s", got.status, got.body)
	}
	calls := got.at("choices", "0", "message", "tool_calls")
	if want := `[{"id":"call_1","type":"function","function":{"name":"list_repos","arguments":"{\"result\":\"two repositories\"}"}}]`; string(calls) != want {
		t.Errorf("got  %s\nwant %s", calls, want)
	}
	if want := `[{"content":"{\"result\":\"two repositories\"}","role":"tool","tool_call_id":"call_1"}]`; string(got.at("tool_messages")) != want {
		t.Errorf("got  %s\nwant %s", got.at("tool_messages"), want)
	}
	report := got.at("peerwright", "calls", "0")
	if server, _ := wire.Text(wire.Get(report, "server")); server != "server1" || string(wire.Get(report, "attempts")) != "1" {
		t.Errorf("%s", report)
	}
}
