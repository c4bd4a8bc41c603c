package a2ahttp

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

func TestCallJSONRPC(t *testing.T) {
	a := startAgent(t, map[string]http.HandlerFunc{"/rpc": says(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"id":"t"}}`)})
	c, transcript := a.client(t, JSONRPC, V10)
	reply, err := c.Call(t.Context(), GetTask, json.RawMessage(`{"id":"t"}`))
	if err != nil || string(reply.Result) != `{"id":"t"}` || reply.Exchange != 1 || reply.ID != wire.IntID(1) {
		t.Errorf("got %+v, %v", reply, err)
	}
	got := a.requests()[0]
	if got.body != `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}` {
		t.Errorf("sent %s", got.body)
	}
	for name, want := range map[string]string{"A2A-Version": "1.0", "Content-Type": "application/json", "Accept": "application/json"} {
		if got.Header.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, got.Header.Get(name), want)
		}
	}
	var kinds []wire.FrameKind
	for _, f := range transcript.Frames(0) {
		kinds = append(kinds, f.Kind)
	}
	if diff := cmp.Diff([]wire.FrameKind{"request", "body", "response", "body", "close"}, kinds); diff != "" {
		t.Error(diff)
	}
}

func TestSendTakesIDAndHeaders(t *testing.T) {
	a := startAgent(t, map[string]http.HandlerFunc{"/rpc": says(200, "application/json", `{"jsonrpc":"2.0","id":"007","result":null}`)})
	c, err := New(Interface{URL: a.URL + "/rpc", Binding: JSONRPC, Version: V10, Tenant: "x"}, Config{Extensions: []string{"urn:a", "urn:b"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	reply, err := c.Send(t.Context(), Request{
		Op: CancelTask, ID: wire.RawID([]byte(`"007"`)), Header: http.Header{"A2A-Version": nil, "X-Own": {"1"}},
	})
	if err != nil || string(reply.Result) != "null" || reply.ID != reply.Message.ID {
		t.Errorf("got %+v, %v", reply, err)
	}
	got := a.requests()[0]
	if got.body != `{"jsonrpc":"2.0","id":"007","method":"CancelTask","params":{"tenant":"x"}}` {
		t.Errorf("sent %s", got.body)
	}
	if _, there := got.Header["A2a-Version"]; there || got.Header.Get("X-Own") != "1" || got.Header.Get("A2A-Extensions") != "urn:a,urn:b" {
		t.Errorf("headers %v", got.Header)
	}
}

func TestCallOlderVersions(t *testing.T) {
	a := startAgent(t, map[string]http.HandlerFunc{
		"/rpc":                             says(200, "text/plain", `{"jsonrpc":"2.0","id":1,"result":{}}`),
		"/agent/authenticatedExtendedCard": says(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":{}}`),
	})
	for _, version := range []string{V02, V03} {
		c, _ := a.client(t, JSONRPC, version)
		if _, err := c.Call(t.Context(), GetTask, json.RawMessage(`{}`)); err != nil {
			t.Error(err)
		}
		if _, err := c.Call(t.Context(), GetExtendedCard, nil); err != nil {
			t.Error(err)
		}
		if _, err := c.Call(t.Context(), ListTasks, nil); err == nil {
			t.Error("tasks were listed by a version that cannot")
		}
	}
	var got []string
	for _, r := range a.requests() {
		got = append(got, r.Method+" "+r.URL.Path+" "+wireMethod(r.body)+" "+r.Header.Get("A2A-Version"))
	}
	want := []string{
		"POST /rpc tasks/get ", "GET /agent/authenticatedExtendedCard  ",
		"POST /rpc tasks/get ", "POST /rpc agent/getAuthenticatedExtendedCard ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func wireMethod(body string) string { return wire.Parse([]byte(body)).Method }

func TestCallHTTPJSON(t *testing.T) {
	a := startAgent(t, map[string]http.HandlerFunc{
		"/rest/message:send":                      says(201, "application/a2a+json", `{"task":{"id":"t"}}`),
		"/rest/tasks/t/pushNotificationConfigs/c": says(200, "application/json", ""),
	})
	c, _ := a.client(t, HTTPJSON, V10)
	reply, err := c.Call(t.Context(), SendMessage, json.RawMessage(`{"message":{}}`))
	if err != nil || string(reply.Result) != `{"task":{"id":"t"}}` || reply.Status != 201 {
		t.Errorf("got %+v, %v", reply, err)
	}
	got := a.requests()[0]
	if got.body != `{"message":{}}` || got.Header.Get("Accept") != "application/a2a+json, application/json" {
		t.Errorf("sent %s with Accept %q", got.body, got.Header.Get("Accept"))
	}
	reply, err = c.Call(t.Context(), DeletePushConfig, json.RawMessage(`{"taskId":"t","id":"c"}`))
	if err != nil || reply.Result != nil {
		t.Errorf("deleting: %+v, %v", reply, err)
	}
}

func TestFaults(t *testing.T) {
	info := `[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]`
	for _, test := range []struct {
		name, binding string
		status        int
		body          string
		want          Fault
	}{
		{
			"json-rpc", JSONRPC, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"no","data":[1]}}`,
			Fault{Code: -32002, HTTPStatus: 200, Reason: "TASK_NOT_CANCELABLE", Message: "no", Data: json.RawMessage(`[1]`)},
		},
		{
			"json-rpc under another status", JSONRPC, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad"}}`,
			Fault{Code: -32700, HTTPStatus: 400, Message: "bad"},
		},
		{"bare failure of json-rpc", JSONRPC, 502, `bad gateway`, Fault{HTTPStatus: 502, Message: "bad gateway"}},
		{
			"google.rpc.Status", HTTPJSON, 404, `{"error":{"code":404,"status":"NOT_FOUND","message":"no","details":` + info + `}}`,
			Fault{Code: -32001, HTTPStatus: 404, Reason: "TASK_NOT_FOUND", Message: "no", Data: json.RawMessage(info)},
		},
		{
			"code and message of 0.3", HTTPJSON, 404, `{"code":-32001,"message":"no"}`,
			Fault{Code: -32001, HTTPStatus: 404, Reason: "TASK_NOT_FOUND", Message: "no"},
		},
		{
			"problem document", HTTPJSON, 400, `{"status":400,"title":"t","detail":"d"}`,
			Fault{HTTPStatus: 400, Message: "d"},
		},
		{
			"an error that says little", HTTPJSON, 400, `{"error":"why"}`,
			Fault{HTTPStatus: 400},
		},
		{"bare failure", HTTPJSON, 500, `oops`, Fault{HTTPStatus: 500, Message: "oops"}},
		{"empty failure", HTTPJSON, 401, ``, Fault{HTTPStatus: 401}},
	} {
		t.Run(test.name, func(t *testing.T) {
			serve := says(test.status, "application/json", test.body)
			a := startAgent(t, map[string]http.HandlerFunc{"/rpc": serve, "/rest/tasks/t": serve})
			c, _ := a.client(t, test.binding, V10)
			reply, err := c.Call(t.Context(), GetTask, json.RawMessage(`{"id":"t"}`))
			var fault *Fault
			if !errors.As(err, &fault) {
				t.Fatalf("error %v", err)
			}
			if string(reply.Body) != test.body {
				t.Errorf("body %q was not read", reply.Body)
			}
			got := *fault
			if got.Header.Get("Content-Type") != "application/json" {
				t.Errorf("the head of the answer was lost: %v", got.Header)
			}
			got.Raw, got.Header = nil, nil
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if fault.Error() == "" || len(fault.Error()) > 600 {
				t.Errorf("says %q", fault.Error())
			}
		})
	}
}

func TestMalformedAnswers(t *testing.T) {
	for _, test := range []struct{ name, binding, body string }{
		{"no JSON", JSONRPC, `hello`},
		{"no response", JSONRPC, `{"task":{}}`},
		{"a batch", JSONRPC, `[]`},
		{"nothing", JSONRPC, ``},
		{"no JSON over HTTP+JSON", HTTPJSON, `hello`},
	} {
		t.Run(test.name, func(t *testing.T) {
			serve := says(200, "application/json", test.body)
			a := startAgent(t, map[string]http.HandlerFunc{"/rpc": serve, "/rest/tasks/t": serve})
			c, _ := a.client(t, test.binding, V10)
			reply, err := c.Call(t.Context(), GetTask, json.RawMessage(`{"id":"t"}`))
			if !errors.Is(err, ErrMalformed) || string(reply.Body) != test.body {
				t.Errorf("got %q, %v", reply.Body, err)
			}
		})
	}
}

func TestRedirects(t *testing.T) {
	ok := says(200, "application/json", `{"jsonrpc":"2.0","id":1,"result":{}}`)
	for _, test := range []struct {
		name   string
		status int
		to     string
		then   http.HandlerFunc
		err    string
	}{
		{name: "307", status: 307, to: "/rpc/", then: ok},
		{name: "308", status: 308, to: "/rpc/", then: ok},
		{name: "302 of a POST", status: 302, to: "/rpc/", then: ok, err: "would turn it into a GET"},
		{name: "another origin", status: 307, to: "http://other.invalid/", err: "another origin"},
		{name: "twice", status: 307, to: "/rpc/", then: goesTo(307, "/rpc/x"), err: "a second time"},
		{name: "no URL", status: 307, to: "http://[", err: "no URL"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := startAgent(t, map[string]http.HandlerFunc{"/rpc": goesTo(test.status, test.to), "/rpc/": test.then})
			c, _ := a.client(t, JSONRPC, V10)
			reply, err := c.Call(t.Context(), GetTask, json.RawMessage(`{}`))
			requests := a.requests()
			if test.err != "" {
				if !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q in it", err, test.err)
				}
				return
			}
			if err != nil || reply.Redirect != a.URL+test.to || reply.Exchange != 2 {
				t.Fatalf("got %+v, %v", reply, err)
			}
			if requests[1].Method != http.MethodPost || requests[1].body != requests[0].body {
				t.Errorf("followed with %s %q", requests[1].Method, requests[1].body)
			}
		})
	}
}

func TestPostAndDoSendWhatTheyAreGiven(t *testing.T) {
	a := startAgent(t, map[string]http.HandlerFunc{
		"/rpc":   says(200, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad"}}`),
		"/other": says(418, "text/plain", "teapot"),
	})
	c, _ := a.client(t, JSONRPC, V10)
	var fault *Fault
	if _, err := c.Post(t.Context(), []byte(`{"jsonrpc"`), nil); !errors.As(err, &fault) || fault.Code != -32700 {
		t.Errorf("error %v", err)
	}
	reply, err := c.Do(t.Context(), http.MethodPut, a.URL+"/other", nil, []byte("x"))
	if err != nil || reply.Status != 418 || string(reply.Body) != "teapot" {
		t.Errorf("got %+v, %v", reply, err)
	}
	sent := a.requests()
	if sent[0].body != `{"jsonrpc"` || sent[1].Method != http.MethodPut || sent[1].Header.Get("A2A-Version") != "" {
		t.Errorf("sent %q, then %s %v", sent[0].body, sent[1].Method, sent[1].Header)
	}
}

func TestAnswerOverTheLimit(t *testing.T) {
	a := startAgent(t, map[string]http.HandlerFunc{"/rpc": says(200, "application/json", strings.Repeat(" ", 100))})
	c, err := New(Interface{URL: a.URL + "/rpc", Binding: JSONRPC, Version: V10}, Config{Options: transport.Options{Limit: 10}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var tooLong *wire.TooLongError
	if _, err := c.Call(t.Context(), GetTask, nil); !errors.As(err, &tooLong) {
		t.Errorf("error %v", err)
	}
}

func TestCallUnreachable(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	c, err := New(Interface{URL: gone.URL, Binding: JSONRPC, Version: V03}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Call(t.Context(), GetTask, nil); !errors.Is(err, transport.ErrUnreachable) {
		t.Errorf("error %v", err)
	}
	if _, err := c.Stream(t.Context(), SendStreamingMessage, nil); !errors.Is(err, transport.ErrUnreachable) {
		t.Errorf("error %v", err)
	}
}

func TestNewRefusesWhatItCannotSpeak(t *testing.T) {
	for _, i := range []Interface{
		{URL: "http://h", Binding: GRPC, Version: V10},
		{URL: "http://h", Binding: JSONRPC, Version: "2.0"},
		{URL: "h:1", Binding: JSONRPC, Version: V10},
	} {
		if _, err := New(i, Config{}); !errors.Is(err, ErrNoInterface) {
			t.Errorf("%v: %v", i, err)
		}
	}
}
