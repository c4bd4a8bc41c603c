package loop_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/peerwright/peerwright/bridge/mcptools/loop"
	"github.com/peerwright/peerwright/bridge/openai"
)

type recorder struct {
	text, reason string
	calls        []openai.ToolCall
	usage        openai.Usage
}

func (r *recorder) Text(s string) error                   { r.text += s; return nil }
func (r *recorder) ToolCalls(c []openai.ToolCall) error   { r.calls = append(r.calls, c...); return nil }
func (r *recorder) Extra(string, any)                     {}
func (r *recorder) Finish(s string, u openai.Usage) error { r.reason, r.usage = s, u; return nil }

const (
	calling = `data: {"choices":[{"delta":{"content":"hm ","tool_calls":[{"index":0,"id":"c1","function":{"name":"NAME","arguments":"{\"a\""}}]}}]}` + "\n\n" +
		`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}}]}` + "\n\n"
	ended  = `data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}],"usage":{"total_tokens":2}}` + "\n\ndata: [DONE]\n\n"
	spoken = `data: {"choices":[{"delta":{"content":"done"},"finish_reason":"stop"}],"usage":{"total_tokens":3}}` + "\n\ndata: [DONE]\n\n"
)

func run(t *testing.T, script ...string) (*recorder, []string, int, error) {
	t.Helper()
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = append(asked, string(body))
		next := script[min(len(asked), len(script))-1]
		if strings.HasPrefix(next, "4") {
			http.Error(w, "<html>the key KEY is wrong", 401)
			return
		}
		_, _ = io.WriteString(w, next)
	}))
	defer server.Close()
	executed, reply := 0, &recorder{}
	err := loop.New(loop.Config{URL: server.URL, Key: "KEY", Rounds: 3}).Run(t.Context(), json.RawMessage(`{"model":"m","seed":7,"messages":[{"role":"user","content":"x"}]}`),
		json.RawMessage(`[{"type":"function","function":{"name":"f"}}]`), func(_ context.Context, calls []openai.ToolCall) []loop.Result {
			executed += len(calls)
			return []loop.Result{{ID: calls[0].ID, Content: json.RawMessage(`{"result":` + calls[0].Arguments + `}`)}}
		}, reply)
	return reply, asked, executed, err
}

func TestLoop(t *testing.T) {
	f := strings.ReplaceAll(calling, "NAME", "f")
	reply, asked, executed, err := run(t, f+ended, spoken)
	if err != nil || reply.text != "hm done" || reply.reason != "stop" || executed != 1 || reply.usage.TotalTokens != 5 {
		t.Errorf("answered %+v, %d executed, %v", reply, executed, err)
	}
	if len(asked) != 2 || !strings.Contains(asked[1], `"tool_call_id":"c1","content":"{\"result\":{\"a\":1}}"`) || !strings.Contains(asked[1], `"seed":7`) {
		t.Errorf("asked %q", asked)
	}
	if reply, _, executed, err = run(t, strings.ReplaceAll(calling, "NAME", "mine")+ended); err != nil || executed != 0 || len(reply.calls) != 1 || reply.reason != "tool_calls" {
		t.Errorf("a tool of the client's: %+v, %d executed, %v", reply, executed, err)
	}
}

func TestLoopFails(t *testing.T) {
	f := strings.ReplaceAll(calling, "NAME", "f")
	for name, c := range map[string]struct {
		script   string
		executed int
		want     string
	}{
		"cut off": {f, 0, "cut off"}, "length": {f + strings.ReplaceAll(ended, "tool_calls", "length"), 0, "out of tokens"},
		"no end": {f + ended, 3, "bound"}, "401": {"4", 0, "401"}, "error": {"data: {\"error\":{}}\n\n", 0, "failed"},
	} {
		_, _, executed, err := run(t, c.script)
		if err == nil || executed != c.executed || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "KEY") {
			t.Errorf("%s: %d executed, %v", name, executed, err)
		}
	}
}
