package mcphttp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// exchange is one POST or GET and what is known of its answer.
type exchange struct {
	method string
	header http.Header
	body   []byte
	opens  bool // it is an initialize: the answer may give a session id
	quiet  bool // it asks for nothing: what stands in the body of a success means nothing
	// resumes says that a stream may be taken up again; streamOnly, that nothing
	// but a stream will do.
	resumes, streamOnly bool

	number  int
	queued  bool          // something that came is for Receive to hand out
	awaits  []wire.ID     // the requests that were not answered yet
	lastID  string        // of the events so far
	retry   time.Duration // as the peer asked for last, resumePause at least; 0 when it did not
	tooLong error         // an event that was lost
}

// pump hands out what the answer carries, and its end.
func (c *Conn) pump(life context.Context, x *exchange, resp *transport.HTTPResponse) {
	err := c.consume(life, x, resp)
	if c.mayResume(x, resp) && life.Err() == nil {
		err = c.resumeStream(life, x, err)
	}
	if cause := context.Cause(life); cause != nil && err != nil {
		err = cause
	}
	c.hand(x, transport.Incoming{EventID: x.lastID, End: true, Err: err})
}

// consume reads the answer to its end, or until life ends.
func (c *Conn) consume(life context.Context, x *exchange, resp *transport.HTTPResponse) error {
	defer resp.Body.Close()
	stop := context.AfterFunc(life, func() { resp.Cut(context.Cause(life)) })
	defer stop()
	if err := transport.CheckCoding(resp.StatusCode, resp.Header); err != nil {
		return err
	}
	if transport.MediaType(resp.Header) == typeSSE {
		err := c.readStream(x, resp.Body)
		if !isSuccess(resp.StatusCode) {
			return c.statusError(resp, nil)
		}
		return err
	}
	return c.readBody(x, resp)
}

// readStream hands out the messages of an event stream. Its error is nil when the
// stream ended in order and every request in the exchange has its answer.
func (c *Conn) readStream(x *exchange, body io.Reader) error {
	reader := wire.NewEventReader(body, c.opts.Limit)
	for {
		event, err := reader.Next()
		var tooLong *wire.TooLongError
		switch {
		case err == nil:
			c.take(x, event)
		case errors.As(err, &tooLong):
			x.tooLong = err
			c.hand(x, lost(err))
		case x.tooLong != nil && len(x.awaits) > 0:
			return x.tooLong
		case errors.Is(err, io.EOF) && len(x.awaits) > 0:
			return fmt.Errorf("the stream ended before the answer to %v: %w", x.awaits, io.ErrUnexpectedEOF)
		case errors.Is(err, io.EOF):
			return nil
		default:
			return err
		}
	}
}

// lost stands for a message that was over the limit.
func lost(err error) transport.Incoming {
	return transport.Incoming{
		Message: wire.Message{Kind: wire.KindInvalid, Problems: []string{err.Error()}},
		Err:     err,
	}
}

// take handles one event. One without data only moves the place from which to
// resume; one of another type than message is not for MCP.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
func (c *Conn) take(x *exchange, event wire.Event) {
	if event.HasID {
		x.lastID = event.LastEventID
	}
	if event.Retry >= 0 {
		x.retry = max(time.Duration(event.Retry)*time.Millisecond, resumePause)
	}
	if len(bytes.TrimSpace(event.Data)) == 0 || (event.Type != "" && event.Type != "message") {
		return
	}
	c.deliver(x, wire.Parse(event.Data), event.ID)
}

func (c *Conn) deliver(x *exchange, msg wire.Message, eventID string) {
	x.settle(msg)
	c.hand(x, transport.Incoming{Message: msg, EventID: eventID})
}

// settle notes which of the requests the message answers. An error that names no
// request can only mean the one there is.
func (x *exchange) settle(msg wire.Message) {
	for _, one := range msg.Batch {
		x.settle(one)
	}
	if !msg.IsResponse() {
		return
	}
	if len(x.awaits) == 1 && (msg.ID.IsZero() || msg.ID == wire.NullID) {
		x.awaits = nil
		return
	}
	for i, id := range x.awaits {
		if id.Equal(msg.ID) {
			x.awaits = append(x.awaits[:i:i], x.awaits[i+1:]...)
			return
		}
	}
}

// readBody hands out the message that is the whole of an answer.
func (c *Conn) readBody(x *exchange, resp *transport.HTTPResponse) error {
	body, err := resp.ReadWhole(c.opts.Limit)
	success := isSuccess(resp.StatusCode)
	if success && x.quiet {
		return err
	}
	isJSON := transport.MediaType(resp.Header) == typeJSON
	msg, empty := wire.Parse(body), len(bytes.TrimSpace(body)) == 0
	if err == nil && !empty && (msg.Kind != wire.KindInvalid || success && isJSON) {
		c.deliver(x, msg, "")
	}
	switch {
	case !success:
		return c.statusError(resp, body)
	case err != nil:
		return fmt.Errorf("reading the answer: %w", err)
	case x.streamOnly || !isJSON && !empty:
		return &ContentTypeError{x.method, resp.StatusCode, resp.Header.Get("Content-Type"), body}
	case empty && len(x.awaits) > 0:
		return fmt.Errorf("the answer to %v is HTTP status %d without a body: %w", x.awaits, resp.StatusCode, io.ErrUnexpectedEOF)
	default:
		return nil
	}
}

func (c *Conn) statusError(resp *transport.HTTPResponse, body []byte) error {
	return &StatusError{resp.Request.Method, resp.StatusCode, resp.Header, body}
}
