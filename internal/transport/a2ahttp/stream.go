package a2ahttp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// NotStreamError says that a streaming call was answered by something that is no
// event stream, such as newline-delimited JSON.
type NotStreamError struct {
	Op          Op
	ContentType string // media type of the answer; "" when it had none
	Reply       Reply  // the answer; read whole, and with a Result, where it is JSON
}

// Error implements the error interface.
func (e *NotStreamError) Error() string {
	return fmt.Sprintf("%s was answered with %q; a stream has to be %s", e.Op, e.ContentType, eventStreamType)
}

// Stream is an answer that comes in events. Next is for one goroutine; Close may be
// called by another.
type Stream struct {
	Head Reply // of the answer: its Body is empty
	// Alive is called for each block that tells nothing, such as a keep-alive comment;
	// nil is fine. It is set before the first Next.
	Alive func()
	body  answer
	read  func() (wire.Event, error)
	rpc   bool
}

// Event is one event of a stream.
type Event struct {
	wire.Event
	// Message is the view of the data in the JSON-RPC binding.
	Message wire.Message
	// Payload is what the event tells: the result of the JSON-RPC response, or the
	// data of an HTTP+JSON event. It is nil beside an error.
	Payload json.RawMessage
}

// Stream makes a streaming call. It fails as Call does, and with a *NotStreamError
// when the answer is neither an error nor an event stream. An agent may also tell its
// error in the first event: see Next.
func (c *Client) Stream(ctx context.Context, op Op, params json.RawMessage) (*Stream, error) {
	return c.Open(ctx, Request{Op: op, Params: params})
}

// Open is Stream with everything set. The context bounds the call until the head of
// the answer has come; Next has its own.
func (c *Client) Open(ctx context.Context, r Request) (*Stream, error) {
	var s *Stream
	_, err := c.withFallback(r, func(p prepared) (Reply, error) {
		a, err := c.line.do(ctx, p.HTTPRequest)
		if err != nil {
			return Reply{}, fmt.Errorf("%s: %w", r.Op, err)
		}
		if read := c.reader(a, r.Lines); read != nil {
			s = c.newStream(a, p.id, read)
			return s.Head, nil
		}
		return c.refused(ctx, a, p.id, r.Op)
	})
	return s, err
}

// reader returns what reads the answer as a stream; nil when it is none.
func (c *Client) reader(a answer, lines bool) func() (wire.Event, error) {
	if a.StatusCode/100 != 2 {
		return nil
	}
	switch transport.MediaType(a.Header) {
	case eventStreamType:
		return wire.NewEventReader(a.Body, c.line.limit).Next
	case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines":
		if lines {
			return lineEvents(wire.NewLineReader(a.Body, c.line.limit))
		}
	}
	return nil
}

// lineEvents reads each line as the data of an event.
func lineEvents(r *wire.LineReader) func() (wire.Event, error) {
	return func() (wire.Event, error) {
		line, err := r.Next()
		content := line.Content()
		return wire.Event{Data: content, Raw: line.Raw, Retry: -1, Dispatched: len(content) > 0}, err
	}
}

func (c *Client) newStream(a answer, id wire.ID, read func() (wire.Event, error)) *Stream {
	reply := head(a)
	reply.ID = id
	return &Stream{Head: reply, body: a, rpc: c.Interface.Binding != HTTPJSON, read: read}
}

// refused reads an answer that is no stream. One that is not JSON may go on for ever
// and is left alone, unless it is a failure.
func (c *Client) refused(ctx context.Context, a answer, id wire.ID, op Op) (Reply, error) {
	kind := transport.MediaType(a.Header)
	notStream := &NotStreamError{Op: op, ContentType: kind, Reply: head(a)}
	if a.StatusCode/100 == 2 && !isJSON(kind) {
		_ = a.Body.Close()
		return head(a), notStream
	}
	reply, err := c.line.read(ctx, a)
	if err != nil {
		return reply, fmt.Errorf("%s: %w", op, err)
	}
	reply, err = c.settle(reply, id, op)
	if err != nil && !errors.Is(err, ErrMalformed) {
		return reply, err
	}
	notStream.Reply = reply
	return reply, notStream
}

func isJSON(kind string) bool { return kind == jsonType || kind == a2aType }

// Next returns the next event. The error is io.EOF at a clean end, and a *Fault for
// an event that tells of one, or wraps ErrMalformed for one that the binding does
// not allow; after these two and a *wire.TooLongError reading can go on. The end of
// the context closes the stream.
func (s *Stream) Next(ctx context.Context) (Event, error) {
	stop := context.AfterFunc(ctx, func() { s.body.Cut(context.Cause(ctx)) })
	defer stop()
	for {
		event, err := s.read()
		switch {
		case errors.Is(err, io.EOF):
			return Event{}, io.EOF
		case err != nil:
			return Event{}, fmt.Errorf("reading the stream: %w", err)
		case event.Dispatched:
			return s.settle(event)
		case s.Alive != nil:
			s.Alive()
		}
	}
}

func (s *Stream) settle(in wire.Event) (Event, error) {
	event := Event{Event: in}
	if !s.rpc {
		return event.settleHTTP()
	}
	event.Message = wire.Parse(in.Data)
	switch event.Message.Kind {
	case wire.KindResult:
		event.Payload = event.Message.Result
		return event, nil
	case wire.KindError:
		return event, rpcFault(event.Message.Error, s.Head)
	case wire.KindRequest, wire.KindNotification, wire.KindBatch, wire.KindInvalid:
	}
	return event, fmt.Errorf("%w: an event that is no JSON-RPC response: %s", ErrMalformed, clip(string(in.Data)))
}

// settleHTTP reads an event of the HTTP+JSON binding. A failure within a stream has
// the shape of one outside.
func (e Event) settleHTTP() (Event, error) {
	members, err := wire.Members(e.Data)
	if err != nil {
		return e, fmt.Errorf("%w: an event that is no JSON object: %s", ErrMalformed, clip(string(e.Data)))
	}
	if len(members) == 1 && members[0].Name == "error" {
		return e, httpFault(Reply{Body: e.Data})
	}
	e.Payload = e.Data
	return e, nil
}

// Close ends the stream. What the agent does about it is its own affair: the task
// goes on.
func (s *Stream) Close() { _ = s.body.Body.Close() }
