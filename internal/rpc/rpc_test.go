package rpc_test

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/peerwright/peerwright/internal/rpc"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// script is a peer that answers each message by a function. On an HTTP-like script
// every message is an exchange of its own.
type script struct {
	queue  *transport.Queue
	answer func(n int, m wire.Message, put func(raw string))
	http   bool

	mu   sync.Mutex
	sent []string
}

func (s *script) Send(_ context.Context, out transport.Outgoing) (transport.Delivery, error) {
	s.mu.Lock()
	s.sent = append(s.sent, string(out.Raw))
	n := 0
	if s.http {
		n = len(s.sent)
	}
	s.mu.Unlock()
	if err := s.queue.Err(); err != nil {
		return transport.Delivery{}, err
	}
	s.answer(n, wire.Parse(out.Raw), func(raw string) {
		s.queue.Put(transport.Incoming{Message: wire.Parse([]byte(raw)), Exchange: n})
	})
	return transport.Delivery{Exchange: n}, nil
}

func (s *script) Receive(ctx context.Context) (transport.Incoming, error) { return s.queue.Get(ctx) }
func (s *script) Negotiated(string)                                       {}
func (s *script) Close(context.Context) error                             { s.queue.Close(nil); return nil }

func start(t *testing.T, s *script, observe rpc.Observer, answer rpc.Answerer) *rpc.Client {
	t.Helper()
	s.queue = transport.NewQueue()
	c := rpc.New(s, observe, answer)
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return c
}

func request(id wire.ID) rpc.Request {
	return rpc.Request{ID: id, Raw: wire.Request(id, "m", nil)}
}

func echo(_ int, m wire.Message, put func(string)) {
	put(`{"jsonrpc":"2.0","id":` + m.ID.String() + `,"result":` + m.ID.String() + `}`)
}

func TestConcurrentCallsGetTheirOwnAnswers(t *testing.T) {
	c := start(t, &script{answer: echo}, nil, nil)
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			reply, err := c.Call(t.Context(), request(wire.IntID(int64(i))))
			if err != nil || string(reply.Result) != strconv.Itoa(i) {
				t.Errorf("call %d got %s, %v", i, reply.Result, err)
			}
		})
	}
	wg.Wait()
}

func TestIDsOfAnotherTypeDoNotMatch(t *testing.T) {
	var stray []string
	c := start(t, &script{answer: func(_ int, _ wire.Message, put func(string)) {
		put(`{"jsonrpc":"2.0","id":1,"result":"number"}`)
		put(`{"jsonrpc":"2.0","id":"1","result":"string"}`)
	}}, func(in transport.Incoming) { stray = append(stray, string(in.Result)) }, nil)
	reply, err := c.Call(t.Context(), request(wire.StringID("1")))
	if err != nil || string(reply.Result) != `"string"` {
		t.Fatalf("got %s, %v", reply.Result, err)
	}
	if len(stray) != 1 || stray[0] != `"number"` {
		t.Errorf("the observer was told %q", stray)
	}
}

func TestAnExchangeThatEndsFailsItsCallAlone(t *testing.T) {
	broken := errors.New("the stream broke")
	s := &script{http: true}
	s.answer = func(n int, m wire.Message, put func(string)) {
		switch m.ID.String() {
		case "1": // ends in order, without an answer, before Send has returned
			s.queue.Put(transport.Incoming{Exchange: n, End: true})
		case "2":
			s.queue.Put(transport.Incoming{Exchange: n, End: true, Err: broken})
		default:
			echo(n, m, put)
			s.queue.Put(transport.Incoming{Exchange: n, End: true})
		}
	}
	c := start(t, s, nil, nil)
	if _, err := c.Call(t.Context(), request(wire.IntID(1))); !errors.Is(err, rpc.ErrNoAnswer) {
		t.Errorf("an empty exchange: %v", err)
	}
	if _, err := c.Call(t.Context(), request(wire.IntID(2))); !errors.Is(err, broken) {
		t.Errorf("a broken exchange: %v", err)
	}
	if _, err := c.Call(t.Context(), request(wire.IntID(3))); err != nil {
		t.Errorf("the call after: %v", err)
	}
}

func TestTheEndOfTheConversationReachesEveryCall(t *testing.T) {
	s := &script{}
	waiting := make(chan struct{}, 3)
	s.answer = func(int, wire.Message, func(string)) { waiting <- struct{}{} }
	c := start(t, s, nil, nil)
	ended := make(chan error, 3)
	for i := range 3 {
		go func() {
			_, err := c.Call(t.Context(), request(wire.IntID(int64(i))))
			ended <- err
		}()
	}
	for range 3 {
		<-waiting
	}
	s.queue.Close(io.ErrUnexpectedEOF)
	for range 3 {
		if err := <-ended; !errors.Is(err, transport.ErrClosed) || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("a waiting call ended with %v", err)
		}
	}
	if _, err := c.Call(t.Context(), request(wire.IntID(9))); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("a later call ended with %v", err)
	}
}

func TestACallGivesUpWithItsContext(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	c := start(t, &script{answer: func(int, wire.Message, func(string)) { cancel(cause) }}, nil, nil)
	if _, err := c.Call(ctx, request(wire.IntID(1))); !errors.Is(err, cause) {
		t.Errorf("ended with %v", err)
	}
}

func TestNotesAndRequestsOfThePeer(t *testing.T) {
	s := &script{answer: func(_ int, m wire.Message, put func(string)) {
		if m.Kind != wire.KindRequest {
			return
		}
		put(`{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`)
		put(`{"jsonrpc":"2.0","id":"srv","method":"ping"}`)
		echo(0, m, put)
	}}
	answered := make(chan struct{})
	c := start(t, s, nil, func(m wire.Message) []byte {
		defer close(answered)
		return wire.Result(m.ID, []byte(`{}`))
	})
	notes := 0
	req := request(wire.IntID(1))
	req.Note = func(transport.Incoming) { notes++ }
	if _, err := c.Call(t.Context(), req); err != nil || notes != 1 {
		t.Errorf("%d notes, %v", notes, err)
	}
	<-answered
}

func TestTheMessagesOfABatchAreHandledOneByOne(t *testing.T) {
	c := start(t, &script{answer: func(_ int, m wire.Message, put func(string)) {
		put(`[{"jsonrpc":"2.0","method":"notifications/message"},{"jsonrpc":"2.0","id":` + m.ID.String() + `,"result":1}]`)
	}}, nil, nil)
	if reply, err := c.Call(t.Context(), request(wire.IntID(7))); err != nil || string(reply.Result) != "1" {
		t.Errorf("got %s, %v", reply.Result, err)
	}
}

// Who waits in vain is told what came in the place of the answer.
func TestWhatCameInstead(t *testing.T) {
	for name, c := range map[string]struct {
		http bool
		puts string
		want string
	}{
		"another id on an exchange": {true, `{"jsonrpc":"2.0","id":"1","result":{}}`, `what came instead: "{\"jsonrpc\"`},
		"no JSON on the one stream": {false, "Server ready\x1b[31m", `what came instead: "Server ready\x1b[31m" (not valid JSON)`},
		"nothing":                   {true, `{"jsonrpc":"2.0","method":"notifications/progress"}`, ""},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		s := &script{http: c.http}
		s.answer = func(n int, _ wire.Message, put func(string)) {
			put(c.puts)
			if c.http {
				s.queue.Put(transport.Incoming{Exchange: n, End: true})
			}
		}
		seen := func(transport.Incoming) {
			if !c.http {
				cancel()
			}
		}
		_, err := start(t, s, seen, nil).Call(ctx, request(wire.IntID(1)))
		if err == nil || !strings.Contains(err.Error(), c.want) || (c.want == "") == strings.Contains(err.Error(), "instead") {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
}

// A peer that asks without end and reads nothing must not fill the memory.
func TestAPeerThatAsksWithoutEnd(t *testing.T) {
	read := make(chan struct{})
	var answers atomic.Int64
	s := &script{answer: func(_ int, m wire.Message, put func(string)) {
		if m.Kind == wire.KindRequest {
			for range 5000 {
				put(`{"jsonrpc":"2.0","id":"srv","method":"ping"}`)
			}
			echo(0, m, put)
			return
		}
		answers.Add(1)
		<-read
	}}
	c := start(t, s, nil, func(m wire.Message) []byte { return wire.Result(m.ID, []byte(`{}`)) })
	defer close(read)
	if _, err := c.Call(t.Context(), request(wire.IntID(1))); err != nil {
		t.Fatal(err)
	}
	if n := answers.Load(); n > 2000 {
		t.Errorf("%d answers wait to be read", n)
	}
}
