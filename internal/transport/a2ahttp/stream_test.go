package a2ahttp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peerwright/peerwright/internal/wire"
)

// readAll reads a stream to its end: the payloads, and the text of each error.
func readAll(t *testing.T, s *Stream) (payloads, errs []string) {
	t.Helper()
	for {
		event, err := s.Next(t.Context())
		switch {
		case errors.Is(err, io.EOF):
			return payloads, errs
		case err == nil:
			payloads = append(payloads, string(event.Payload))
		default:
			errs = append(errs, err.Error())
			var fault *Fault
			if !errors.As(err, &fault) && !errors.Is(err, ErrMalformed) {
				return payloads, errs
			}
		}
	}
}

func TestStreamJSONRPC(t *testing.T) {
	a := startAgent(t, map[string]http.HandlerFunc{"/rpc": says(200, "text/event-stream; charset=utf-8",
		": hi\n\nid: 1\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"task\":\ndata: {}}}\n\n"+
			"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32004,\"message\":\"no\"}}\r\n\r\ndata: [DONE]\n\n")})
	c, transcript := a.client(t, JSONRPC, V10)
	s, err := c.Stream(t.Context(), SendStreamingMessage, json.RawMessage(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	payloads, errs := readAll(t, s)
	if diff := cmp.Diff([]string{"{\"task\":\n{}}"}, payloads); diff != "" {
		t.Error(diff)
	}
	want := []string{"error -32004 UNSUPPORTED_OPERATION: no", "answer that the binding does not allow: an event that is no JSON-RPC response: [DONE]"}
	if diff := cmp.Diff(want, errs); diff != "" {
		t.Error(diff)
	}
	if s.Head.ID != wire.IntID(1) || a.requests()[0].Header.Get("Accept") != "text/event-stream" {
		t.Errorf("id %v, Accept %q", s.Head.ID, a.requests()[0].Header.Get("Accept"))
	}
	events := 0
	for _, f := range transcript.Frames(0) {
		if f.Kind == wire.FrameEvent {
			events++
		}
	}
	if events != 4 {
		t.Errorf("the tap saw %d events, want 4", events)
	}
}

func TestStreamHTTPJSON(t *testing.T) {
	a := startAgent(t, map[string]http.HandlerFunc{"/rest/message:stream": says(200, "text/event-stream",
		"data: {\"task\":{}}\n\ndata: {\"error\":{\"code\":500,\"message\":\"broke\"}}\n\ndata: 1\n\ndata: {\"cut\"")})
	c, _ := a.client(t, HTTPJSON, V10)
	s, err := c.Stream(t.Context(), SendStreamingMessage, json.RawMessage(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	payloads, errs := readAll(t, s)
	if diff := cmp.Diff([]string{`{"task":{}}`}, payloads); diff != "" {
		t.Error(diff)
	}
	if len(errs) != 3 || errs[0] != "error without an A2A code: broke" {
		t.Errorf("errors %q", errs)
	}
}

func TestStreamRefused(t *testing.T) {
	for _, test := range []struct {
		name, binding, contentType string
		status                     int
		body                       string
		want                       any
	}{
		{"a JSON-RPC error in one document", JSONRPC, "application/json", 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"no"}}`, new(*Fault)},
		{"an HTTP failure", JSONRPC, "text/plain", 503, `down`, new(*Fault)},
		{"a failed HTTP+JSON call", HTTPJSON, "application/a2a+json", 400, `{"error":{}}`, new(*Fault)},
		{"newline-delimited JSON", JSONRPC, "application/x-ndjson", 200, "{}\n{}\n", new(*NotStreamError)},
		{"one result", JSONRPC, "application/json", 200, `{"jsonrpc":"2.0","id":1,"result":{}}`, new(*NotStreamError)},
		{"events under another type", HTTPJSON, "application/json", 200, "data: {}\n\n", new(*NotStreamError)},
		{"no type", HTTPJSON, "", 200, `{}`, new(*NotStreamError)},
	} {
		t.Run(test.name, func(t *testing.T) {
			serve := says(test.status, test.contentType, test.body)
			a := startAgent(t, map[string]http.HandlerFunc{"/rpc": serve, "/rest/message:stream": serve})
			c, _ := a.client(t, test.binding, V10)
			if _, err := c.Stream(t.Context(), SendStreamingMessage, json.RawMessage(`{}`)); !errors.As(err, test.want) {
				t.Errorf("error %T %v", err, err)
			}
		})
	}
}

func TestSubscribeFallsBackToGET(t *testing.T) {
	stream := says(200, "text/event-stream", "data: {\"task\":{}}\n\n")
	byGET := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				stream(w, r)
				return
			}
			w.WriteHeader(status)
		}
	}
	notFound := says(404, "application/json", `{"error":{"code":404,"message":"no","details":[{"@type":"`+ErrorInfoType+`","reason":"TASK_NOT_FOUND"}]}}`)
	for _, test := range []struct {
		name  string
		serve http.HandlerFunc
		asked []string
		fault bool
	}{
		{"POST is known", stream, []string{"POST"}, false},
		{"405", byGET(405), []string{"POST", "GET"}, false},
		{"501", byGET(501), []string{"POST", "GET"}, false},
		{"404 of a router", byGET(404), []string{"POST", "GET"}, false},
		{"404 of the task", notFound, []string{"POST"}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := startAgent(t, map[string]http.HandlerFunc{"/rest/tasks/t:subscribe": test.serve})
			c, _ := a.client(t, HTTPJSON, V10)
			s, err := c.Stream(t.Context(), SubscribeToTask, json.RawMessage(`{"id":"t"}`))
			if (err != nil) != test.fault {
				t.Fatal(err)
			}
			if err == nil {
				s.Close()
			}
			var asked []string
			for _, r := range a.requests() {
				asked = append(asked, r.Method)
			}
			if diff := cmp.Diff(test.asked, asked); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestStreamEndsWithItsContext(t *testing.T) {
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	a := startAgent(t, map[string]http.HandlerFunc{"/rpc": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n")
		w.(http.Flusher).Flush()
		select {
		case <-hold:
		case <-r.Context().Done():
		}
	}})
	c, _ := a.client(t, JSONRPC, V03)
	s, err := c.Stream(t.Context(), SendStreamingMessage, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("no more time")
	cancel(gone)
	if _, err := s.Next(ctx); !errors.Is(err, gone) {
		t.Errorf("error %v", err)
	}
	s.Close()
}

func TestLinesForAStream(t *testing.T) {
	body := `{"jsonrpc":"2.0","id":1,"result":{"n":1}}` + "\n\n" + `{"jsonrpc":"2.0","id":1,"result":{"n":2}}`
	a := startAgent(t, map[string]http.HandlerFunc{"/rpc": says(http.StatusOK, "application/x-ndjson", body)})
	c, _ := a.client(t, JSONRPC, V10)
	s, err := c.Open(t.Context(), Request{Op: SendStreamingMessage, Lines: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var alive int
	s.Alive = func() { alive++ }
	for _, want := range []string{`{"n":1}`, `{"n":2}`} {
		event, err := s.Next(t.Context())
		if err != nil || string(event.Payload) != want {
			t.Errorf("payload %s, error %v", event.Payload, err)
		}
	}
	if _, err := s.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("end %v", err)
	}
	if alive != 1 {
		t.Errorf("%d blank lines were seen", alive)
	}
}

func TestJSONForAStreamIsKept(t *testing.T) {
	a := startAgent(t, map[string]http.HandlerFunc{
		"/rpc": says(http.StatusOK, "application/json", `{"jsonrpc":"2.0","id":1,"result":{"n":1}}`),
	})
	c, _ := a.client(t, JSONRPC, V10)
	_, err := c.Stream(t.Context(), SendStreamingMessage, nil)
	var not *NotStreamError
	if !errors.As(err, &not) || string(not.Reply.Result) != `{"n":1}` {
		t.Errorf("error %v", err)
	}
}
