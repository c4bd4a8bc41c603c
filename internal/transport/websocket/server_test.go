package websocket

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

func TestServerAnswersAllThoughTheHandlerReturns(t *testing.T) {
	lazy := func(ctx context.Context, l transport.Link) error {
		_, err := l.Receive(ctx)
		return err
	}
	c := dial(t, serve(t, NewServer(lazy, ServerOptions{})), transport.Options{})
	send(t, c, `{"jsonrpc":"2.0","id":"1","method":"x"}`)
	if in := receive(t, c); in.ID.String() != `"1"` || in.Error == nil || in.Error.Code != -32603 {
		t.Errorf("received %s", in.Raw)
	}
	_, err := c.Receive(limited(t))
	var closed *CloseError
	if !errors.As(err, &closed) || closed.Code != websocket.CloseNormalClosure {
		t.Errorf("then %v", err)
	}
}

func TestServerTellsItsHandlerOfTheEnd(t *testing.T) {
	for name, end := range map[string]func(*Conn){
		"closed": func(c *Conn) { _ = c.Close(context.Background()) },
		"broken": func(c *Conn) { _ = c.socket.ws.NetConn().Close() },
	} {
		t.Run(name, func(t *testing.T) {
			ended := make(chan error, 1)
			c := dial(t, serve(t, NewServer(func(ctx context.Context, l transport.Link) error {
				err := l.Send(ctx, transport.Answer{Raw: []byte("{}")})
				<-ctx.Done()
				ended <- err
				return err
			}, ServerOptions{})), transport.Options{})
			receive(t, c)
			end(c)
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestServerLimit(t *testing.T) {
	over := make(chan transport.Incoming, 1)
	c := dial(t, serve(t, NewServer(func(ctx context.Context, l transport.Link) error {
		in, err := l.Receive(ctx)
		over <- in
		if err != nil {
			return err
		}
		return echoing(ctx, l)
	}, ServerOptions{Limit: 100})), transport.Options{})
	send(t, c, strings.Repeat(" ", 101))
	send(t, c, `{"jsonrpc":"2.0","id":1,"method":"x"}`)
	var long *wire.TooLongError
	if in := <-over; !errors.As(in.Err, &long) {
		t.Errorf("handler received %+v", in)
	}
	if in := receive(t, c); in.Kind != wire.KindResult {
		t.Errorf("received %s", in.Raw)
	}
}

func TestServerKeepsPagesAway(t *testing.T) {
	var tap frames
	url := serve(t, NewServer(echoing, ServerOptions{Tap: tap.see, Origins: []string{"https://app.example.com"}}))
	for _, tc := range []struct {
		header http.Header
		want   int
	}{
		{nil, 101},
		{http.Header{"Origin": {"http://localhost:3000"}}, 101},
		{http.Header{"Origin": {"https://app.example.com"}}, 101},
		{http.Header{"Origin": {"https://evil.example"}}, 403},
		{http.Header{"Origin": {"http://evil.example"}, "Host": {"evil.example"}}, 403},
	} {
		c, err := Dial(limited(t), url, transport.Options{Header: tc.header})
		status := 101
		var refused *HandshakeError
		if errors.As(err, &refused) {
			status = refused.Status
		}
		if status != tc.want {
			t.Errorf("%v: %v, want %d", tc.header, err, tc.want)
		}
		if c != nil {
			_ = c.Close(limited(t))
		}
		heads := tap.of(wire.In, wire.FrameResponse)
		if last := heads[len(heads)-1]; last.Status != tc.want {
			t.Errorf("the tap saw status %d", last.Status)
		}
	}
}

func TestServerWithoutASubprotocol(t *testing.T) {
	url := serve(t, NewServer(echoing, ServerOptions{}))
	for offered, want := range map[string]string{"": "", "other": "", "other, mcp": "mcp"} {
		header := http.Header{}
		if offered != "" {
			header.Set("Sec-WebSocket-Protocol", offered)
		}
		ws, _, err := websocket.DefaultDialer.DialContext(limited(t), url, header)
		if err != nil {
			t.Fatal(err)
		}
		if got := ws.Subprotocol(); got != want {
			t.Errorf("offered %q, server chose %q", offered, got)
		}
		_ = ws.Close()
	}
}

func TestServerRefusesWhatIsNoHandshake(t *testing.T) {
	url := strings.Replace(serve(t, NewServer(echoing, ServerOptions{})), "ws:", "http:", 1)
	resp, err := http.Get(url) //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusBadRequest || resp.Header.Get("Sec-WebSocket-Version") != "13" {
		t.Errorf("answer: %v", resp)
	}
}

func TestServerClose(t *testing.T) {
	server := NewServer(echoing, ServerOptions{})
	url := serve(t, server)
	c := dial(t, url, transport.Options{})
	send(t, c, "{}")
	receive(t, c)
	server.Close()
	server.Close()
	var closed *CloseError
	if _, err := c.Receive(limited(t)); !errors.As(err, &closed) || closed.Code != websocket.CloseNormalClosure {
		t.Errorf("Receive: %v", err)
	}
	var refused *HandshakeError
	if _, err := Dial(limited(t), url, transport.Options{}); !errors.As(err, &refused) || refused.Status != http.StatusServiceUnavailable {
		t.Errorf("Dial: %v", err)
	}
}
