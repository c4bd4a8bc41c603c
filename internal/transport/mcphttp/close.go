package mcphttp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

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
	if c.SessionID() == "" || c.isModern() {
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
	own := http.Header{}
	switch method {
	case http.MethodGet:
		own = c.listenHeader("")
	case http.MethodPost:
		own, _ = c.postHeader(wire.Parse(body))
	default:
		c.addLegacy(own, false)
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
