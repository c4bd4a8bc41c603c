package openai_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/redact"
)

// traced returns options that trace into w.
func traced(w *lines, chat func(context.Context, *openai.Request, *openai.Reply) error) openai.Options {
	o := chats(chat)
	o.Redact = redact.New([]byte("0123456789abcdef"))
	o.Trace = openai.NewTrace(w, o.Redact)
	return o
}

const traceEnd = "═════════════\n"

// block waits for n blocks of the trace.
func block(t *testing.T, w *lines, n int) string {
	t.Helper()
	for lines := 13; ; lines++ {
		if text := w.wait(t, lines*n); strings.Count(text, traceEnd) >= n {
			return text
		}
	}
}

func TestTraceShowsTheFourSections(t *testing.T) {
	var w lines
	base := start(t, traced(&w, func(_ context.Context, r *openai.Request, reply *openai.Reply) error {
		r.Trace.Call("MCP", "list_repos", []byte(`{"org": "acme"}`))([]byte(`{"items":[ ]}`))
		return reply.Text("done")
	}))
	post(t, base, hello)
	text := block(t, &w, 1)
	for _, want := range []string{
		"═══ TRACE ═══\nOpenAI Request:\n  " + hello + "\n\n",
		"\nMCP Request(s):\n  list_repos({\"org\":\"acme\"})\n\n",
		"\nMCP Response(s):\n  {\"items\":[]}\n\n",
		"\nOpenAI Response:\n  {\"id\":\"chatcmpl-",
		`"content":"done"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if !strings.HasSuffix(text, "}\n"+traceEnd) {
		t.Errorf("the block does not end:\n%s", text)
	}
}

func TestTraceShowsFailuresAndStreams(t *testing.T) {
	var w lines
	o := traced(&w, func(_ context.Context, r *openai.Request, reply *openai.Reply) error {
		one, two := r.Trace.Call("A2A", "message/send", []byte("{}")), r.Trace.Call("A2A", "tasks/get", []byte("no JSON \x1b[2J"))
		two([]byte(`{"id":1}`))
		one([]byte(`{"id":2}`))
		one([]byte(`{"id":3}`))
		_ = reply.Text("half")
		if r.Stream {
			_ = reply.Text(" and half")
		}
		if r.User == "fail" {
			return failure(errclass.Timeout, errclass.Call{})
		}
		return nil
	})
	base := start(t, o)
	for i, tc := range []struct {
		body string
		want []string
	}{
		{streamed, []string{`"content":"half and half"`, "A2A Request(s):\n  1. message/send({})\n  2. tasks/get(no JSON \\u001b[2J)\n", "  2. {\"id\":1}\n  1. {\"id\":2}\n  1. {\"id\":3}\n"}},
		{`{"user":"fail",` + streamed[1:], []string{`"content":"half and half"`, `"class":"timeout"`}},
		{`{"user":"fail",` + hello[1:], []string{`"class":"timeout"`}},
		{`{"messages":1}`, []string{`{"messages":1}`, "Upstream Request(s):\n  (none)\n", `"class":"invalid_args"`}},
		{`no JSON`, []string{"OpenAI Request:\n  no JSON\n", `"class":"invalid_args"`}},
	} {
		before := block(t, &w, i)
		post(t, base, tc.body)
		text := strings.TrimPrefix(block(t, &w, i+1), before)
		for _, want := range tc.want {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
	}
}

func TestTraceHoldsNoSecretNotEvenInPart(t *testing.T) {
	const canary = "sk-proj-4eC39HqLyjWDarjtT1zdp7dcXY4eC39HqLyjWDarjtT1zdp7dcXY"
	var w lines
	o := traced(&w, func(_ context.Context, r *openai.Request, reply *openai.Reply) error {
		args := `{"q":"` + strings.Repeat("x", 980) + " " + canary + `","password":"` + canary + `"}`
		r.Trace.Call("MCP", "f", []byte(args))([]byte("plain text with Authorization: Bearer " + canary))
		return reply.ToolCalls([]openai.ToolCall{{Arguments: args}})
	})
	o.Keys = []string{"the-inbound-key"}
	base := start(t, o)
	post(t, base, `{"model":"m","messages":[{"role":"user","content":"the-inbound-key"}]}`, "X-API-Key", "the-inbound-key")
	text := block(t, &w, 1)
	for i := range len(canary) - 8 {
		if strings.Contains(text, canary[i:i+8]) {
			t.Fatalf("%q of the secret is in\n%s", canary[i:i+8], text)
		}
	}
	if strings.Contains(text, "the-inbound-key") {
		t.Errorf("the key is in\n%s", text)
	}
	if !strings.Contains(text, "[truncated]") {
		t.Errorf("nothing was cut in\n%s", text)
	}
}

func TestBlocksOfTheTraceDoNotMix(t *testing.T) {
	var w lines
	base := start(t, traced(&w, func(_ context.Context, r *openai.Request, reply *openai.Reply) error {
		r.Trace.Call("MCP", "f", []byte(`{"n":"`+r.User+`"}`))([]byte(`{"n":"` + r.User + `"}`))
		return reply.Text(r.User)
	}))
	const n = 50
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { post(t, base, fmt.Sprintf(`{"user":"n%d.",`, i)+hello[1:]) })
	}
	all.Wait()
	for _, b := range strings.SplitAfter(block(t, &w, n), traceEnd) {
		_, user, ok := strings.Cut(b, `"user":"`)
		if !ok {
			continue
		}
		user, _, _ = strings.Cut(user, `"`)
		if strings.Count(b, `"`+user+`"`) != 4 {
			t.Errorf("the block of %s:\n%s", user, b)
		}
	}
}

func TestMetrics(t *testing.T) {
	o := chats(func(_ context.Context, r *openai.Request, reply *openai.Reply) error {
		if r.User == "fail" {
			return failure(errclass.RateLimit, errclass.Call{})
		}
		return reply.Text("x")
	})
	o.Metrics = prometheus.NewRegistry()
	var log lines
	o.Log = log.logger()
	base := start(t, o)
	post(t, base, hello)
	post(t, base, streamed)
	post(t, base, `{"user":"fail",`+hello[1:])
	send(t, "GET", base+"/made/up", "")
	log.wait(t, 4)
	text := send(t, "GET", base+"/metrics", "").body
	for _, want := range []string{
		`peerwright_bridge_requests_total{class="",route="/v1/chat/completions",status="200"} 2`,
		`peerwright_bridge_requests_total{class="rate_limit",route="/v1/chat/completions",status="429"} 1`,
		`peerwright_bridge_requests_total{class="not_found",route="none",status="404"} 1`,
		`peerwright_bridge_request_duration_seconds_count{route="/v1/chat/completions"} 3`,
		`peerwright_bridge_requests_in_flight 1`,
		`peerwright_bridge_streams_open 0`,
		`peerwright_bridge_bytes_total{direction="in"}`,
		`peerwright_bridge_bytes_total{direction="out"}`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if _, err := openai.New(o); err == nil {
		t.Error("two servers count into one registry unnoticed")
	}
}
