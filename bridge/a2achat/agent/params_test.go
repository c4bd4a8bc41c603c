package agent

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
)

// TestWhatIsSent is the message in the shape of each version and binding.
func TestWhatIsSent(t *testing.T) {
	m := Message{
		MessageID: "m1", ContextID: "ctx", TaskID: "task",
		Parts: []Part{
			{Text: "<é>"},
			{Data: []byte(`{"n":9007199254740993}`)},
			{File: &File{Name: "a.png", MediaType: "image/png", Base64: "AAAA"}},
			{File: &File{MediaType: "text/csv", URI: "https://x.example/b"}},
		},
	}
	old := `{"configuration":{%s"blocking":true},"message":{"contextId":"ctx","kind":"message","messageId":"m1","parts":[` +
		`{"kind":"text","text":"<é>"},{"data":{"n":9007199254740993},"kind":"data"},` +
		`{"file":{"bytes":"AAAA","mimeType":"image/png","name":"a.png"},"kind":"file"},` +
		`{"file":{"mimeType":"text/csv","uri":"https://x.example/b"},"kind":"file"}],"role":"user","taskId":"task"}}`
	now := `{"message":{"contextId":"ctx","messageId":"m1","parts":[{"text":"<é>"},{"data":{"n":9007199254740993}},` +
		`{"filename":"a.png","mediaType":"image/png","raw":"AAAA"},{"mediaType":"text/csv","url":"https://x.example/b"}],` +
		`"role":"ROLE_USER","taskId":"task"}}`
	proto := `{"configuration":{"blocking":true},"message":{"content":[{"text":"<é>"},{"data":{"data":{"n":9007199254740993}}},` +
		`{"file":{"fileWithBytes":"AAAA","mimeType":"image/png","name":"a.png"}},` +
		`{"file":{"fileWithUri":"https://x.example/b","mimeType":"text/csv"}}],` +
		`"contextId":"ctx","messageId":"m1","role":"ROLE_USER","taskId":"task"}}`
	for d, want := range map[dialect]string{
		{a2ahttp.V02, a2ahttp.JSONRPC}:  fill(old, `"acceptedOutputModes":["text/plain"],`),
		{a2ahttp.V03, a2ahttp.JSONRPC}:  fill(old, ""),
		{a2ahttp.V03, a2ahttp.HTTPJSON}: proto,
		{a2ahttp.V10, a2ahttp.JSONRPC}:  now,
		{a2ahttp.V10, a2ahttp.HTTPJSON}: now,
	} {
		s := serve(t, d, false, map[a2ahttp.Op]handler{
			a2ahttp.SendMessage: func(r request) { r.answer(d.messageEvent("m", "hi")) },
		})
		h := send(t, s.agent(t), m)
		if h.err != nil {
			t.Fatalf("%s: %v", d, h.err)
		}
		r := s.calls(a2ahttp.SendMessage)[0]
		if diff := cmp.Diff(want, string(r.params)); diff != "" {
			t.Errorf("%s: %s", d, diff)
		}
		version := r.header.Get("A2a-Version")
		if d.now() && version != "1.0" || !d.now() && version != "" {
			t.Errorf("%s: A2A-Version %q", d, version)
		}
		if got := r.header.Values("A2a-Extensions"); len(got) != 0 {
			t.Errorf("%s: extensions %q", d, got)
		}
	}
}

func fill(template, modes string) string {
	before, after, _ := strings.Cut(template, "%s")
	return before + modes + after
}

func TestModesAndHeaders(t *testing.T) {
	d := dialect{a2ahttp.V10, a2ahttp.JSONRPC}
	s := serve(t, d, true, map[a2ahttp.Op]handler{
		a2ahttp.SendStreamingMessage: func(r request) { r.stream(d.messageEvent("m", "hi")) },
	})
	a := s.agent(t, func(c *Config) {
		c.AcceptedOutputModes = []string{"text/markdown"}
		c.Header = map[string][]string{"X-Static": {"s"}, "X-User": {"nobody"}}
	})
	m := hello()
	m.Header = map[string][]string{"x-user": {"ann"}}
	if h := send(t, a, m); h.err != nil || h.outcome.State != Answered {
		t.Fatal(h.err)
	}
	r := s.calls(a2ahttp.SendStreamingMessage)[0]
	want := `{"configuration":{"acceptedOutputModes":["text/markdown"]},"message":{"messageId":"m1","parts":[{"text":"hello"}],"role":"ROLE_USER"}}`
	if diff := cmp.Diff(want, string(r.params)); diff != "" {
		t.Error(diff)
	}
	if r.header.Get("X-Static") != "s" || r.header.Get("X-User") != "ann" || r.header.Get("Accept") != "text/event-stream" {
		t.Errorf("headers %v", r.header)
	}
}

// TestBlocking is an agent that streams, and is not asked to.
func TestBlocking(t *testing.T) {
	d := dialect{a2ahttp.V10, a2ahttp.JSONRPC}
	s := serve(t, d, true, map[a2ahttp.Op]handler{
		a2ahttp.SendMessage: func(r request) { r.answer(d.taskEvent(d.status(Working))) },
		a2ahttp.GetTask:     func(r request) { r.answer(d.bare(d.status(Completed), artifact("a", d.parts("done")))) },
	})
	h := send(t, s.agent(t, func(c *Config) { c.Blocking = true }), hello())
	if h.err != nil || h.text() != "done" {
		t.Errorf("told %q, error %v", h.text(), h.err)
	}
	if n := len(s.calls(a2ahttp.SendStreamingMessage)) + len(s.calls(a2ahttp.SubscribeToTask)); n != 0 {
		t.Errorf("%d streams", n)
	}
}
