package agent

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
)

// TestUnfinished is about turns that cannot be brought to an end.
func TestUnfinished(t *testing.T) {
	d := dialect{a2ahttp.V10, a2ahttp.JSONRPC}
	half := d.chunkEvent(artifact("a", d.parts("Half an")), nil)
	hang := func(r request) { <-r.done }
	for _, test := range []struct {
		name    string
		script  map[a2ahttp.Op]handler
		class   errclass.Class
		outcome errclass.Outcome
		says    string
		text    string
	}{
		{
			"a stream without an event",
			map[a2ahttp.Op]handler{a2ahttp.SendStreamingMessage: func(r request) { r.stream() }},
			errclass.Transient, errclass.Unknown, "ended before", "",
		},
		{
			"a stream that breaks before anything came",
			map[a2ahttp.Op]handler{a2ahttp.SendStreamingMessage: func(r request) { r.stream(); r.breakOff() }},
			errclass.Transient, errclass.Unknown, "connection", "",
		},
		{
			"half an answer, and nobody to ask",
			map[a2ahttp.Op]handler{a2ahttp.SendStreamingMessage: func(r request) { r.stream(half); r.breakOff() }},
			errclass.Transient, errclass.Unknown, "could not be asked for", "Half an",
		},
		{
			"half an answer and a clean end, and nobody to ask",
			map[a2ahttp.Op]handler{a2ahttp.SendStreamingMessage: func(r request) { r.stream(half) }},
			errclass.Transient, errclass.Unknown, "ended before the task did", "Half an",
		},
		{
			"an error within the stream",
			map[a2ahttp.Op]handler{a2ahttp.SendStreamingMessage: func(r request) {
				r.stream(half)
				_, _ = io.WriteString(r.w, `data: {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the oven is cold"}}`+"\n\n")
			}},
			errclass.Transient, errclass.Failed, "the oven is cold", "Half an",
		},
		{
			"silence before the head",
			map[a2ahttp.Op]handler{a2ahttp.SendStreamingMessage: hang},
			errclass.Timeout, errclass.Unknown, "no word from it for", "",
		},
		{
			"silence amid a stream",
			map[a2ahttp.Op]handler{
				a2ahttp.SendStreamingMessage: func(r request) { r.stream(half); <-r.done },
				a2ahttp.GetTask:              func(r request) { r.answer(d.bare(d.status(Working))) },
			},
			errclass.Timeout, errclass.Unknown, "no word from it for", "Half an",
		},
		{
			"a task that works for ever",
			map[a2ahttp.Op]handler{
				a2ahttp.SendStreamingMessage: func(r request) { r.answer(d.taskEvent(d.status(Working))) },
				a2ahttp.GetTask:              func(r request) { r.answer(d.bare(d.status(Working))) },
			},
			errclass.Timeout, errclass.Unknown, "no word from it for", "",
		},
		{
			"HTML for a stream",
			map[a2ahttp.Op]handler{a2ahttp.SendStreamingMessage: func(r request) {
				r.w.Header().Set("Content-Type", "text/html")
				_, _ = io.WriteString(r.w, "<html>sign in</html>")
			}},
			errclass.Transient, errclass.Unknown, "text/html", "",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t, d, true, test.script)
			h := send(t, s.agent(t, func(c *Config) { c.Timeout = 150 * time.Millisecond }), hello())
			var e errclass.Error
			if !errors.As(h.err, &e) || e.Class != test.class || e.Context.Outcome != test.outcome {
				t.Fatalf("error %+v", h.err)
			}
			if !strings.Contains(e.Message, test.says) || strings.Contains(e.Message, "<html") {
				t.Errorf("says %q, want %q", e.Message, test.says)
			}
			if strings.Contains(e.Message, "127.0.0.1") {
				t.Errorf("the address is told: %q", e.Message)
			}
			if h.text() != test.text || h.outcome.Detail == "" || e.Retryable {
				t.Errorf("told %q, detail %q, retryable %v", h.text(), h.outcome.Detail, e.Retryable)
			}
			if n := len(s.calls(a2ahttp.SendStreamingMessage)) + len(s.calls(a2ahttp.SendMessage)); n != 1 {
				t.Errorf("the message was sent %d times", n)
			}
		})
	}
}

// TestSilenceAfterTheEnd is a stream whose end was lost: the task tells.
func TestSilenceAfterTheEnd(t *testing.T) {
	d := dialect{a2ahttp.V03, a2ahttp.JSONRPC}
	s := serve(t, d, true, map[a2ahttp.Op]handler{
		a2ahttp.SendStreamingMessage: func(r request) { r.stream(d.taskEvent(d.status(Working))); <-r.done },
		a2ahttp.GetTask:              func(r request) { r.answer(d.bare(d.status(Completed), artifact("a", d.parts("done")))) },
	})
	h := send(t, s.agent(t, func(c *Config) { c.Timeout = 100 * time.Millisecond }), hello())
	if h.err != nil || h.text() != "done" {
		t.Errorf("told %q, error %v", h.text(), h.err)
	}
}

// TestKeepAlive is an agent that takes its time and says that it is there.
func TestKeepAlive(t *testing.T) {
	d := dialect{a2ahttp.V10, a2ahttp.JSONRPC}
	s := serve(t, d, true, map[a2ahttp.Op]handler{
		a2ahttp.SendStreamingMessage: func(r request) {
			r.stream()
			tick := time.NewTicker(50 * time.Millisecond)
			defer tick.Stop()
			for range 16 {
				<-tick.C
				_, _ = io.WriteString(r.w, ": still here\n\n")
				r.stream()
			}
			r.stream(d.taskEvent(d.status(Completed), artifact("a", d.parts("done"))))
		},
	})
	h := send(t, s.agent(t, func(c *Config) { c.Timeout = 400 * time.Millisecond }), hello())
	if h.err != nil || h.text() != "done" {
		t.Errorf("told %q, error %v", h.text(), h.err)
	}
}

// TestSlowClient is one who takes longer to read than the agent may be silent.
func TestSlowClient(t *testing.T) {
	d := dialect{a2ahttp.V10, a2ahttp.JSONRPC}
	s := serve(t, d, true, map[a2ahttp.Op]handler{
		a2ahttp.SendStreamingMessage: func(r request) {
			r.stream(d.taskEvent(d.status(Working)))
			<-time.After(700 * time.Millisecond)
			r.stream(d.taskEvent(d.status(Completed)))
		},
	})
	a := s.agent(t, func(c *Config) { c.Timeout = 400 * time.Millisecond })
	slow := func(Update) error { <-time.After(600 * time.Millisecond); return nil }
	if o, err := a.Send(t.Context(), hello(), slow); err != nil || o.State != Completed {
		t.Errorf("state %s, error %v", o.State, err)
	}
}

// TestTotal is a turn that goes on for ever, though not silently.
func TestTotal(t *testing.T) {
	d := dialect{a2ahttp.V10, a2ahttp.JSONRPC}
	s := serve(t, d, true, map[a2ahttp.Op]handler{
		a2ahttp.SendStreamingMessage: func(r request) {
			r.stream()
			tick := time.NewTicker(10 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					_, _ = io.WriteString(r.w, ": still here\n\n")
					r.stream()
				case <-r.done:
					return
				}
			}
		},
	})
	h := send(t, s.agent(t, func(c *Config) { c.Total = 200 * time.Millisecond }), hello())
	var e errclass.Error
	if !errors.As(h.err, &e) || e.Class != errclass.Timeout || !strings.Contains(e.Message, "turn was not over") {
		t.Errorf("error %v", h.err)
	}
}

// TestGone is a caller who goes away: the turn ends, and the task is left alone.
func TestGone(t *testing.T) {
	d := dialect{a2ahttp.V10, a2ahttp.JSONRPC}
	gone := make(chan struct{})
	var once sync.Once
	s := serve(t, d, true, map[a2ahttp.Op]handler{
		a2ahttp.SendStreamingMessage: func(r request) {
			r.stream(d.taskEvent(d.status(Working)))
			<-r.done
			once.Do(func() { close(gone) })
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	outcome, err := s.agent(t).Send(ctx, hello(), func(Update) error { cancel(); return nil })
	var e errclass.Error
	if !errors.As(err, &e) || e.Retryable || !strings.Contains(e.Message, "caller") {
		t.Errorf("error %+v", err)
	}
	if outcome.ContextID != "ctx" || outcome.TaskID != "task" {
		t.Errorf("the ids are lost: %+v", outcome)
	}
	<-gone
	if n := len(s.calls(a2ahttp.CancelTask)); n != 0 {
		t.Errorf("the task was cancelled %d times", n)
	}
	own := errors.New("enough")
	if _, err := s.agent(t).Send(t.Context(), hello(), func(Update) error { return own }); !errors.Is(err, own) {
		t.Errorf("error %v", err)
	}
}

// TestLimit is an agent that says more at once than is wanted.
func TestLimit(t *testing.T) {
	d := dialect{a2ahttp.V10, a2ahttp.JSONRPC}
	long := d.taskEvent(d.status(Completed), artifact("a", d.parts(strings.Repeat("x", 5000))))
	for _, streaming := range []bool{false, true} {
		s := serve(t, d, streaming, map[a2ahttp.Op]handler{
			a2ahttp.SendMessage:          func(r request) { r.answer(long) },
			a2ahttp.SendStreamingMessage: func(r request) { r.stream(long) },
		})
		h := send(t, s.agent(t, func(c *Config) { c.Limit = 2000 }), hello())
		var e errclass.Error
		if !errors.As(h.err, &e) || e.Retryable || e.Context.Outcome != errclass.Unknown || !strings.Contains(e.Message, "limit of 2000 bytes") {
			t.Errorf("streaming %v: error %v", streaming, h.err)
		}
	}
}

// TestErrorInAStream is one in the form of each binding.
func TestErrorInAStream(t *testing.T) {
	for _, d := range dialects() {
		s := serve(t, d, true, map[a2ahttp.Op]handler{
			a2ahttp.SendStreamingMessage: func(r request) {
				r.stream(d.chunkEvent(artifact("a", d.parts("Half an")), nil))
				frame := `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"too much"}}`
				if d.binding == a2ahttp.JSONRPC {
					frame = `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"too much"}}`
				}
				_, _ = io.WriteString(r.w, "data: "+frame+"\n\n")
				r.stream()
			},
		})
		h := send(t, s.agent(t), hello())
		want := errclass.InvalidArgs
		if d.binding == a2ahttp.HTTPJSON {
			want = errclass.RateLimit
		}
		var e errclass.Error
		if !errors.As(h.err, &e) || e.Class != want || !strings.Contains(e.Message, "too much") || h.text() != "Half an" {
			t.Errorf("%s: told %q, error %+v", d, h.text(), h.err)
		}
	}
}
