package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
	"github.com/peerwright/peerwright/internal/wire"
)

// recording is a stream that was read to its end, or to where it should have ended.
type recording struct {
	frames   []wire.Frame
	err      error // why no stream came; nil when one did
	items    []item
	payloads []json.RawMessage
	fault    *a2ahttp.Fault // the error that the stream told of; nil without one
	// over says that the stream told of its end: a terminal state, a message, or
	// final:true. paused says that the task waits for its client.
	over, paused bool
	closed       bool  // the agent closed the stream, in order
	end          error // what ended the reading when the agent did not
}

// streamed returns the answer to a message that was sent to be streamed.
func (s *Session) streamed(ctx context.Context) *recording {
	f := &s.target.facts
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stream == nil {
		m := message{id: s.target.newID(), text: s.target.config.Prompt}
		s.Note(a2ahttp.SendStreamingMessage, "to read a stream")
		f.stream = s.record(ctx, a2ahttp.SendStreamingMessage, s.dialect.send(m), whole)
	}
	s.borrow(f.stream.frames)
	return f.stream
}

// How many events of a stream are read.
const (
	whole = 10_000 // all of them, unless the agent never comes to an end
	begin = 1
)

// record makes a streaming call in the shared conversation and reads at most the
// given number of events.
func (s *Session) record(ctx context.Context, op a2ahttp.Op, params object, most int) *recording {
	shared := newSession(s.target, s.target.shared, false)
	r := &recording{}
	stream, err := shared.conv.client.Stream(ctx, op, encoded(params))
	if err != nil {
		r.err, r.frames = err, shared.Frames()
		return r
	}
	for err == nil && !r.enough(most) {
		err = s.next(ctx, stream, r)
	}
	stream.Close() // so that its end is among the frames
	r.frames = shared.Frames()
	return r
}

func (r *recording) enough(most int) bool {
	return len(r.items) >= most || most == begin && r.fault != nil
}

// next reads one event into the recording. Once the stream told of its end, the
// agent has so much patience to close it.
func (s *Session) next(ctx context.Context, stream *a2ahttp.Stream, r *recording) error {
	if r.over || r.paused {
		var cancel context.CancelFunc
		patience := s.target.config.Patience
		ctx, cancel = context.WithTimeoutCause(ctx, patience, fmt.Errorf("still open after %v", patience))
		defer cancel()
	}
	event, err := stream.Next(ctx)
	var fault *a2ahttp.Fault
	switch {
	case errors.Is(err, io.EOF):
		r.closed = true
	case errors.As(err, &fault):
		r.fault = fault
		return nil
	case errors.Is(err, a2ahttp.ErrMalformed):
		r.items, r.payloads = append(r.items, item{Problem: err.Error()}), append(r.payloads, nil)
		return nil
	case err != nil:
		r.end = err
	default:
		r.add(s.dialect.item(event.Payload), event.Payload)
	}
	return err
}

func (r *recording) add(it item, payload json.RawMessage) {
	r.items, r.payloads = append(r.items, it), append(r.payloads, payload)
	r.over = r.over || it.Kind == isMessage || it.Final || it.State.terminal()
	if it.State != "" {
		r.paused = it.State.interrupted()
	}
}

// opened ends the case as not-verified unless there was a stream, with events in it:
// another case judges whether there has to be one.
func (r *recording) opened(c *conformance.Check) {
	switch {
	case r.err != nil:
		c.NotVerified("the agent gave no stream: %v", r.err)
	case len(r.items) == 0 && r.fault != nil:
		c.NotVerified("the stream told of an error only: %v", r.fault)
	case len(r.items) == 0:
		c.NotVerified("the stream had no event")
	}
}
