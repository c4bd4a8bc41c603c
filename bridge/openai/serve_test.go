package openai_test

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/peerwright/peerwright/bridge/openai"
	"github.com/peerwright/peerwright/internal/errclass"
)

// serving is a server that a test can stop.
type serving struct {
	base string
	stop context.CancelFunc
	done chan error
}

func serve(t *testing.T, o openai.Options) serving {
	t.Helper()
	s, err := openai.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	sv := serving{"http://" + ln.Addr().String(), stop, make(chan error, 1)}
	go func() { sv.done <- s.Serve(ctx, ln) }()
	return sv
}

func TestWhatIsUnderWayFinishesWhenTheServerStops(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	o := chats(func(_ context.Context, _ *openai.Request, reply *openai.Reply) error {
		close(begun)
		<-goOn
		return reply.Text("whole")
	})
	o.Drain = time.Minute
	sv := serve(t, o)
	got := make(chan answer, 1)
	go func() { got <- post(t, sv.base, hello) }()
	<-begun
	sv.stop()
	for { // the listener is closed at once
		c, err := net.Dial("tcp", strings.TrimPrefix(sv.base, "http://"))
		if err != nil {
			break
		}
		c.Close()
	}
	close(goOn)
	if a := <-got; a.status != 200 || !strings.Contains(a.body, "whole") {
		t.Errorf("%d %s", a.status, a.body)
	}
	if err := <-sv.done; err != nil {
		t.Error(err)
	}
}

func TestWhatTakesTooLongIsToldThatTheServerStops(t *testing.T) {
	for name, tc := range map[string]struct {
		body string
		err  func(ctx context.Context) error
		want bool // to be repeated
	}{
		"document": {hello, context.Cause, false},
		"stream":   {streamed, context.Cause, false},
		"a reading call": {hello, func(context.Context) error {
			return errclass.FromTransport(errclass.Closed, io.EOF, errclass.Call{ReadOnly: true})
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			begun := make(chan struct{})
			o := chats(func(ctx context.Context, r *openai.Request, reply *openai.Reply) error {
				_ = reply.Text("half")
				close(begun)
				<-ctx.Done()
				return tc.err(ctx)
			})
			o.Drain = time.Millisecond
			sv := serve(t, o)
			got := make(chan answer, 1)
			go func() { got <- post(t, sv.base, tc.body) }()
			<-begun
			sv.stop()
			a := <-got
			if name == "stream" {
				list, done := chunks(t, a.body)
				if last := list[len(list)-1]; done || last.Error == nil || last.Error.Class != "transient" || content(list) != "half" {
					t.Errorf("%s", a.body)
				}
			} else if e := readEnvelope(t, a.body).Error; a.status != 503 || e.Class != "transient" || e.Retryable != tc.want || !strings.Contains(e.Message, "shutting down") {
				t.Errorf("%d %s", a.status, a.body)
			}
			if err := <-sv.done; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAListenerThatFailsIsAnError(t *testing.T) {
	s, err := openai.New(chats(echo))
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	if err := s.Serve(t.Context(), ln); err == nil {
		t.Error("no error")
	}
}
