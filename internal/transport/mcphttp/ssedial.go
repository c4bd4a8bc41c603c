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

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// ErrForeignEndpoint is wrapped when the peer names a message endpoint of another
// origin, to which no message and no credential is sent.
var ErrForeignEndpoint = errors.New("the endpoint is of another origin than the event stream")

// errNoEndpoint is the cause when the endpoint event does not come in time.
var errNoEndpoint = errors.New("no endpoint event came")

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
		Method: http.MethodGet, URL: endpoint, Header: http.Header{"Accept": {typeSSE}, "Accept-Encoding": {transport.Uncoded}},
	})
	if err != nil {
		return err
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
	if err := transport.CheckCoding(resp.StatusCode, resp.Header); err != nil {
		return err
	}
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
			return err
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
