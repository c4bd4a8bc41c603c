package mcphttp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
	"github.com/peerwright/peerwright/internal/wire"
)

func TestDialRefusesWhatIsNoURL(t *testing.T) {
	for _, url := range []string{"", "ws://x/", "http:///x", "://", "localhost:80/mcp"} {
		if _, err := mcphttp.Dial(t.Context(), url, transport.Options{}); err == nil {
			t.Errorf("%q was taken", url)
		}
	}
}

// Each answer to a ping, and what a caller gets of it.
func TestAnswersToARequest(t *testing.T) {
	fault := `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"down"}}`
	nameless := `{"jsonrpc":"2.0","error":{"code":-32603,"message":"down"}}`
	tests := []struct {
		name              string
		status            int
		contentType, body string
		want              []string
		wantErr           string // part of the text; "" for a clean end
	}{
		{"json", 200, "application/json", pong, []string{pong}, ""},
		{"json with a charset", 200, "Application/JSON; charset=UTF-8", pong, []string{pong}, ""},
		{"events", 200, "text/event-stream", "data: " + progress + "\n\ndata: " + pong + "\n\n", []string{progress, pong}, ""},
		// python-sdk#2110: an HTTP failure reaches the call at once, with its status.
		{"500 text", 500, "text/plain", "boom", nil, "status 500"},
		{"401 empty", 401, "", "", nil, "status 401"},
		{"404 empty", 404, "", "", nil, "status 404"},
		// agentgateway#2082: a JSON-RPC error is read whatever the status.
		{"500 with a JSON-RPC error", 500, "application/json", fault, []string{fault}, "status 500"},
		{"400 with a JSON-RPC error as text", 400, "text/plain", fault, []string{fault}, "status 400"},
		{"500 with a JSON-RPC error as event", 500, "text/event-stream", "data: " + fault + "\n\n", []string{fault}, "status 500"},
		{"500 with other JSON", 500, "application/json", `{"error":"x"}`, []string{`{"error":"x"}`}, "status 500"},
		{"500 with JSON that is no message", 500, "application/json", `{"detail":"x"}`, nil, "status 500"},
		// hey-api#3054: line ends of every kind, and no space after the colon.
		{"CRLF", 200, "text/event-stream", "event: message\r\ndata: " + pong + "\r\n\r\n", []string{pong}, ""},
		{"CR", 200, "text/event-stream", "event: message\rdata: " + pong + "\r\r", []string{pong}, ""},
		{"no space", 200, "text/event-stream; charset=utf-8", "data:" + pong + "\n\n", []string{pong}, ""},
		// python-sdk#1672: an event without data is no message.
		{"primed", 200, "text/event-stream", "id: 1\nretry: 3000\ndata: \n\ndata: " + pong + "\n\n", []string{pong}, ""},
		{"comments and other types", 200, "text/event-stream", ": hi\n\nevent: ping\ndata: {}\n\nevent: message\ndata: " + pong + "\n\n", []string{pong}, ""},
		// python-sdk#1811: a stream that ends too early fails the call at once.
		{"stream without an answer", 200, "text/event-stream", "data: " + progress + "\n\n", []string{progress}, "unexpected EOF"},
		{"empty stream", 200, "text/event-stream", "", nil, "unexpected EOF"},
		{"stream that ends in an event", 200, "text/event-stream", "data: " + pong, nil, "unexpected EOF"},
		{"answer to another request", 200, "text/event-stream", `data: {"jsonrpc":"2.0","id":2,"result":{}}` + "\n\n", []string{`{"jsonrpc":"2.0","id":2,"result":{}}`}, "unexpected EOF"},
		{"an error that names no request", 200, "text/event-stream", "data: " + nameless + "\n\n", []string{nameless}, ""},
		{"202 for a request", 202, "", "", nil, "status 202 without a body"},
		{"not JSON", 200, "application/json", "oops", []string{"oops"}, ""},
		{"wrong type", 200, "text/html", "<html>", nil, `content type "text/html"`},
		{"wrong type, right body", 200, "text/plain", pong, []string{pong}, `content type "text/plain"`},
		{"lines", 200, "application/x-ndjson", pong + "\n" + pong + "\n", nil, `content type "application/x-ndjson"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			conn, _ := dial(t, answer(tt.status, tt.contentType, tt.body))
			got, err := call(t, conn, ping)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if (err == nil) != (tt.wantErr == "") || err != nil && !strings.Contains(err.Error(), tt.wantErr) {
				t.Errorf("ended with %v, want %q", err, tt.wantErr)
			}
		})
	}
}

func TestStatusErrorHasTheAnswer(t *testing.T) {
	conn, _ := dial(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		http.Error(w, "slow down", http.StatusTooManyRequests)
	})
	_, err := call(t, conn, ping)
	var status *mcphttp.StatusError
	if !errors.As(err, &status) || status.HTTPStatus() != 429 || status.Method != "POST" ||
		status.Header.Get("Retry-After") != "7" || string(status.Body) != "slow down\n" {
		t.Errorf("got %+v", err)
	}
}

// python-sdk#2057: a request whose id is null must not vanish.
func TestNullIDTakenAsANotificationIsAnError(t *testing.T) {
	conn, _ := dial(t, answer(202, "", ""))
	got, err := call(t, conn, `{"jsonrpc":"2.0","id":null,"method":"tools/list"}`)
	if len(got) > 0 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v, %v", got, err)
	}
}

// java-sdk#748: whatever stands in the answer to a notification, it was taken.
func TestAnswersToANotification(t *testing.T) {
	tests := []struct {
		status            int
		contentType, body string
	}{
		{202, "", ""},
		{200, "text/plain; charset=utf-8", "ok"},
		{200, "application/json", "null"},
		{200, "application/json", `{"jsonrpc":"2.0","id":null}`},
		{204, "", ""},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.status, tt.contentType, tt.body), func(t *testing.T) {
			conn, _ := dial(t, answer(tt.status, tt.contentType, tt.body))
			if got, err := call(t, conn, progress); len(got) > 0 || err != nil {
				t.Errorf("got %v, %v; want a clean end and nothing else", got, err)
			}
		})
	}
	conn, _ := dial(t, answer(400, "text/plain", "no"))
	if _, err := call(t, conn, progress); err == nil {
		t.Error("a refusal passed for a success")
	}
}

func TestHostileBodyGetsItsAnswer(t *testing.T) {
	fault := `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`
	conn, _ := dial(t, answer(200, "application/json", fault))
	if got, err := call(t, conn, `{"jsonrpc":`); err != nil || len(got) != 1 || got[0] != fault {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestFailureOfOneCallLeavesTheOthers(t *testing.T) {
	failed := make(chan struct{})
	conn, _ := dial(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte(`"id":2`)) {
			http.Error(w, "boom", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		flush(w, ": here\n\n")
		<-failed
		flush(w, "data: "+pong+"\n\n")
	})
	slow := send(t, conn, ping)
	if _, err := call(t, conn, `{"jsonrpc":"2.0","id":2,"method":"ping"}`); err == nil {
		t.Error("the failing call succeeded")
	}
	close(failed)
	if got, err := receiveAll(t, conn, slow.Exchange); err != nil || len(got) != 1 {
		t.Errorf("got %v, %v", got, err)
	}
}

// mcp-gateway-registry#1460: each event is handed on before the next one comes.
func TestEventsComeOneByOne(t *testing.T) {
	goOn := make(chan struct{})
	conn, _ := dial(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 3 {
			flush(w, "data: "+progress+"\r\n\r")
			<-goOn
			flush(w, "\n")
		}
		flush(w, "data: "+pong+"\n\n")
	})
	d := send(t, conn, ping)
	for range 3 {
		if in := receive(t, conn); in.Method != "notifications/progress" {
			t.Fatalf("got %+v", in)
		}
		goOn <- struct{}{}
	}
	if got, err := receiveAll(t, conn, d.Exchange); err != nil || len(got) != 1 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestLargeResultPassesWhole(t *testing.T) {
	big := `{"jsonrpc":"2.0","id":1,"result":{"text":"` + strings.Repeat("é<&>", 1<<20) + `"}}`
	for contentType, body := range map[string]string{
		"application/json":  big,
		"text/event-stream": "id: 1\r\ndata: " + big + "\r\n\r\n",
	} {
		t.Run(contentType, func(t *testing.T) {
			conn, seen := dial(t, answer(200, contentType, body))
			got, err := call(t, conn, ping)
			if err != nil || len(got) != 1 || got[0] != big {
				t.Fatalf("the result did not pass whole: %v", err)
			}
			var frames []byte
			for _, f := range seen.Frames(0) {
				if f.Dir == wire.In {
					frames = append(frames, f.Data...)
				}
			}
			if string(frames) != body {
				t.Errorf("the frames hold %d bytes that differ from the %d that were sent", len(frames), len(body))
			}
		})
	}
}

func TestOverTheLimit(t *testing.T) {
	long := `{"jsonrpc":"2.0","id":1,"result":{"text":"` + strings.Repeat("x", 2000) + `"}}`
	for contentType, body := range map[string]string{
		"application/json":  long,
		"text/event-stream": "id: 1\ndata: " + long + "\n\n",
	} {
		t.Run(contentType, func(t *testing.T) {
			server := newPeer(t, answer(200, contentType, body))
			conn, _ := dialURL(t, server, transport.Options{Limit: 1000})
			all, err := receiveAll(t, conn, send(t, conn, ping).Exchange)
			var tooLong *wire.TooLongError
			if !errors.As(err, &tooLong) || tooLong.Limit != 1000 {
				t.Errorf("ended with %v", err)
			}
			if contentType == "text/event-stream" && (len(all) != 1 || all[0].Err == nil) {
				t.Errorf("got %+v, want the lost message", all)
			}
		})
	}
}

func TestSendBoundsTheHeadOnly(t *testing.T) {
	goOn := make(chan struct{})
	conn, _ := dial(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		flush(w, ": here\n\n")
		<-goOn
		flush(w, "data: "+pong+"\n\n")
	})
	ctx, cancel := context.WithCancel(t.Context())
	d, err := conn.Send(ctx, transport.Outgoing{Raw: []byte(ping)})
	cancel()
	close(goOn)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := receiveAll(t, conn, d.Exchange); err != nil || len(got) != 1 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestCancelClosesTheStream(t *testing.T) {
	gone := make(chan struct{})
	conn, _ := dial(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		flush(w, "id: 1\ndata:\n\n")
		<-r.Context().Done()
		close(gone)
	})
	d := send(t, conn, ping)
	conn.Cancel(d.Exchange)
	conn.Cancel(d.Exchange + 1) // none such: nothing happens
	if _, err := receiveAll(t, conn, d.Exchange); !errors.Is(err, mcphttp.ErrCancelled) {
		t.Errorf("ended with %v", err)
	}
	<-gone
}

func TestDo(t *testing.T) {
	conn, seen := dial(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Allow", "POST")
		w.WriteHeader(http.StatusMethodNotAllowed)
		fmt.Fprintf(w, "%s %s %s %s", r.Method, r.Header.Get("Accept"), r.Header.Get("Mcp-Session-Id"), body)
	})
	conn.SetSessionID("abc")
	raw, err := conn.Do(t.Context(), "PUT", http.Header{"Accept": {"x/y"}}, []byte("hi"))
	if err != nil || raw.Status != 405 || raw.Header.Get("Allow") != "POST" || string(raw.Body) != "PUT x/y abc hi" || raw.Cut != nil {
		t.Errorf("got %+v, %v", raw, err)
	}
	if seen.Len() == 0 {
		t.Error("the tap has seen nothing")
	}
}
