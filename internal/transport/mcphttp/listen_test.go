package mcphttp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/mcphttp"
	"github.com/peerwright/peerwright/internal/wire"
)

func numbered(n int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"n","params":{"n":%d}}`, n)
}

// listener opens the stream of GET and returns what reads its messages.
func listener(t *testing.T, url, session, after string) (d *transport.HTTPResponse, next func() string) {
	t.Helper()
	client := transport.NewHTTP(transport.Options{}, nil)
	t.Cleanup(client.Close)
	h := http.Header{"Accept": {"text/event-stream"}, "Mcp-Session-Id": {strings.TrimPrefix(session, "Mcp-Session-Id: ")}}
	if after != "" {
		h.Set("Last-Event-Id", after)
	}
	resp, err := client.Do(t.Context(), transport.HTTPRequest{Method: "GET", URL: url, Header: h})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	reader := wire.NewEventReader(resp.Body, 0)
	return resp, func() string {
		event, err := reader.Next()
		if err != nil {
			return err.Error()
		}
		return event.ID + " " + string(event.Data)
	}
}

// sayer sends on the stream that belongs to no request whatever it is asked to, and
// answers only then.
func sayer(ctx context.Context, l transport.Link) error {
	for {
		in, ok := next(ctx, l)
		if !ok {
			return nil
		}
		if in.Method == "say" {
			var say struct{ From, To int }
			_ = json.Unmarshal(in.Params, &say)
			for n := say.From; n <= say.To; n++ {
				_ = l.Send(ctx, transport.Answer{Raw: []byte(numbered(n))})
			}
		}
		result := `{"protocolVersion":"2025-06-18"}`
		_ = l.Send(ctx, transport.Answer{Raw: wire.Result(in.ID, json.RawMessage(result)), Exchange: in.Exchange})
	}
}

func say(t *testing.T, url, session string, from, to int) {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"say","params":{"From":%d,"To":%d}}`, from, to)
	if raw := ask(t, "POST", url, body, session); raw.Status != 200 {
		t.Fatalf("got %+v", raw)
	}
}

func TestListening(t *testing.T) {
	url := serve(t, sayer, mcphttp.ServerOptions{Replay: 3})
	session := begin(t, url, "2025-06-18")
	say(t, url, session, 1, 2) // while no one listens: kept

	first, next := listener(t, url, session, "")
	got := []string{next(), next()}
	if diff := cmp.Diff([]string{"0-1 " + numbered(1), "0-2 " + numbered(2)}, got); diff != "" {
		t.Error(diff)
	}
	if taken, _ := listener(t, url, session, ""); taken.StatusCode != http.StatusConflict {
		t.Errorf("a second listener: got %d", taken.StatusCode)
	}
	say(t, url, session, 3, 3)
	if got := next(); got != "0-3 "+numbered(3) {
		t.Errorf("got %q", got)
	}

	// Resuming takes the stream over, and goes on where the client left off.
	_, resumed := listener(t, url, session, "0-2")
	if got := resumed(); got != "0-3 "+numbered(3) {
		t.Errorf("got %q", got)
	}
	if got := next(); got != "EOF" {
		t.Errorf("the stream that was taken over has %q", got)
	}
	_ = first.Body.Close()

	say(t, url, session, 4, 6) // now 1 to 3 are no longer kept
	for _, id := range []string{"0-1", "0-99", "9-1", "x", "0-x", "0--1", "-"} {
		if lost, _ := listener(t, url, session, id); lost.StatusCode != http.StatusBadRequest {
			t.Errorf("resuming after %s: got %d", id, lost.StatusCode)
		}
	}
}

func TestListeningBeginsAtOnce(t *testing.T) {
	url := serve(t, newPlayer().serve, mcphttp.ServerOptions{})
	resp, next := listener(t, url, begin(t, url, "2025-11-25"), "")
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("got %d %v", resp.StatusCode, resp.Header)
	}
	if got := next(); got != "0-1 " { // the priming event
		t.Errorf("got %q", got)
	}
}

// A client that loses its connection gets the answer all the same, and nothing of
// another stream.
func TestLegacyDisconnectIsNoCancel(t *testing.T) {
	p := newPlayer()
	goOn := make(chan struct{})
	url := serve(t, func(ctx context.Context, l transport.Link) error {
		for {
			in, ok := next(ctx, l)
			if !ok {
				return nil
			}
			if in.Method == "later" {
				_ = l.Send(ctx, transport.Answer{Raw: []byte(progress), Exchange: in.Exchange})
				<-goOn
			}
			p.play(ctx, l, in)
		}
	}, mcphttp.ServerOptions{})
	conn, _ := dialURL(t, url, transport.Options{})
	mustCall(t, conn, initialize)
	d := send(t, conn, request("later"))
	if in := receive(t, conn); in.EventID != "2-2" {
		t.Fatalf("got %+v", in)
	}
	conn.Cancel(d.Exchange) // the connection is gone; the priming event and the first message have come
	if _, err := receiveAll(t, conn, d.Exchange); err == nil {
		t.Fatal("the stream ended well")
	}
	close(goOn)
	<-p.events
	again, err := conn.OpenStream(t.Context(), "2-2")
	if err != nil {
		t.Fatal(err)
	}
	got, err := receiveAll(t, conn, again.Exchange)
	if err != nil || len(got) == 0 || string(got[len(got)-1].Result) != `{"late":true}` {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, in := range got {
		if !strings.HasPrefix(in.EventID, "2-") {
			t.Errorf("event %s is of another stream", in.EventID)
		}
	}
}

func TestAnsweredStreamsAreForgottenInTheEnd(t *testing.T) {
	url := serve(t, newPlayer().serve, mcphttp.ServerOptions{})
	session := begin(t, url, "2025-11-25")
	for range 20 {
		ask(t, "POST", url, request("progress"), session)
	}
	if old, _ := listener(t, url, session, "2-1"); old.StatusCode != http.StatusBadRequest {
		t.Errorf("the oldest: got %d", old.StatusCode)
	}
	_, next := listener(t, url, session, "21-1")
	if got := []string{next(), next(), next()}; got[1] != "21-3 "+pong || got[2] != "EOF" {
		t.Errorf("the newest: got %q", got)
	}
}
