package mcptools_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/peerwright/peerwright/bridge/mcptools"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/redact"
	"github.com/peerwright/peerwright/internal/wire"
)

// stream asks for a stream and returns the data of its events.
func (b *bridge) stream(t *testing.T, body string, head ...string) (http.Header, []string) {
	t.Helper()
	body = strings.Replace(body, `{"model"`, `{"stream":true,"stream_options":{"include_usage":true},"model"`, 1)
	got := b.post(t, body, head...)
	var events []string
	for lines := bufio.NewScanner(bytes.NewReader(got.body)); lines.Scan(); {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			events = append(events, data)
		}
	}
	return got.head, events
}

func TestAStreamOfResults(t *testing.T) {
	s := &script{tools: map[string]tool{"get_a": says(reads, "a"), "get_b": gives(reads, `{"isError":true,"content":[{"type":"text","text":"none"}]}`)}}
	b := start(t, setting{}, at(t, s))
	head, events := b.stream(t, body(call{name: "get_a"}, call{name: "get_b"}))
	if !strings.HasPrefix(head.Get("Content-Type"), "text/event-stream") || len(events) < 4 || events[len(events)-1] != "[DONE]" {
		t.Fatalf("%v %q", head, events)
	}
	results, finished, messages := map[string]string{}, 0, ""
	for _, e := range events[:len(events)-1] {
		chunk := answer{body: json.RawMessage(e)}
		wire.EachElement(chunk.at("choices", "0", "delta", "tool_calls"), func(c json.RawMessage) bool {
			said, _ := wire.Text(wire.Path(c, "function", "arguments"))
			results[string(wire.Get(c, "index"))] += said
			return true
		})
		if chunk.text("choices", "0", "finish_reason") == "tool_calls" {
			finished++
			messages = string(chunk.at("tool_messages"))
		}
	}
	if results["0"] != `{"result":"a"}` || !strings.Contains(results["1"], `"class":"invalid_args"`) || finished != 1 || !strings.Contains(messages, "call_2") {
		t.Errorf("%v, %d ends, %s", results, finished, messages)
	}
}

// A failure before the first piece has its status, in a stream as well.
func TestAStreamThatFailsEarly(t *testing.T) {
	b := start(t, setting{}, at(t, &script{tools: map[string]tool{"get_a": says(reads, "a")}}))
	got := b.post(t, strings.Replace(body(call{name: "no_such"}), `{"model"`, `{"stream":true,"model"`, 1))
	if got.status != http.StatusNotFound || got.text("error", "class") != "not_found" {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// The caller's Authorization goes to the server where that is allowed, and not else.
func TestCredentials(t *testing.T) {
	var ran atomic.Int64
	for _, allowed := range []bool{true, false} {
		s := &script{tools: map[string]tool{"create_issue": counter(&ran)}}
		config := at(t, s)
		config.Target.Header = http.Header{"Authorization": {"Bearer bridge-token"}}
		b := start(t, setting{server: func(o *openai.Options) { o.AllowPassthrough = allowed }}, config)
		for _, who := range []string{"Bearer alice-token", "Bearer bob-token", ""} {
			head := []string{"X-Idempotency-Key", "k"}
			if who != "" {
				head = append(head, "Authorization", who)
			}
			if got := b.post(t, body(call{name: "create_issue"}), head...); got.status != 200 {
				t.Errorf("%d %s", got.status, got.body)
			}
		}
		want, seen := "Bearer alice-token Bearer bob-token Bearer bridge-token", []string{}
		if !allowed {
			want = "Bearer bridge-token"
		}
		for _, h := range s.heads {
			seen = append(seen, h.Get("Authorization"))
		}
		if got := strings.Join(seen, " "); got != want {
			t.Errorf("allowed %v: the server saw %s", allowed, got)
		}
	}
}

// The trace shows the four sections side by side, for failures too, without secrets.
func TestTheTrace(t *testing.T) {
	var out bytes.Buffer
	var mu sync.Mutex
	s := &script{tools: map[string]tool{
		"list_repos": gives(reads, `{"content":[{"type":"text","text":"token: ghp_0123456789abcdefghijABCDEFGHIJ012345"}]}`),
		"get_none":   gives(reads, `{"isError":true,"content":[{"type":"text","text":"nothing there"}]}`),
	}}
	r := redact.New(bytes.Repeat([]byte("k"), 32))
	b := start(t, setting{server: func(o *openai.Options) { o.Trace = openai.NewTrace(&locked{w: &out, mu: &mu}, r) }}, at(t, s))
	b.post(t, body(call{name: "list_repos", args: `{"org":"acme","password":"hunter2hunter2"}`}))
	b.post(t, body(call{name: "get_none"}))
	b.close()
	mu.Lock()
	defer mu.Unlock()
	got := out.String()
	for _, want := range []string{"OpenAI Request:", "MCP Request(s):\n  list_repos({\"org\":\"acme\"", "MCP Response(s):", "OpenAI Response:", "get_none(", "nothing there", `"class":"invalid_args"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "hunter2") || strings.Contains(got, "ghp_0123") {
		t.Errorf("a secret in\n%s", got)
	}
}

type locked struct {
	mu *sync.Mutex
	w  *bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// A thousand calls are in flight at once, and each gets its answer.
func TestAThousandAtOnce(t *testing.T) {
	const many = 1000
	var here atomic.Int64
	hold := make(chan struct{})
	s := &script{tools: map[string]tool{"get_it": {reads, func(w http.ResponseWriter, _ *http.Request, m wire.Message) {
		if here.Add(1) == many {
			close(hold)
		}
		<-hold
		w.Write(wire.Result(m.ID, json.RawMessage(`{"content":[{"type":"text","text":`+string(wire.Path(m.Params, "arguments", "q"))+`}]}`)))
	}}}}
	b := start(t, setting{}, at(t, s))
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			got := b.post(t, body(call{name: "get_it", args: fmt.Sprintf(`{"q":"%d"}`, i)}))
			if want := fmt.Sprintf(`{"result":"%d"}`, i); got.result(0) != want {
				t.Errorf("%d %s", got.status, got.body)
			}
		})
	}
	all.Wait()
	for _, c := range b.backend.Capabilities() {
		if c.Revision != "2026-07-28" || c.Server.Name != "script" {
			t.Errorf("%+v", c)
		}
	}
}

// What happens inside the bridge is told for its metrics.
func TestWhatIsToldOfACall(t *testing.T) {
	var mu sync.Mutex
	var made []mcptools.Made
	b := start(t, setting{options: func(o *mcptools.Options) {
		o.Made = func(m mcptools.Made) {
			mu.Lock()
			defer mu.Unlock()
			made = append(made, m)
		}
	}}, at(t, &script{tools: map[string]tool{"create_it": says(writes, "x")}}))
	b.post(t, body(call{name: "create_it"}), "X-Idempotency-Key", "k")
	b.post(t, body(call{name: "create_it"}), "X-Idempotency-Key", "k")
	b.post(t, body(call{name: "none"}))
	mu.Lock()
	defer mu.Unlock()
	var said []string
	for _, m := range made {
		said = append(said, fmt.Sprintf("%s/%s %q replayed %v attempts %d", m.Server, m.Tool, m.Class, m.Replayed, m.Attempts))
	}
	want := `server1/create_it "" replayed false attempts 1, server1/create_it "" replayed true attempts 0, / "not_found" replayed false attempts 0`
	if got := strings.Join(said, ", "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A fault of the bridge itself costs the call and not the process.
func TestAPanicIsContained(t *testing.T) {
	b := start(t, setting{options: func(o *mcptools.Options) { o.Keys = nil }}, at(t, &script{tools: map[string]tool{"create_it": says(writes, "x")}}))
	got := b.post(t, body(call{name: "create_it"}), "X-Idempotency-Key", "k")
	if got.status != 503 || got.text("error", "context", "outcome") != "unknown" || strings.Contains(string(got.body), "nil pointer") {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := b.post(t, body(call{name: "create_it"})); got.result(0) != `{"result":"x"}` {
		t.Errorf("%s", got.body)
	}
}

// What a result holds is in the answer, whatever its shape.
func TestResults(t *testing.T) {
	for result, want := range map[string]string{
		`{"content":[{"type":"text","text":"plain"}]}`:                        `{"result":"plain"}`,
		`{"content":[{"type":"text","text":"{\"id\": 9007199254740993}"}]}`:   `{"result":{"id": 9007199254740993}}`,
		`{"content":[{"type":"text","text":"42"}]}`:                           `{"result":"42"}`,
		`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`: `{"result":"a\nb"}`,
		`{"content":[]}`: `{"result":null}`,
		`{"content":[],"structuredContent":{"n":1.0}}`:                                                          `{"result":{"n":1.0}}`,
		`{"content":[{"type":"text","text":"{\"n\":1.0}"}],"structuredContent":{"n":1.0}}`:                      `{"result":{"n":1.0}}`,
		`{"content":[{"type":"text","text":"one thing"}],"structuredContent":{"n":1}}`:                          `{"result":{"n":1},"text":"one thing"}`,
		`{"content":[{"type":"image","data":"QQ==","mimeType":"image/png"}],"structuredContent":{"n":1}}`:       `{"result":{"n":1},"content":[{"type":"image","data":"QQ==","mimeType":"image/png"}]}`,
		`{"content":[{"type":"text","text":"see"},{"type":"resource","resource":{"uri":"a:b","text":"file"}}]}`: `{"result":{"text":"see","content":[{"type":"text","text":"see"},{"type":"resource","resource":{"uri":"a:b","text":"file"}}]}}`,
	} {
		b := start(t, setting{}, at(t, &script{tools: map[string]tool{"do_it": gives(reads, result)}}))
		if got := b.post(t, body(call{name: "do_it"})); got.result(0) != want {
			t.Errorf("%s\ngot  %s\nwant %s", result, got.result(0), want)
		}
		b.close()
	}
}
