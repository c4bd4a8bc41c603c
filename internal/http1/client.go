// Package http1 is an HTTP/1.1 client for many small exchanges with a peer in clear text,
// at about a third of what the client of net/http costs in time and memory: an exchange
// is the work of one goroutine, from its first byte to its last, and a connection that
// waits has none.
//
// It is an http.RoundTripper with another one behind it, which gets all that is not small
// and plain: TLS, proxies, upgrades, bodies of unknown length. Callers see no difference.
//
// It imports nothing of this module.
package http1

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
)

// Client is the client. Dial and Other are required. It may be used by several goroutines
// at once.
type Client struct {
	// Dial makes a connection, as net.Dialer.DialContext does.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Other makes the exchanges that are not for this client.
	Other http.RoundTripper
	// Proxy returns the proxy for a request, as http.Transport.Proxy does; nil uses none.
	// What goes through a proxy is not for this client.
	Proxy func(*http.Request) (*url.URL, error)

	pool pool
}

// RoundTrip implements http.RoundTripper. As with http.Transport, a request is sent again
// only when nothing of it was sent, or it asks for no change and the connection broke
// before its answer began.
func (c *Client) RoundTrip(req *http.Request) (*http.Response, error) {
	if !c.takes(req) {
		return c.Other.RoundTrip(req)
	}
	payload, err := readAll(req)
	if err != nil {
		return nil, fmt.Errorf("reading the body of the request: %w", err)
	}
	address := addressOf(req.URL)
	for {
		k, err := c.connection(req.Context(), address)
		if err != nil {
			return nil, err
		}
		resp, err := k.exchange(req, payload)
		if err == nil {
			return resp, nil
		}
		if !k.mayRepeat(req) {
			return nil, err
		}
	}
}

// CloseIdleConnections closes the connections that wait for another request.
func (c *Client) CloseIdleConnections() { c.pool.closeAll() }

// connection returns one that waits, or else a new one.
func (c *Client) connection(ctx context.Context, address string) (*conn, error) {
	if k := c.pool.get(address); k != nil {
		return k, nil
	}
	raw, err := c.Dial(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return newConn(raw, address, &c.pool), nil
}

// Payload is a request body that is in memory: it is written from there, without a copy.
type Payload struct {
	*bytes.Reader
	all []byte
}

// NewPayload returns the body; the bytes must not change until the exchange is over.
func NewPayload(all []byte) *Payload { return &Payload{bytes.NewReader(all), all} }

// Close implements io.Closer.
func (p *Payload) Close() error { return nil }

func readAll(req *http.Request) ([]byte, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return nil, nil
	}
	if p, ok := req.Body.(*Payload); ok && req.ContentLength == int64(p.Len()) && p.Len() == len(p.all) {
		return p.all, nil
	}
	payload := make([]byte, req.ContentLength)
	_, err := io.ReadFull(req.Body, payload)
	if cerr := req.Body.Close(); err == nil {
		err = cerr
	}
	return payload, err
}

func addressOf(u *url.URL) string {
	if u.Port() != "" {
		return u.Host
	}
	return net.JoinHostPort(u.Hostname(), "80")
}
