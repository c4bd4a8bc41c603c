package mcphttp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// Conn is a conversation over Streamable HTTP of any revision. It implements
// transport.Conn, and everything in it may be used by several goroutines at once.
//
// Each Send is a POST. Its context bounds the time until the head of the answer;
// the stream that follows lives until it ends, until Cancel, or until Close. What
// it carries arrives through Receive under the number of the exchange, and after
// its last message always an Incoming with End. Where a stream was resumed, the
// messages keep the number of the POST that began it.
type Conn struct {
	endpoint string
	opts     transport.Options
	http     *transport.HTTP
	queue    *transport.Queue
	resume   Resume
	pumps    sync.WaitGroup
	closing  sync.Once
	closeErr error

	mu       sync.Mutex
	closed   bool
	session  string
	revision string
	tools    map[string][]ParamHeader
	open     map[int]context.CancelCauseFunc // the exchanges that are still read
}

// Dial prepares a conversation with the MCP endpoint at the URL. Nothing is sent
// yet. It fails when the URL is not an http or https one.
func Dial(_ context.Context, endpoint string, opts transport.Options) (*Conn, error) {
	if err := checkURL(endpoint); err != nil {
		return nil, err
	}
	return &Conn{
		endpoint: endpoint,
		opts:     opts,
		http:     transport.NewHTTP(opts, nil),
		queue:    transport.NewQueue(),
		open:     map[int]context.CancelCauseFunc{},
		tools:    map[string][]ParamHeader{},
	}, nil
}

func checkURL(endpoint string) error {
	u, err := url.Parse(endpoint)
	if err != nil {
		return fmt.Errorf("the URL of the peer: %w", err)
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return fmt.Errorf("the URL of the peer is %q; want http://host… or https://host…", u.Redacted())
	}
	return nil
}

// Negotiated implements transport.Conn: from 2025-06-18 on every later request
// names the revision, and from 2026-07-28 on there is no session.
func (c *Conn) Negotiated(revision string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revision = revision
}

// SessionID returns the session id that the peer gave with the result of
// initialize; "" when there is none.
func (c *Conn) SessionID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

// SetSessionID makes later requests carry another session id; "" none.
func (c *Conn) SetSessionID(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session = id
}

// Forget drops the session: its id and the negotiated revision. The next message
// to send is then an initialize, as after a 404.
func (c *Conn) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session, c.revision = "", ""
}

// Receive implements transport.Conn. An Incoming with End has the id of the last
// event of its stream in EventID, from which OpenStream can go on.
func (c *Conn) Receive(ctx context.Context) (transport.Incoming, error) {
	return c.queue.Get(ctx)
}

// Send implements transport.Conn. A status that is not a success is no error of
// Send: it is in the Delivery, and a *StatusError at the End of the exchange.
func (c *Conn) Send(ctx context.Context, out transport.Outgoing) (transport.Delivery, error) {
	msg := wire.Parse(out.Raw)
	return c.do(ctx, &exchange{
		method: http.MethodPost, header: override(c.postHeader(msg), out.Header), body: out.Raw,
		awaits: requestIDs(msg), opens: opensSession(msg), quiet: asksNothing(msg), resumes: !c.modern(msg),
	})
}

// OpenStream asks for the stream on which a legacy server sends what belongs to no
// request; lastEventID, when not "", is where a broken one is to go on. A peer that
// has no such stream says so in the status of the Delivery (405, and in the wild
// 400, 404 and 406), and the conversation goes on without.
//
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
func (c *Conn) OpenStream(ctx context.Context, lastEventID string) (transport.Delivery, error) {
	return c.do(ctx, &exchange{method: http.MethodGet, header: c.streamHeader(lastEventID), streamOnly: true})
}

// do makes the exchange and leaves its body to a pump.
func (c *Conn) do(ctx context.Context, x *exchange) (transport.Delivery, error) {
	if !c.enter() {
		return transport.Delivery{}, fmt.Errorf("sending: %w", transport.ErrClosed)
	}
	resp, err := c.http.Do(ctx, transport.HTTPRequest{
		Method: x.method, URL: c.endpoint, Header: x.header, Body: x.body,
	})
	if err != nil {
		c.pumps.Done()
		return transport.Delivery{}, err //nolint:wrapcheck // it names the call
	}
	if id := resp.Header.Get(headerSession); x.opens && id != "" && isSuccess(resp.StatusCode) {
		c.SetSessionID(id)
	}
	x.number = resp.Exchange
	life, cancel := context.WithCancelCause(context.Background())
	c.track(x.number, cancel)
	go func() {
		defer c.pumps.Done()
		defer c.untrack(x.number)
		c.pump(life, x, resp)
	}()
	return transport.Delivery{Exchange: x.number, Status: resp.StatusCode, Header: resp.Header}, nil
}

// enter counts a pump, unless the conversation is closed.
func (c *Conn) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.pumps.Add(1)
	return true
}

func (c *Conn) track(exchange int, cancel context.CancelCauseFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[exchange] = cancel
	if c.closed {
		cancel(transport.ErrClosed)
	}
}

func (c *Conn) untrack(exchange int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.open[exchange]; cancel != nil {
		cancel(transport.ErrClosed)
	}
	delete(c.open, exchange)
}

// Cancel closes the stream of an exchange: from 2026-07-28 on that is how a request
// is cancelled, and before it merely a disconnect. The End of the exchange has
// ErrCancelled. An exchange that is over is left alone.
//
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#cancellation
func (c *Conn) Cancel(exchange int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.open[exchange]; cancel != nil {
		cancel(ErrCancelled)
	}
}

// closeWait bounds how long Close waits for the peer to take the end of a session.
const closeWait = 3 * time.Second

// Close implements transport.Conn. It ends a legacy session by DELETE, which a peer
// may refuse (404, 405), and then every exchange that is still open. The error says
// that the peer failed to end the session; the conversation is over all the same.
func (c *Conn) Close(ctx context.Context) error {
	c.closing.Do(func() { c.closeErr = c.close(ctx) })
	return c.closeErr
}

func (c *Conn) close(ctx context.Context) error {
	err := c.endSession(ctx)
	c.mu.Lock()
	c.closed = true
	for _, cancel := range c.open {
		cancel(transport.ErrClosed)
	}
	c.mu.Unlock()
	c.http.Close()
	c.pumps.Wait()
	c.queue.Close(nil)
	return err
}

func (c *Conn) endSession(ctx context.Context) error {
	if c.SessionID() == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, closeWait)
	defer cancel()
	status, err := c.Delete(ctx)
	switch {
	case err != nil:
		return err
	case isSuccess(status), status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		return nil
	default:
		return fmt.Errorf("ending the session: %w", &StatusError{Method: http.MethodDelete, Status: status})
	}
}

// Delete ends the session at the peer and returns the status of the answer. The
// session id stays until Forget.
func (c *Conn) Delete(ctx context.Context) (int, error) {
	raw, err := c.Do(ctx, http.MethodDelete, nil, nil)
	if err != nil {
		return 0, fmt.Errorf("ending the session: %w", err)
	}
	return raw.Status, nil
}

// Do makes one HTTP exchange with the endpoint, for what Send does not do: other
// methods and hostile bodies. It carries the headers that Send and OpenStream
// would, overridden by header as in transport.Outgoing. What comes is in the
// result alone and not in Receive; the body is read as far as
// transport.HTTP.Exchange says.
func (c *Conn) Do(ctx context.Context, method string, header http.Header, body []byte) (*transport.RawResponse, error) {
	own := c.streamHeader("")
	if method == http.MethodPost {
		own = c.postHeader(wire.Parse(body))
	}
	if c.isClosed() {
		return nil, fmt.Errorf("sending: %w", transport.ErrClosed)
	}
	raw, err := c.http.Exchange(ctx, transport.HTTPRequest{
		Method: method, URL: c.endpoint, Header: override(own, header), Body: body,
	})
	if err != nil && c.isClosed() && !errors.Is(err, transport.ErrClosed) {
		err = fmt.Errorf("%w: %w", transport.ErrClosed, err)
	}
	return raw, err
}

func (c *Conn) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

func isSuccess(status int) bool { return status >= 200 && status < 300 }
