package upstream_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/mcptools/upstream"
	"github.com/peerwright/peerwright/internal/dial"
	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// failed makes a call and returns how it failed.
func failed(t *testing.T, u *upstream.Upstream, tool string, timeout time.Duration) errclass.Error {
	t.Helper()
	got, err := u.Call(t.Context(), "", upstream.Call{Tool: tool, Args: json.RawMessage(`{}`), Timeout: timeout})
	e, ok := errors.AsType[errclass.Error](err)
	if !ok {
		t.Fatalf("%s: %s, %v", tool, got.Raw, err)
	}
	return e
}

func succeeds(t *testing.T, u *upstream.Upstream, tool string) string {
	t.Helper()
	got, err := u.Call(t.Context(), "", upstream.Call{Tool: tool, Args: json.RawMessage(`{}`)})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return string(got.Raw)
}

// want is what is expected of a failure.
type want struct {
	class   errclass.Class
	source  errclass.Source
	outcome errclass.Outcome
	code    int
	says    string
}

func (w want) check(t *testing.T, e errclass.Error) {
	t.Helper()
	got := want{e.Class, e.Context.Source, e.Context.Outcome, e.Context.UpstreamCode, w.says}
	if got != w || !strings.Contains(e.Message, w.says) || strings.Contains(e.Message, "<") {
		t.Errorf("got  %+v: %s\nwant %+v", got, e.Message, w)
	}
}

func TestFaultsOfAProcess(t *testing.T) {
	lost := want{errclass.Transient, errclass.Transport, errclass.Unknown, 0, "status 3"}
	for tool, w := range map[string]want{
		"die":      lost,
		"cut":      {errclass.Transient, errclass.Transport, errclass.Unknown, 0, "server"},
		"hang":     {errclass.Timeout, errclass.Transport, errclass.Unknown, 0, "no answer within 200ms"},
		"wrong id": {errclass.Timeout, errclass.Transport, errclass.Unknown, 0, "no answer within 200ms"},
		"nothing":  {errclass.InvalidArgs, errclass.Upstream, errclass.NotRun, -32602, "unknown tool nothing"},
	} {
		t.Run(tool, func(t *testing.T) {
			u := open(t, upstream.Config{Target: command(t, "script"), Revision: mcp.Rev2506})
			succeeds(t, u, "pid")
			timeout := 20 * time.Second
			if w.class == errclass.Timeout {
				timeout = 200 * time.Millisecond
			}
			e := failed(t, u, tool, timeout)
			w.check(t, e)
			if strings.Contains(e.Message, "hunter2") {
				t.Errorf("a secret on stderr is told: %s", e.Message)
			}
			succeeds(t, u, "pid") // which goes on, or is started again
		})
	}
}

func TestWhatAProcessMayDo(t *testing.T) {
	u := open(t, upstream.Config{Target: command(t, "script"), Revision: mcp.Rev2506})
	for _, tool := range []string{"garbage", "flood", "changed"} {
		if got := succeeds(t, u, tool); !strings.Contains(got, "done") {
			t.Errorf("%s: %s", tool, got)
		}
	}
	if got := succeeds(t, u, "large"); len(got) < 10<<20 {
		t.Errorf("of 10 MiB came %d bytes", len(got))
	}
	if st := u.State(); st.Starts != 1 {
		t.Errorf("started %d times", st.Starts)
	}
}

// A message over the limit costs the call that it answers, at once, and no other.
func TestAnAnswerOverTheLimit(t *testing.T) {
	target := command(t, "script")
	target.Limit = 1 << 20
	u := open(t, upstream.Config{Target: target, Revision: mcp.Rev2506})
	e := failed(t, u, "large", 20*time.Second)
	want{errclass.Transient, errclass.Transport, errclass.Unknown, 0, "over the limit of 1048576 bytes"}.check(t, e)
	if e.Retryable {
		t.Error("it would only come again")
	}
	if before := u.State().Starts; before != 1 || !strings.Contains(succeeds(t, u, "pid"), "pid") || u.State().Starts != 1 {
		t.Error("the server had to be started again")
	}
}

// Many who find the server dead have it started once.
func TestConcurrentCallersShareAStart(t *testing.T) {
	u := open(t, upstream.Config{Target: command(t, "script"), Revision: mcp.Rev2506})
	failed(t, u, "die", time.Second)
	pids := sync.Map{}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			got, err := u.Call(t.Context(), "", upstream.Call{Tool: "pid", Args: json.RawMessage(`{}`)})
			if err != nil {
				t.Error(err)
			}
			pids.Store(string(got.Raw), true)
		})
	}
	all.Wait()
	n := 0
	pids.Range(func(any, any) bool { n++; return true })
	if n != 1 || u.State().Starts != 2 {
		t.Errorf("%d processes answered after %d starts", n, u.State().Starts)
	}
}

// A server that dies again and again is not started without end: in between, calls fail at
// once, and say why and when it is tried again.
func TestRestartsAreBounded(t *testing.T) {
	u := open(t, upstream.Config{Target: command(t, "script"), Revision: mcp.Rev2506})
	refused := 0
	for range 20 {
		e := failed(t, u, "die", time.Second)
		if e.Context.Outcome == errclass.NotRun {
			refused++
			if !strings.Contains(e.Message, "status 3") || !strings.Contains(e.Message, "the next attempt is in") || e.Class != errclass.Transient {
				t.Errorf("%+v", e)
			}
		}
	}
	if refused < 10 || u.State().Starts > 10 {
		t.Errorf("%d of 20 calls were refused, after %d starts", refused, u.State().Starts)
	}
	if st := u.State(); st.Phase != upstream.Failed || !strings.Contains(st.Err, "status 3") {
		t.Errorf("%+v", st)
	}
}

func TestServersThatCannotBeHad(t *testing.T) {
	html := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, "<!doctype html><title>no</title>")
	})
	for name, c := range map[string]struct {
		target dial.Target
		w      want
	}{
		"no program": {dial.Target{Command: []string{"/no/such/program"}}, want{errclass.Transient, errclass.Transport, errclass.NotRun, 0, "/no/such/program"}},
		"no server":  {dial.Target{URL: "http://127.0.0.1:1/mcp"}, want{errclass.Transient, errclass.Transport, errclass.NotRun, 0, "could not be reached"}},
		"no WebSocket": {
			dial.Target{URL: strings.Replace(newServer(t, html), "http", "ws", 1)},
			want{errclass.Auth, errclass.Upstream, errclass.NotRun, 401, "HTTP status 401"},
		},
		"no credentials": {dial.Target{URL: newServer(t, html)}, want{errclass.Auth, errclass.Upstream, errclass.NotRun, 401, "HTTP status 401"}},
		"no MCP":         {dial.Target{Command: []string{"true"}}, want{errclass.Transient, errclass.Transport, errclass.NotRun, 0, "server"}},
	} {
		t.Run(name, func(t *testing.T) {
			u := open(t, upstream.Config{Target: c.target})
			c.w.check(t, failed(t, u, "x", 5*time.Second))
			_, err := u.Tools(t.Context(), "", 0)
			if e, ok := errors.AsType[errclass.Error](err); !ok || e.Class != c.w.class {
				t.Errorf("the list: %v", err)
			}
			if e, ok := errors.AsType[errclass.Error](u.Ready(t.Context())); !ok || e.Class != c.w.class {
				t.Errorf("readiness: %v", e)
			}
		})
	}
}

func TestAServerThatNeverCompletesTheHandshake(t *testing.T) {
	stuck := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // or the end of the connection is not seen
		<-r.Context().Done()
	})
	u := open(t, upstream.Config{Target: at(t, stuck, "/"), Start: 50 * time.Millisecond})
	want{errclass.Timeout, errclass.Transport, errclass.NotRun, 0, "handshake"}.check(t, failed(t, u, "x", 5*time.Second))
}

// A caller who leaves, and one whose time is up, are told apart, and the server is told.
func TestGivingUp(t *testing.T) {
	for _, revision := range []string{mcp.Rev2511, mcp.Rev2607} {
		t.Run(revision, func(t *testing.T) {
			arrived, told := make(chan string, 1), make(chan string, 10)
			h := scripted(revision, func(w http.ResponseWriter, r *http.Request, m wire.Message) {
				switch m.Method {
				case "tools/call":
					arrived <- m.ID.String()
					<-r.Context().Done()
					told <- "closed"
				case "notifications/cancelled":
					told <- wire.RawID(wire.Get(m.Params, "requestId")).String()
				}
			})
			u := open(t, upstream.Config{Target: at(t, h, "/")})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var id string
			go func() {
				id = <-arrived
				cancel()
			}()
			_, err := u.Call(ctx, "", upstream.Call{Tool: "x", Args: json.RawMessage(`{}`)})
			e, _ := errors.AsType[errclass.Error](err)
			if e.Class != errclass.Timeout || e.Context.Outcome != errclass.Unknown || e.Retryable {
				t.Errorf("%+v", err)
			}
			var heard []string
			for range 2 {
				if revision == mcp.Rev2607 && len(heard) == 1 {
					break
				}
				heard = append(heard, <-told)
			}
			all := strings.Join(heard, " ")
			if !strings.Contains(all, "closed") || revision == mcp.Rev2511 && !strings.Contains(all, id) {
				t.Errorf("the server heard %s of call %s", all, id)
			}
		})
	}
}

// scripted is an HTTP server that is sound but for what answer does with all but the
// handshake and the list.
func scripted(revision string, answer func(w http.ResponseWriter, r *http.Request, m wire.Message)) http.Handler {
	echo := echoServer(revision)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		m, again := peek(r)
		switch m.Method {
		case "server/discover", "initialize", "notifications/initialized":
			echo.ServeHTTP(w, again)
		case "tools/list":
			w.Header().Set("Content-Type", "application/json")
			w.Write(wire.Result(m.ID, json.RawMessage(`{"tools":[{"name":"x","inputSchema":{"type":"object"}}]}`)))
		default:
			answer(w, again, m)
		}
	})
}

func TestRefusalsOverHTTP(t *testing.T) {
	type answer struct {
		status  int
		head    http.Header
		body    string
		w       want
		seconds int // to wait; 0 says nothing
	}
	rpcError := func(id string, code int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"the server says no"}}`, id, code)
	}
	html := http.Header{"Content-Type": {"text/html"}}
	plain := http.Header{"Content-Type": {"text/plain"}}
	asJSON := http.Header{"Content-Type": {"application/json"}}
	for name, a := range map[string]answer{
		"401 without a body": {401, nil, "", want{errclass.Auth, errclass.Upstream, errclass.NotRun, 401, "HTTP status 401"}, 0},
		"403 in text":        {403, plain, "you are not on the list", want{errclass.Permission, errclass.Upstream, errclass.NotRun, 403, "you are not on the list"}, 0},
		"404 in HTML":        {404, html, "<h1>lost</h1>", want{errclass.NotFound, errclass.Upstream, errclass.NotRun, 404, "HTTP status 404"}, 0},
		"409 in JSON":        {409, asJSON, `{"error":{"message":"it exists"}}`, want{errclass.Conflict, errclass.Upstream, errclass.Failed, 409, "it exists"}, 0},
		"422 as a problem":   {422, http.Header{"Content-Type": {"application/problem+json"}}, `{"title":"bad","detail":"title is too long"}`, want{errclass.InvalidArgs, errclass.Upstream, errclass.NotRun, 422, "title is too long"}, 0},
		"429":                {429, http.Header{"Retry-After": {"7"}}, "", want{errclass.RateLimit, errclass.Upstream, errclass.NotRun, 429, "HTTP status 429"}, 7},
		"429 with JSON-RPC":  {429, http.Header{"Retry-After": {"3"}, "Content-Type": {"application/json"}}, rpcError("ID", -32000), want{errclass.RateLimit, errclass.Upstream, errclass.NotRun, 429, "the server says no"}, 3},
		"500 in HTML":        {500, html, "<html><body>Internal</body></html>", want{errclass.Transient, errclass.Upstream, errclass.Failed, 500, "HTTP status 500"}, 0},
		"502 in HTML":        {502, nil, "<html>bad gateway", want{errclass.Transient, errclass.Upstream, errclass.Unknown, 502, "HTTP status 502"}, 0},
		"503":                {503, http.Header{"Retry-After": {"2"}}, "busy", want{errclass.Transient, errclass.Upstream, errclass.NotRun, 503, "busy"}, 2},
		"500 with JSON-RPC":  {500, asJSON, rpcError("ID", -32602), want{errclass.InvalidArgs, errclass.Upstream, errclass.NotRun, -32602, "the server says no"}, 0},
		"400 without an id":  {400, asJSON, rpcError("null", -32602), want{errclass.InvalidArgs, errclass.Upstream, errclass.NotRun, -32602, "the server says no"}, 0},
		"404 method":         {404, asJSON, rpcError("ID", -32601), want{errclass.NotFound, errclass.Upstream, errclass.NotRun, -32601, "the server says no"}, 0},
		"200 in HTML":        {200, html, "<html>welcome</html>", want{errclass.Transient, errclass.Transport, errclass.Unknown, 0, "content type"}, 0},
		"200 cut":            {200, asJSON, `{"jsonrpc":"2.0","id":`, want{errclass.Transient, errclass.Transport, errclass.Unknown, 0, "not valid JSON"}, 0},
		"200 empty":          {200, asJSON, ``, want{errclass.Transient, errclass.Transport, errclass.Unknown, 0, "without a body"}, 0},
		"200 of another":     {200, asJSON, `{"jsonrpc":"2.0","id":"other","result":{}}`, want{errclass.Transient, errclass.Transport, errclass.Unknown, 0, "without an answer"}, 0},
		"202":                {202, nil, ``, want{errclass.Transient, errclass.Transport, errclass.Unknown, 0, "202"}, 0},
		"a stream without an answer": {
			200,
			http.Header{"Content-Type": {"text/event-stream"}},
			"data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\n",
			want{errclass.Transient, errclass.Transport, errclass.Unknown, 0, "stream ended before the answer"},
			0,
		},
		"input":            {200, asJSON, `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create"}}}}`, want{errclass.Conflict, errclass.Upstream, errclass.Failed, 0, "elicitation/create"}, 0},
		"a task":           {200, asJSON, `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"task"}}`, want{errclass.Transient, errclass.Transport, errclass.Unknown, 0, `"task"`}, 0},
		"no object":        {200, asJSON, `{"jsonrpc":"2.0","id":ID,"result":"fine"}`, want{errclass.Transient, errclass.Transport, errclass.Unknown, 0, "no object"}, 0},
		"an unknown error": {200, asJSON, rpcError("ID", -32000), want{errclass.Transient, errclass.Upstream, errclass.Failed, -32000, "the server says no"}, 0},
	} {
		for _, revision := range []string{mcp.Rev2511, mcp.Rev2607} {
			t.Run(name+", "+revision, func(t *testing.T) {
				h := scripted(revision, func(w http.ResponseWriter, _ *http.Request, m wire.Message) {
					for k, v := range a.head {
						w.Header()[k] = v
					}
					w.WriteHeader(a.status)
					fmt.Fprint(w, strings.ReplaceAll(a.body, "ID", m.ID.String()))
				})
				u := open(t, upstream.Config{Target: at(t, h, "/")})
				e := failed(t, u, "x", 5*time.Second)
				a.w.check(t, e)
				if wait := time.Until(e.Context.ResetAt); a.seconds > 0 && (wait <= time.Duration(a.seconds-1)*time.Second || wait > time.Duration(a.seconds)*time.Second) {
					t.Errorf("to wait %v", wait)
				}
			})
		}
	}
}

// A server that was restarted does not know the session: a new one is begun, once for all
// who find out, and no call is lost or made twice.
func TestALostSessionIsRenewedOnce(t *testing.T) {
	for name, lost := range map[string]struct {
		status int
		body   string
	}{
		"404":               {404, ""},
		"404 of JSON-RPC":   {404, `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`},
		"400 of an old SDK": {400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			var session, opened, ran atomic.Int32
			session.Store(1)
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				m, again := peek(r)
				current := fmt.Sprint("s", session.Load())
				w.Header().Set("Content-Type", "application/json")
				switch {
				case m.Method == "initialize":
					opened.Add(1)
					w.Header().Set("Mcp-Session-Id", current)
					w.Write(wire.Result(m.ID, json.RawMessage(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`)))
				case m.Method == "server/discover":
					w.WriteHeader(400)
				case again.Header.Get("Mcp-Session-Id") != current:
					w.WriteHeader(lost.status)
					fmt.Fprint(w, lost.body)
				case m.ID.IsZero():
					w.WriteHeader(202)
				default:
					ran.Add(1)
					w.Write(wire.Result(m.ID, json.RawMessage(`{"content":[]}`)))
				}
			})
			u := open(t, upstream.Config{Target: at(t, h, "/")})
			succeeds(t, u, "x")
			session.Store(2)
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() { succeeds(t, u, "x") })
			}
			all.Wait()
			if opened.Load() != 2 || ran.Load() != 21 {
				t.Errorf("%d sessions, %d calls", opened.Load(), ran.Load())
			}
		})
	}
}
