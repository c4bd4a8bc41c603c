package loop_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/mcptools/loop"
	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/errclass"
)

// failing is how a run fails: after a harmless call or one that does harm, or before any.
func TestFailures(t *testing.T) {
	f, g := says("tool_calls", calls("f")), says("tool_calls", calls("g"))
	page := response{status: 502, head: map[string]string{"Content-Type": "text/html"}, body: "<html>KEY"}
	never := func(c *loop.Config) { c.Rounds = 2 }
	for name, c := range map[string]struct {
		change    func(*loop.Config)
		script    []response
		class     errclass.Class
		outcome   errclass.Outcome
		retryable bool
		code      string
		says      string
	}{
		"cut off":           {nil, []response{says("", calls("f"))}, errclass.Transient, errclass.NotRun, true, "", "cut off"},
		"cut after harm":    {nil, []response{g, says("", calls("f"))}, errclass.Transient, errclass.Failed, false, "", "cut off"},
		"cut after none":    {nil, []response{f, says("", calls("f"))}, errclass.Transient, errclass.Failed, true, "", "cut off"},
		"length":            {nil, []response{says("length", calls("f"))}, errclass.Conflict, errclass.NotRun, false, "loop_cut", "(finish_reason length); none of them"},
		"rounds":            {never, []response{f}, errclass.Conflict, errclass.Failed, false, "loop_rounds", "after 2 rounds"},
		"tokens":            {func(c *loop.Config) { c.Tokens = 3 }, []response{f}, errclass.Conflict, errclass.Failed, false, "loop_tokens", "4 tokens of the 3"},
		"a long answer":     {func(c *loop.Config) { c.Size = 400 }, []response{f, says("stop", `{"content":"`+strings.Repeat("x", 200)+`"}`, `{"content":"`+strings.Repeat("x", 200)+`"}`)}, errclass.Conflict, errclass.Failed, false, "loop_size", "longer than the 400 bytes"},
		"a long event":      {func(c *loop.Config) { c.Size = 400 }, []response{says("stop", `{"content":"`+strings.Repeat("x", 500)+`"}`)}, errclass.Conflict, errclass.NotRun, false, "loop_size", "longer than the 400 bytes"},
		"a long document":   {func(c *loop.Config) { c.Size = 400 }, []response{{head: map[string]string{"Content-Type": "application/json"}, body: `{"choices":[{"message":{"content":"` + strings.Repeat("x", 500) + `"}}]}`}}, errclass.Conflict, errclass.NotRun, false, "loop_size", "longer than the 400 bytes"},
		"a long talk":       {func(c *loop.Config) { c.Total = 200 }, []response{f}, errclass.Conflict, errclass.Failed, false, "loop_size", "of 200 that are allowed; the results"},
		"a long request":    {func(c *loop.Config) { c.Total = 20 }, []response{f}, errclass.InvalidArgs, errclass.NotRun, false, "", "of 20 that are allowed"},
		"401":               {nil, []response{{status: 401, head: map[string]string{"Content-Type": "application/json"}, body: `{"error":{"message":"KEY is wrong","code":"invalid_api_key"}}`}}, errclass.Auth, errclass.NotRun, false, "", "does not take the key of the bridge"},
		"502 with HTML":     {nil, []response{g, page}, errclass.Transient, errclass.Failed, false, "", "the model server answered with HTTP status 502"},
		"a redirect":        {nil, []response{{status: 307, head: map[string]string{"Location": "http://127.0.0.1:1/"}}}, errclass.NotFound, errclass.NotRun, false, "", "redirects are not followed"},
		"too long a prompt": {nil, []response{{status: 400, head: map[string]string{"Content-Type": "application/json"}, body: `{"error":{"message":"too long, KEY","code":"context_length_exceeded","param":"messages"}}`}}, errclass.InvalidArgs, errclass.NotRun, false, "context_length_exceeded", "too long, "},
		"an error inside":   {nil, []response{{body: "data: {\"error\":{\"message\":\"KEY broke\",\"code\":\"oops KEY\"}}\n\n"}}, errclass.Transient, errclass.NotRun, true, "", "in the middle of its answer"},
		"a 429 inside":      {nil, []response{{body: "data: {\"error\":{\"message\":\"slow\",\"code\":429}}\n\n"}}, errclass.RateLimit, errclass.NotRun, true, "", "slow"},
		"no JSON":           {nil, []response{{body: "data: KEY\n\n"}}, errclass.Transient, errclass.NotRun, true, "", "no chat completion"},
		"a strange call":    {nil, []response{says("tool_calls", `{"tool_calls":["KEY"]}`)}, errclass.Transient, errclass.NotRun, true, "", "cannot be read"},
		"a nameless call":   {nil, []response{says("tool_calls", `{"tool_calls":[{"index":0,"id":"a"}]}`)}, errclass.Transient, errclass.NotRun, true, "", "without the name"},
		"very many calls":   {nil, []response{says("tool_calls", calls(make([]string, 129)...))}, errclass.Transient, errclass.NotRun, true, "", "more than 128"},
	} {
		t.Run(name, func(t *testing.T) {
			m := &model{script: c.script}
			l := client(m.start(t), func(o *loop.Config) {
				if c.change != nil {
					c.change(o)
				}
			})
			out := run(t.Context(), l, hello)
			failed, ok := errors.AsType[openai.Failure](out.err)
			if e := failed.Cause; !ok || e.Class != c.class || e.Context.Outcome != c.outcome || e.Retryable != c.retryable || failed.Code != c.code || !strings.Contains(e.Message, c.says) {
				t.Errorf("failed with %+v", out.err)
			}
			beside := string(openai.Envelope(out.err))
			if told := strings.Contains(beside, `"peerwright":{"calls":[{"id":"`) && strings.Contains(beside, `"tool_call_id"`); told != (len(out.executed) > 0) {
				t.Errorf("after %d calls the client is told %s", len(out.executed), beside)
			}
			if strings.Contains(beside+out.text, "canary") {
				t.Errorf("the key is in %s %s", beside, out.text)
			}
		})
	}
}

func TestNobodyThere(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	out := run(t.Context(), client(server.URL), hello)
	e, _ := errors.AsType[errclass.Error](out.err)
	if e.Class != errclass.Transient || e.Context.Outcome != errclass.NotRun || !e.Retryable || e.Message != "the model server cannot be reached" {
		t.Errorf("failed with %+v", out.err)
	}
}

// A request that was refused before it was answered is made again when its server wants it,
// so that what came of the calls before is not lost.
func TestRequestsAreRepeated(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	f := says("tool_calls", calls("g"))
	limit := func(after string) response {
		return response{status: 429, head: map[string]string{"Retry-After": after}}
	}
	for name, c := range map[string]struct {
		refused   response
		never     bool
		least     time.Duration
		asked     int
		fails     errclass.Class
		retryable bool
	}{
		"seconds":         {refused: limit("7"), least: 7 * time.Second, asked: 3},
		"a date":          {refused: limit(now.Add(9 * time.Second).Format(http.TimeFormat)), least: 9 * time.Second, asked: 3},
		"503":             {refused: response{status: 503, body: "<html>"}, asked: 3},
		"500":             {refused: response{status: 500, body: "<html>"}, asked: 3},
		"too long a wait": {refused: limit("60"), asked: 2, fails: errclass.RateLimit},
		"not wanted":      {refused: limit("1"), never: true, asked: 2, fails: errclass.RateLimit},
		"400":             {refused: response{status: 400}, asked: 2, fails: errclass.InvalidArgs},
	} {
		t.Run(name, func(t *testing.T) {
			var waited []time.Duration
			m := &model{script: []response{f, c.refused, done}}
			l := client(m.start(t), func(o *loop.Config) {
				o.Now = func() time.Time { return now }
				o.Wait = func(_ context.Context, d time.Duration) error { waited = append(waited, d); return nil }
			})
			out := run(t.Context(), l, hello, func(q *loop.Request, _ *recorder) { q.NoRetry = c.never })
			e, _ := errors.AsType[errclass.Error](out.err)
			if e.Class != c.fails || len(m.asked) != c.asked || c.fails == "" && (out.text != "done" || len(waited) != 1 || waited[0] < c.least) {
				t.Errorf("asked %d times after %v, failed with %v", len(m.asked), waited, out.err)
			}
			if c.fails == errclass.RateLimit && (e.Retryable || !e.Context.ResetAt.After(now)) {
				t.Errorf("the client is told %+v", e)
			}
		})
	}
}

func TestRepeatingHasAnEnd(t *testing.T) {
	m := &model{script: []response{{status: 503}}}
	out := run(t.Context(), client(m.start(t)), hello)
	if e, _ := errors.AsType[errclass.Error](out.err); e.Class != errclass.Transient || len(m.asked) != 3 {
		t.Errorf("asked %d times, failed with %v", len(m.asked), out.err)
	}
}

// A model that says nothing more is given up, and its server is told.
func TestTime(t *testing.T) {
	m := &model{script: []response{says("tool_calls", calls("g")), {body: says("", `{"content":"so"}`).body, hang: true}}}
	out := run(t.Context(), client(m.start(t), func(c *loop.Config) { c.Time = 100 * time.Millisecond }), hello)
	f, _ := errors.AsType[openai.Failure](out.err)
	if f.Cause.Class != errclass.Timeout || f.Code != "loop_time" || f.Cause.Retryable || f.Cause.Context.Outcome != errclass.Failed || len(f.Beside) == 0 {
		t.Errorf("failed with %+v", out.err)
	}
	<-m.ended
}

// A client that goes away takes the request to the model with it.
func TestTheClientGoesAway(t *testing.T) {
	m := &model{script: []response{{body: says("", `{"content":"so"}`).body, hang: true}}}
	ctx, cancel := context.WithCancel(t.Context())
	out := run(ctx, client(m.start(t)), hello, func(_ *loop.Request, r *recorder) { r.said = cancel })
	if !errors.Is(out.err, context.Canceled) || out.text != "so" {
		t.Errorf("said %q, failed with %v", out.text, out.err)
	}
	<-m.ended
}
