package websocket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

func TestBothEndsSeeTheSame(t *testing.T) {
	var near, far frames
	server := NewServer(echoing, ServerOptions{Tap: far.see})
	url := serve(t, server)
	c := dial(t, url, transport.Options{Tap: near.see})
	if got := c.Subprotocol(); got != Subprotocol {
		t.Errorf("subprotocol = %q", got)
	}
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1.0,"method":"x"}`, `[]`, "no JSON\r\n", "\xff\x00", "",
		`{"jsonrpc":"2.0","id":"é","method":"x","params":["` + strings.Repeat("é", 1<<19) + `"]}`,
	} {
		send(t, c, text)
		in := receive(t, c)
		if got, _ := wire.Text(in.Result); got != strings.ToValidUTF8(text, "\ufffd") {
			t.Errorf("server heard %.100q, not %.100q", got, text)
		}
	}
	if err := c.Close(limited(t)); err != nil {
		t.Fatal(err)
	}
	server.Close()
	for _, dir := range []wire.Direction{wire.Out, wire.In} {
		got, want := far.of(dir, wire.FrameMessage), near.of(dir, wire.FrameMessage)
		if !slices.EqualFunc(got, want, func(a, b wire.Frame) bool { return bytes.Equal(a.Data, b.Data) }) || len(got) != 6 {
			t.Errorf("the two taps saw other messages going %s", dir)
		}
	}
	if got := near.of(wire.Out, wire.FrameRequest); len(got) != 1 || got[0].URL != url || got[0].Method != "GET" ||
		got[0].Header.Get("Sec-WebSocket-Protocol") != Subprotocol {
		t.Errorf("request heads: %v", got)
	}
	if got := near.of(wire.In, wire.FrameResponse); len(got) != 1 || got[0].Status != 101 || got[0].Header.Get("Sec-WebSocket-Accept") == "" {
		t.Errorf("response heads: %v", got)
	}
	for _, tap := range []*frames{&near, &far} {
		if out, in := tap.of(wire.Out, wire.FrameClose), tap.of(wire.In, wire.FrameClose); len(out) != 1 || len(in) > 1 ||
			!strings.Contains(out[0].Note, "1000") {
			t.Errorf("ends: %v %v", out, in)
		}
	}
}

func TestSizes(t *testing.T) {
	const limit = 100_000
	url := serve(t, raw(func(ws *websocket.Conn) {
		for _, size := range []int{limit - 1, limit, limit + 1, 5 << 20, 10} {
			_ = ws.WriteMessage(websocket.TextMessage, []byte(strings.Repeat("a", size-1)+"z"))
		}
		_, _, _ = ws.ReadMessage()
	}))
	var tap frames
	c := dial(t, url, transport.Options{Limit: limit, Tap: tap.see})
	for _, size := range []int{limit - 1, limit} {
		if in := receive(t, c); len(in.Raw) != size || in.Err != nil {
			t.Errorf("received %d bytes of %d, %v", len(in.Raw), size, in.Err)
		}
	}
	for _, size := range []int{limit + 1, 5 << 20} {
		in := receive(t, c)
		var long *wire.TooLongError
		if !errors.As(in.Err, &long) || in.Kind != wire.KindInvalid || len(in.Problems) != 1 {
			t.Fatalf("received %+v", in.Message)
		}
		if long.Read != size || long.Limit != limit || len(long.Head) != excerpt || len(long.Tail) != excerpt ||
			long.Head[0] != 'a' || long.Tail[excerpt-1] != 'z' {
			t.Errorf("error says %d of %d, %d and %d bytes kept", long.Read, long.Limit, len(long.Head), len(long.Tail))
		}
	}
	if in := receive(t, c); len(in.Raw) != 10 {
		t.Errorf("then received %q", in.Raw)
	}
	if got := tap.of(wire.In, wire.FrameChunk); len(got) != 2 || !strings.Contains(got[0].Note, "over the limit") {
		t.Errorf("the tap saw %d chunks", len(got))
	}
}

func TestBinaryMessageIsInvalid(t *testing.T) {
	url := serve(t, raw(func(ws *websocket.Conn) {
		_ = ws.WriteMessage(websocket.BinaryMessage, []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`))
		_, _, _ = ws.ReadMessage()
	}))
	c := dial(t, url, transport.Options{})
	if c.Subprotocol() != "" {
		t.Errorf("subprotocol = %q, which the server did not choose", c.Subprotocol())
	}
	if in := receive(t, c); in.Kind != wire.KindInvalid || !cmp.Equal(in.Problems, []string{binaryNote}) || len(in.Raw) == 0 {
		t.Errorf("received %+v", in.Message)
	}
}

func TestPeerEnds(t *testing.T) {
	for _, tc := range []struct {
		name string
		end  func(ws *websocket.Conn)
		want CloseError
		text string
	}{
		{"with a code", func(ws *websocket.Conn) {
			_ = ws.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(1011, "out of disk"))
		}, CloseError{1011, "out of disk"}, "with code 1011: out of disk"},
		{"without a close frame", func(*websocket.Conn) {}, CloseError{1006, "unexpected EOF"}, "broke without a close frame"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var tap frames
			c := dial(t, serve(t, raw(tc.end)), transport.Options{Tap: tap.see})
			_, err := c.Receive(limited(t))
			var closed *CloseError
			if !errors.Is(err, transport.ErrClosed) || !errors.As(err, &closed) || *closed != tc.want || !strings.Contains(err.Error(), tc.text) {
				t.Errorf("Receive: %v", err)
			}
			if _, err := c.Send(limited(t), transport.Outgoing{}); !errors.As(err, &closed) {
				t.Errorf("Send: %v", err)
			}
			if got := tap.of(wire.In, wire.FrameClose); len(got) != 1 || got[0].Note != tc.want.Error() {
				t.Errorf("the tap saw %v", got)
			}
		})
	}
}

func TestCloseIsSaid(t *testing.T) {
	heard := make(chan error, 1)
	c := dial(t, serve(t, raw(func(ws *websocket.Conn) {
		_, _, err := ws.ReadMessage()
		heard <- err
	})), transport.Options{})
	for range 2 {
		if err := c.Close(limited(t)); err != nil {
			t.Error(err)
		}
	}
	if err := <-heard; !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
		t.Errorf("server heard %v", err)
	}
	if _, err := c.Receive(limited(t)); !errors.Is(err, transport.ErrClosed) || !errors.Is(err, errClosedHere) {
		t.Errorf("Receive: %v", err)
	}
	if _, err := c.Send(limited(t), transport.Outgoing{}); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("Send: %v", err)
	}
}

// clocked returns a Conn and the server's end of it, both on the clock of a bubble.
func clocked(t *testing.T) (*Conn, *websocket.Conn) {
	t.Helper()
	ws, peer := pair(t)
	return newConn(&socket{
		ws: ws, wrote: wire.Out, read: wire.In, limit: wire.DefaultLimit, ping: pingEvery, patience: writeWait,
	}), peer
}

func TestSilentPeerLivesByItsPongs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, peer := clocked(t)
		pings := 0
		answer := peer.PingHandler()
		peer.SetPingHandler(func(data string) error {
			if pings++; pings == 20 {
				_ = peer.WriteMessage(websocket.TextMessage, []byte("{}"))
			}
			return answer(data)
		})
		go func() { _, _, _ = peer.NextReader() }()
		start := time.Now()
		if _, err := c.Receive(t.Context()); err != nil || time.Since(start) < 19*pingEvery {
			t.Errorf("Receive: %v, after %v", err, time.Since(start))
		}
		_ = c.Close(t.Context())
	})
}

func TestDeadPeerIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, peer := clocked(t)
		peer.SetPingHandler(func(string) error { return nil })
		go func() { _, _, _ = peer.NextReader() }()
		start := time.Now()
		_, err := c.Receive(t.Context())
		if !errors.Is(err, transport.ErrClosed) || !strings.Contains(fmt.Sprint(err), "no sign of life") || time.Since(start) != missed*pingEvery {
			t.Errorf("Receive: %v, after %v", err, time.Since(start))
		}
		_ = c.Close(t.Context())
	})
}

func TestPeerThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := clocked(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.Send(ctx, transport.Outgoing{Raw: []byte("{}")}); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, transport.ErrClosed) {
			t.Errorf("Send: %v", err)
		}
		_, err := c.Receive(t.Context())
		if !errors.Is(err, transport.ErrClosed) || !strings.Contains(fmt.Sprint(err), "has not read a message within 10s") {
			t.Errorf("Receive: %v", err)
		}
		_ = c.Close(t.Context())
	})
}

func TestCloseOfAPeerThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := clocked(t)
		sent := make(chan error, 1)
		go func() {
			_, err := c.Send(t.Context(), transport.Outgoing{Raw: []byte("{}")})
			sent <- err
		}()
		synctest.Wait()
		start := time.Now()
		_ = c.Close(t.Context())
		if took := time.Since(start); took != closeWait {
			t.Errorf("Close took %v", took)
		}
		if err := <-sent; !errors.Is(err, transport.ErrClosed) {
			t.Errorf("Send: %v", err)
		}
	})
}
