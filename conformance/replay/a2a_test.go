package replay_test

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/conformance/peers/a2apeer"
	"github.com/peerwright/peerwright/conformance/replay"
	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/wire"
	"github.com/peerwright/peerwright/reporters"
)

// changed serves the built-in agent behind a change of its answers, each whole. The
// request is its path and its body.
func changed(t *testing.T, o a2apeer.Options, change func(request string, status *int, header http.Header, body string) string) string {
	t.Helper()
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	o.Step = time.Millisecond
	agent := a2apeer.New(o).Handler(s.URL)
	mux.HandleFunc("/", func(w http.ResponseWriter, req *http.Request) {
		asked, _ := io.ReadAll(req.Body)
		req.Body = io.NopCloser(bytes.NewReader(asked))
		resp := httptest.NewRecorder()
		agent.ServeHTTP(resp, req)
		status := resp.Code
		header := resp.Header()
		header.Del("Content-Length")
		body := change(req.URL.Path+" "+string(asked), &status, header, resp.Body.String())
		maps.Copy(w.Header(), header)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
	return s.URL
}

// errandCases are the cases of errand, all passed.
func errandCases() map[string]result {
	return map[string]result{
		"1.get-well-known-agent-card-json": passed(), "2.sendmessage": passed(), "3.gettask": passed(), "4.canceltask": passed(),
		"5.gettask": passed(), "6.sendmessage": passed(), "7.sendstreamingmessage": passed(),
	}
}

func TestReplayOfAChangedAgent(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	f := recordA2A(ctx, t, filepath.Join(t.TempDir(), "a"+fixtures.Suffix), dialects["1.0 over JSON-RPC"])
	replaced := func(mark, old, new string) func(string, *int, http.Header, string) string {
		return func(request string, _ *int, _ http.Header, body string) string {
			if strings.Contains(request, mark) {
				return strings.ReplaceAll(body, old, new)
			}
			return body
		}
	}
	for name, tc := range map[string]struct {
		options a2apeer.Options
		change  func(string, *int, http.Header, string) string
		want    map[string]result
	}{
		"nothing": {change: replaced("nothing", "", "")},
		"a skill less in the card": {
			change: replaced("agent-card.json", `"description"`, `"about"`),
			want:   map[string]result{"1.get-well-known-agent-card-json": {reporters.Failed, "expected nothing, got"}},
		},
		"another state": {
			change: replaced(`"GetTask"`, "TASK_STATE_COMPLETED", "TASK_STATE_FAILED"),
			want:   map[string]result{"3.gettask": {reporters.Failed, `expected "TASK_STATE_COMPLETED", got "TASK_STATE_FAILED"`}},
		},
		"another error": {
			change: replaced(`"CancelTask"`, "-32002", "-32004"),
			want:   map[string]result{"4.canceltask": {reporters.Failed, "/error/code: expected -32002, got -32004"}},
		},
		"another status": {
			change: func(request string, status *int, _ http.Header, body string) string {
				if strings.Contains(request, "no-such-task") {
					*status = http.StatusNotFound
				}
				return body
			},
			want: map[string]result{"5.gettask": {reporters.Failed, "404"}},
		},
		"another type": {
			change: func(request string, _ *int, header http.Header, body string) string {
				if strings.Contains(request, "no-such-task") {
					header.Set("Content-Type", "text/plain")
				}
				return body
			},
			want: map[string]result{"5.gettask": {reporters.Failed, `"text/plain"`}},
		},
		"no id in the first task": {
			change: replaced(`"text":"hello"`, `"id":"`, `"identity":"`),
			want: map[string]result{
				"2.sendmessage": {reporters.Failed, "expected nothing, got"},
				"3.gettask":     {reporters.NotVerified, "the peer gave no task (task-1) at /result/task/id"},
				"4.canceltask":  {reporters.NotVerified, "the peer gave no task (task-1) at /result/task/id"},
			},
		},
		"a stream that ends early": {
			change: func(request string, _ *int, _ http.Header, body string) string {
				if !strings.Contains(request, "SendStreamingMessage") {
					return body
				}
				events := strings.SplitAfter(body, "\n\n")
				return strings.Join(events[:len(events)-2], "")
			},
			want: map[string]result{"7.sendstreamingmessage": {reporters.Failed, "a result"}},
		},
		"a stream that goes on after its end": {
			change: func(request string, _ *int, _ http.Header, body string) string {
				if !strings.Contains(request, "SendStreamingMessage") {
					return body
				}
				events := strings.SplitAfter(body, "\n\n")
				return body + events[len(events)-3]
			},
			want: map[string]result{"7.sendstreamingmessage": {reporters.Failed, "a result"}},
		},
		"no streaming": {
			options: a2apeer.Options{NoStreaming: true},
			change:  replaced("nothing", "", ""),
			want: map[string]result{
				"1.get-well-known-agent-card-json": {reporters.Failed, "/capabilities/streaming"},
				"7.sendstreamingmessage":           {reporters.NotApplicable, "the peer has no streaming"},
			},
		},
		"no JSON-RPC": {
			change: replaced("agent-card.json", `"JSONRPC"`, `"JSONRPCX"`),
			want: map[string]result{
				"2.sendmessage": {reporters.NotApplicable, "JSON-RPC binding"}, "3.gettask": {reporters.NotApplicable, "JSON-RPC binding"},
				"4.canceltask": {reporters.NotApplicable, "JSON-RPC binding"}, "5.gettask": {reporters.NotApplicable, "JSON-RPC binding"},
				"6.sendmessage": {reporters.NotApplicable, "JSON-RPC binding"}, "7.sendstreamingmessage": {reporters.NotApplicable, "JSON-RPC binding"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			target, err := replay.A2A(load(t, "a", f, replay.Options{}), replay.A2AConfig{URL: changed(t, tc.options, tc.change), Now: time.Now})
			if err != nil {
				t.Fatal(err)
			}
			want := errandCases()
			maps.Copy(want, tc.want)
			expect(t, run(t, target), want)
		})
	}
}

// http frames of a scripted agent.
func httpFrames(n int, method, url, request, media, response string) []fixtures.Frame {
	all := []fixtures.Frame{
		{Dir: wire.Out, Kind: wire.FrameRequest, Exchange: n, Method: method, URL: url, Header: http.Header{
			"Content-Type": {"application/json"}, "Authorization": {"[REDACTED:authorization:00112233]"}, "A2a-Version": {"1.0"},
		}},
	}
	if request != "" {
		all = append(all, fixtures.Frame{Dir: wire.Out, Kind: wire.FrameBody, Exchange: n, Data: []byte(request)})
	}
	if media == "" {
		return all
	}
	all = append(all, fixtures.Frame{Dir: wire.In, Kind: wire.FrameResponse, Exchange: n, Status: 200, Header: http.Header{"Content-Type": {media}}})
	if media != "text/event-stream" {
		return append(all, fixtures.Frame{Dir: wire.In, Kind: wire.FrameBody, Exchange: n, Data: []byte(response)},
			fixtures.Frame{Dir: wire.In, Kind: wire.FrameClose, Exchange: n})
	}
	r := wire.NewEventReader(strings.NewReader(response), 0)
	for {
		e, err := r.Next()
		if err != nil {
			break
		}
		all = append(all, fixtures.Frame{Dir: wire.In, Kind: wire.FrameEvent, Exchange: n, Data: e.Raw, Event: &e})
	}
	return append(all, fixtures.Frame{Dir: wire.In, Kind: wire.FrameClose, Exchange: n, Note: "closed by the reader before the end"})
}

// TestREST plays a fixture of an agent at another place, with ids in its paths, a
// stream that the client left, and a request that nobody answered.
func TestREST(t *testing.T) {
	const task = `{"task":{"id":"T","status":{"state":"TASK_STATE_WORKING"}}}`
	var all []fixtures.Frame
	for i, x := range [][5]string{
		{"POST", "http://old/base/message:send?x=1", `{"message":{"messageId":"m","contextId":"c","parts":[]}}`, "application/json", strings.Replace(task, "T", "t-1", 1)},
		{"GET", "http://old/base/tasks/t-1", "", "application/json", `{"id":"t-1","status":{"state":"TASK_STATE_WORKING"}}`},
		{"POST", "http://old/base/tasks/t-1:subscribe", "", "text/event-stream", "data: " + strings.Replace(task, "T", "t-1", 1) + "\n\n"},
		{"GET", "http://old/health", "", "application/json", `{"ok":true}`},
		{"GET", "http://old/base/tasks/t-1", "", "", ""},
		{"POST", "http://old/base/message:send", `{"message":{"messageId":"m","taskId":"t-1","parts":[{"text":"[REDACTED:token:00112233]"}]}}`, "application/json", `{}`},
	} {
		all = append(all, httpFrames(i+1, x[0], x[1], x[2], x[3], x[4])...)
	}
	var asked []string
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	mux.HandleFunc("/", func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		asked = append(asked, req.Method+" "+req.RequestURI+" "+string(body)+req.Header.Get("Authorization")+req.Header.Get("A2A-Version"))
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.Contains(req.URL.Path, "agent-card"):
			_, _ = io.WriteString(w, `{"name":"n","version":"1","capabilities":{"streaming":true},"skills":[],"supportedInterfaces":[{"url":"`+s.URL+`/new/","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}]}`)
		case strings.HasSuffix(req.URL.Path, "message:send"):
			_, _ = io.WriteString(w, strings.Replace(task, "T", "live/1", 1))
		case strings.HasSuffix(req.URL.Path, ":subscribe"):
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: "+strings.Replace(task, "T", "live/1", 1)+"\n\n")
			w.(http.Flusher).Flush()
			<-req.Context().Done() // it has no end
		case strings.Contains(req.URL.Path, "/tasks/"):
			_, _ = io.WriteString(w, `{"id":"live/1","status":{"state":"TASK_STATE_WORKING"}}`)
		default:
			_, _ = io.WriteString(w, `{"ok":true}`)
		}
	})
	f := fixture(t, fixtures.A2A, all)
	target, err := replay.A2A(load(t, "a", f, replay.Options{}), replay.A2AConfig{URL: s.URL, Now: time.Now, Random: strings.NewReader(strings.Repeat("x", 64))})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, run(t, target), map[string]result{
		"1.post-message-send": passed(), "2.get-tasks-id": passed(), "3.post-tasks-id-subscribe": passed(), "4.get-health": passed(),
		"5.get-tasks-id":      {reporters.NotVerified, "the fixture holds no answer to it"},
		"6.post-message-send": {reporters.NotVerified, "its request holds a value that was redacted"},
	})
	const fresh = "78787878-7878-4878-b878-787878787878"
	want := []string{
		`POST /new/message:send?x=1 {"message":{"messageId":"` + fresh + `","contextId":"` + fresh + `","parts":[]}}1.0`,
		"GET /new/tasks/live%2F1 1.0", "POST /new/tasks/live%2F1:subscribe 1.0", "GET /health 1.0", "GET /new/tasks/live%2F1 1.0",
	}
	if got := asked[1:]; strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("asked\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
