package websocket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// Subprotocol is what both ends offer in the handshake.
const Subprotocol = "mcp"

const (
	pingEvery  = 30 * time.Second
	missed     = 3 // pings without a sign of life before a peer counts as dead
	writeWait  = 10 * time.Second
	closeWait  = 2 * time.Second // for the peer's close frame
	excerpt    = 1 << 10
	binaryNote = "a binary message: MCP over WebSocket is text"
)

var errClosedHere = errors.New("closed by this side")

// CloseError tells how the peer ended the conversation. It is wrapped together with
// transport.ErrClosed.
type CloseError struct {
	Code int // of the close frame; 1006 when the connection broke without one
	Text string
}

// Error names the code and its meaning.
func (e *CloseError) Error() string {
	text := fmt.Sprintf("peer closed the WebSocket with code %d", e.Code)
	if e.Code == websocket.CloseAbnormalClosure {
		text = "WebSocket broke without a close frame"
	}
	if e.Text != "" {
		text += ": " + e.Text
	}
	return text
}

// socket is one WebSocket, seen from either end.
type socket struct {
	ws       *websocket.Conn
	tap      wire.Tap
	wrote    wire.Direction // of the messages written here
	read     wire.Direction
	limit    int
	ping     time.Duration
	patience time.Duration // for one write

	mu    sync.Mutex
	cause error // why this side closed the connection; nil while it has not
}

// fail keeps the first reason for which this side closed the connection.
func (s *socket) fail(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cause == nil {
		s.cause = cause
	}
}

// write sends one text message, whatever its bytes are. A socket that failed to
// write is closed: part of the message may be gone.
func (s *socket) write(msg []byte) error {
	s.tap.See(wire.Frame{Dir: s.wrote, Kind: wire.FrameMessage, Data: msg})
	_ = s.ws.SetWriteDeadline(time.Now().Add(s.patience))
	err := s.ws.WriteMessage(websocket.TextMessage, msg)
	if err == nil {
		return nil
	}
	if timedOut(err) {
		err = fmt.Errorf("peer has not read a message within %v: %w", s.patience, err)
		s.fail(err)
	}
	_ = s.ws.Close()
	return fmt.Errorf("writing a message: %w", err)
}

// receive hands what comes to put, and returns why nothing more does.
func (s *socket) receive(put func(transport.Incoming)) error {
	alive := func() { _ = s.ws.SetReadDeadline(time.Now().Add(missed * s.ping)) }
	alive()
	s.ws.SetPongHandler(func(string) error { alive(); return nil })
	for {
		kind, r, err := s.ws.NextReader()
		if err != nil {
			return s.ended(err)
		}
		data, long, err := readMessage(&lively{r, alive}, s.limit)
		switch {
		case err != nil:
			return s.ended(err)
		case long != nil:
			s.tap.See(wire.Frame{Dir: s.read, Kind: wire.FrameChunk, Data: long.Head, Note: long.Error()})
			put(transport.Incoming{Message: invalid(nil, long.Error()), Err: long})
		case kind == websocket.TextMessage:
			s.tap.See(wire.Frame{Dir: s.read, Kind: wire.FrameMessage, Data: data})
			put(transport.Incoming{Message: wire.Parse(data)})
		default:
			s.tap.See(wire.Frame{Dir: s.read, Kind: wire.FrameMessage, Data: data, Note: binaryNote})
			put(transport.Incoming{Message: invalid(data, binaryNote)})
		}
	}
}

// ended shows the tap the end and puts it in words.
func (s *socket) ended(err error) error {
	var closed *websocket.CloseError
	switch {
	case errors.As(err, &closed):
		err = &CloseError{closed.Code, closed.Text}
	case timedOut(err):
		err = fmt.Errorf("no sign of life from the peer within %v, pings included: %w", missed*s.ping, err)
	}
	s.tap.See(wire.Frame{Dir: s.read, Kind: wire.FrameClose, Note: err.Error()})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cause != nil {
		return s.cause
	}
	return err
}

// timedOut tells whether a deadline has passed. The library keeps no more of the
// original error than that.
func timedOut(err error) bool {
	var failed net.Error
	return errors.As(err, &failed) && failed.Timeout()
}

// keepAlive pings the peer until stop is closed.
func (s *socket) keepAlive(stop <-chan struct{}) {
	tick := time.NewTicker(s.ping)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			_ = s.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(s.patience))
		}
	}
}

// close says goodbye, waits for the peer to do so, and closes the connection.
func (s *socket) close(ctx context.Context, peerEnded <-chan struct{}) {
	s.fail(errClosedHere)
	ctx, cancel := context.WithTimeout(ctx, closeWait)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = s.ws.Close() })() // ends a write that is under way
	bye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	if s.ws.WriteControl(websocket.CloseMessage, bye, time.Now().Add(closeWait)) == nil {
		s.tap.See(wire.Frame{Dir: s.wrote, Kind: wire.FrameClose, Note: "closed with code 1000"})
		select {
		case <-peerEnded:
		case <-ctx.Done():
		}
	}
	_ = s.ws.Close()
}

// lively is a reader each piece of which is a sign of life.
type lively struct {
	io.Reader
	alive func()
}

func (l *lively) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	l.alive()
	return n, err //nolint:wrapcheck // io.EOF must stay as it is
}

// readMessage reads one message; of one over the limit it keeps the two ends, and
// the next message can be read.
func readMessage(r io.Reader, limit int) ([]byte, *wire.TooLongError, error) {
	var buf bytes.Buffer
	n, err := buf.ReadFrom(io.LimitReader(r, int64(limit)+1))
	if err != nil || n <= int64(limit) {
		return buf.Bytes(), nil, err
	}
	data := buf.Bytes()
	long := &wire.TooLongError{Limit: limit, Head: bytes.Clone(data[:min(len(data), excerpt)])}
	ends := tail(bytes.Clone(data[max(0, len(data)-excerpt):]))
	rest, err := io.Copy(&ends, r)
	long.Read, long.Tail = int(n+rest), ends
	return nil, long, err
}

// tail keeps the last bytes written to it.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	joined := append(*t, p...)
	*t = bytes.Clone(joined[max(0, len(joined)-excerpt):])
	return len(p), nil
}

func invalid(raw []byte, problem string) wire.Message {
	return wire.Message{Raw: raw, Kind: wire.KindInvalid, Problems: []string{problem}}
}

func limitOrDefault(limit int) int {
	if limit <= 0 {
		return wire.DefaultLimit
	}
	return limit
}

// head is the part of a handshake that is always the same.
func head(protocol string) http.Header {
	h := http.Header{"Upgrade": {"websocket"}, "Connection": {"Upgrade"}}
	if protocol != "" {
		h.Set("Sec-WebSocket-Protocol", protocol)
	}
	return h
}
