package mcphttp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// ErrForeignEndpoint is wrapped when the peer names a message endpoint of another
// origin, to which no message and no credential is sent.
var ErrForeignEndpoint = errors.New("the endpoint is of another origin than the event stream")

// errNoEndpoint is the cause when the endpoint event does not come in time.
var errNoEndpoint = errors.New("no endpoint event came")

// SSEConn is a conversation over HTTP+SSE, the transport of 2024-11-05: one event
// stream from the peer, and a POST for each message to it. It implements
// transport.Conn, and may be used by several goroutines at once.
//
// What comes on the stream has Exchange 0, as has the Delivery of a message that
// the peer took. A POST that it refused has the number of its HTTP exchange, under
// which an Incoming with End and a *StatusError follows.
//
// https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
type SSEConn struct {
	opts     transport.Options
	http     *transport.HTTP
	queue    *transport.Queue
	messages string // the URL that the endpoint event named
	work     sync.WaitGroup
	closing  sync.Once

	mu       sync.Mutex
	closed   bool
	revision string
}

// DialSSE opens the event stream at the URL and waits for the endpoint event, for
// as long as the context and Options.Connect allow. The error is a *StatusError or
// a *ContentTypeError where the peer has no such stream.
func DialSSE(ctx context.Context, endpoint string, opts transport.Options) (*SSEConn, error) {
	if err := checkURL(endpoint); err != nil {
		return nil, err
	}
	c := &SSEConn{opts: opts, http: transport.NewHTTP(opts, nil), queue: transport.NewQueue()}
	ctx, cancel := context.WithTimeoutCause(ctx, opts.ConnectTimeout(), errNoEndpoint)
	defer cancel()
	if err := c.open(ctx, endpoint); err != nil {
		c.http.Close()
		return nil, fmt.Errorf("opening the event stream: %w", err)
	}
	return c, nil
}

func (c *SSEConn) open(ctx context.Context, endpoint string) error {
	resp, err := c.http.Do(ctx, transport.HTTPRequest{
		Method: http.MethodGet, URL: endpoint, Header: http.Header{"Accept": {typeSSE}},
	})
	if err != nil {
		return err //nolint:wrapcheck // it names the call
	}
	stop := context.AfterFunc(ctx, func() { resp.Cut(context.Cause(ctx)) })
	defer stop()
	reader := wire.NewEventReader(resp.Body, c.opts.Limit)
	if err = checkStream(resp, c.opts.Limit); err == nil {
		err = c.await(reader, endpoint)
	}
	if err == nil && !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = resp.Body.Close() // the error that led here matters more
		return err
	}
	c.work.Go(func() { c.read(reader, resp.Body) })
	return nil
}

func checkStream(resp *transport.HTTPResponse, limit int) error {
	success := isSuccess(resp.StatusCode)
	if success && transport.MediaType(resp.Header) == typeSSE {
		return nil
	}
	body, _ := transport.ReadBody(resp.Body, limit) // what came of it
	if !success {
		return &StatusError{http.MethodGet, resp.StatusCode, resp.Header, body}
	}
	return &ContentTypeError{http.MethodGet, resp.StatusCode, resp.Header.Get("Content-Type"), body}
}

// await reads up to the endpoint event.
func (c *SSEConn) await(reader *wire.EventReader, endpoint string) error {
	for {
		event, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return errNoEndpoint
		}
		if err != nil {
			return err //nolint:wrapcheck // the caller names the stream
		}
		if event.Type == "endpoint" && event.Dispatched {
			c.messages, err = sameOrigin(endpoint, string(bytes.TrimSpace(event.Data)))
			return err
		}
		c.take(event)
	}
}

// sameOrigin resolves the reference, and refuses another scheme, host or port.
func sameOrigin(base, reference string) (string, error) {
	from, err := url.Parse(base)
	if err != nil {
		return "", fmt.Errorf("the URL of the peer: %w", err)
	}
	to, err := from.Parse(reference)
	if err != nil {
		return "", fmt.Errorf("the endpoint that the peer named: %w", err)
	}
	if origin(from) != origin(to) {
		return "", fmt.Errorf("%w: %s against %s", ErrForeignEndpoint, origin(to), origin(from))
	}
	if to.User == nil {
		to.User = from.User
	}
	return to.String(), nil
}

func origin(u *url.URL) string {
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

// read hands out what comes, until the stream ends and the conversation with it.
func (c *SSEConn) read(reader *wire.EventReader, body io.Closer) {
	defer body.Close()
	for {
		event, err := reader.Next()
		var tooLong *wire.TooLongError
		switch {
		case err == nil:
			c.take(event)
		case errors.As(err, &tooLong):
			c.queue.Put(lost(0, err))
		case errors.Is(err, io.EOF):
			c.queue.Close(errors.New("the peer ended the event stream"))
			return
		default:
			c.queue.Close(err)
			return
		}
	}
}

func (c *SSEConn) take(event wire.Event) {
	if len(bytes.TrimSpace(event.Data)) > 0 && (event.Type == "" || event.Type == "message") {
		c.queue.Put(transport.Incoming{Message: wire.Parse(event.Data), EventID: event.ID})
	}
}

// Send implements transport.Conn.
func (c *SSEConn) Send(ctx context.Context, out transport.Outgoing) (transport.Delivery, error) {
	header, ok := c.enter()
	if !ok {
		return transport.Delivery{}, fmt.Errorf("sending: %w", transport.ErrClosed)
	}
	resp, err := c.http.Do(ctx, transport.HTTPRequest{
		Method: http.MethodPost, URL: c.messages, Header: override(header, out.Header), Body: out.Raw,
	})
	if err != nil {
		c.work.Done()
		return transport.Delivery{}, err //nolint:wrapcheck // it names the call
	}
	d := transport.Delivery{Status: resp.StatusCode, Header: resp.Header}
	if !isSuccess(d.Status) {
		d.Exchange = resp.Exchange
	}
	go func() {
		defer c.work.Done()
		c.settle(resp)
	}()
	return d, nil
}

// enter counts a POST, unless the conversation is closed, and returns its headers.
func (c *SSEConn) enter() (http.Header, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, false
	}
	c.work.Add(1)
	h := http.Header{"Content-Type": {typeJSON}, "Accept": {"*/*"}}
	if c.revision >= firstWithVersionHeader { // later revisions are spoken over this transport too
		h.Set(headerVersion, c.revision)
	}
	return h, true
}

// settle reads what the peer said to a POST, which counts only when it refused.
func (c *SSEConn) settle(resp *transport.HTTPResponse) {
	defer resp.Body.Close()
	body, err := transport.ReadBody(resp.Body, c.opts.Limit)
	if isSuccess(resp.StatusCode) {
		return
	}
	if msg := wire.Parse(body); err == nil && msg.Kind != wire.KindInvalid {
		c.queue.Put(transport.Incoming{Message: msg, Exchange: resp.Exchange})
	}
	c.queue.Put(transport.Incoming{
		Exchange: resp.Exchange, End: true,
		Err: &StatusError{http.MethodPost, resp.StatusCode, resp.Header, body},
	})
}

// Receive implements transport.Conn.
func (c *SSEConn) Receive(ctx context.Context) (transport.Incoming, error) {
	return c.queue.Get(ctx)
}

// Negotiated implements transport.Conn.
func (c *SSEConn) Negotiated(revision string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revision = revision
}

// Close implements transport.Conn: it closes the event stream, which is all that
// the transport has for an end.
func (c *SSEConn) Close(context.Context) error {
	c.closing.Do(func() {
		c.mu.Lock()
		c.closed = true
		c.mu.Unlock()
		c.queue.Close(nil)
		c.http.Close()
		c.work.Wait()
	})
	return nil
}
