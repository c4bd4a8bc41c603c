package websocket

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/gorilla/websocket"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// HandshakeError tells that the peer answered the handshake and did not become a
// WebSocket. It is wrapped together with transport.ErrUnreachable.
type HandshakeError struct {
	Status int
	Header http.Header
	Body   string // its first bytes, at most 1 KiB
}

// Error names the status and the beginning of the body.
func (e *HandshakeError) Error() string {
	if e.Status == http.StatusSwitchingProtocols {
		return "WebSocket handshake is not valid: the answer's Upgrade, Connection or Sec-WebSocket-Accept header is wrong"
	}
	text := fmt.Sprintf("WebSocket handshake was answered with HTTP %d %s", e.Status, http.StatusText(e.Status))
	if body := strings.TrimSpace(e.Body); body != "" {
		text += ": " + strings.ToValidUTF8(body[:min(len(body), 300)], "")
	}
	return text
}

// Dial reaches the server at a ws or wss URL and offers the subprotocol, which
// Options.Header may replace. User name and password in the URL become an
// Authorization header. The context and Options.Connect bound the handshake only.
// The error wraps transport.ErrUnreachable, and holds a *HandshakeError where the
// server answered.
func Dial(ctx context.Context, address string, opts transport.Options) (*Conn, error) {
	u, header, err := handshake(address, opts.Header)
	if err != nil {
		return nil, err
	}
	opts.Tap.See(wire.Frame{Dir: wire.Out, Kind: wire.FrameRequest, Method: http.MethodGet, URL: u.String(), Header: shown(header)})
	ws, resp, err := connect(ctx, u, header, opts) //nolint:bodyclose // gorilla gives the body of a failed handshake as bytes
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", transport.ErrUnreachable, bare(u), refused(opts.Tap, resp, err))
	}
	opts.Tap.See(wire.Frame{Dir: wire.In, Kind: wire.FrameResponse, Status: resp.StatusCode, Header: resp.Header})
	return newConn(&socket{
		ws: ws, tap: opts.Tap, wrote: wire.Out, read: wire.In,
		limit: limitOrDefault(opts.Limit), ping: pingEvery, patience: writeWait,
	}), nil
}

// handshake returns the URL without its user, and the headers of the request.
func handshake(address string, extra http.Header) (*url.URL, http.Header, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "ws" && u.Scheme != "wss" {
		// the text may hold a password, so it is not quoted
		return nil, nil, fmt.Errorf("%w: not a WebSocket URL: it must begin with ws:// or wss:// and name a host", transport.ErrUnreachable)
	}
	header := http.Header{"Sec-Websocket-Protocol": {Subprotocol}}
	if u.User != nil {
		password, _ := u.User.Password()
		pair := base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + password))
		header.Set("Authorization", "Basic "+pair)
		u.User = nil
	}
	for name, values := range extra {
		header[http.CanonicalHeaderKey(name)] = values
	}
	return u, header, nil
}

// shown is the request head as the tap sees it. The key, a random number that the
// library keeps to itself, is missing.
func shown(header http.Header) http.Header {
	h := head("")
	h.Set("Sec-WebSocket-Version", "13")
	maps.Copy(h, header)
	return h
}

// bare is the URL without its query, which may hold secrets.
func bare(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// connect makes the handshake. The library heeds the deadline of a context, and this
// sees to its cancellation.
func connect(ctx context.Context, u *url.URL, header http.Header, opts transport.Options) (*websocket.Conn, *http.Response, error) {
	stop := func() bool { return true }
	dialer := websocket.Dialer{
		Proxy:            http.ProxyFromEnvironment,
		HandshakeTimeout: opts.ConnectTimeout(),
		NetDialContext: func(bounded context.Context, network, addr string) (net.Conn, error) {
			c, err := (&net.Dialer{}).DialContext(bounded, network, addr)
			if err == nil {
				stop = context.AfterFunc(ctx, func() { _ = c.Close() })
			}
			return c, err //nolint:wrapcheck // Dial wraps it
		},
	}
	ws, resp, err := dialer.DialContext(ctx, u.String(), header)
	if !stop() {
		if ws != nil {
			_ = ws.Close()
		}
		return nil, nil, context.Cause(ctx) //nolint:wrapcheck // Dial wraps it
	}
	return ws, resp, err //nolint:wrapcheck // Dial wraps it
}

// refused shows the tap an answer that is no handshake, and makes an error of it.
func refused(tap wire.Tap, resp *http.Response, err error) error {
	if resp == nil || !errors.Is(err, websocket.ErrBadHandshake) {
		tap.See(wire.Frame{Dir: wire.In, Kind: wire.FrameClose, Note: err.Error()})
		return err
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, excerpt)) // the library keeps no more than that
	tap.See(wire.Frame{Dir: wire.In, Kind: wire.FrameResponse, Status: resp.StatusCode, Header: resp.Header})
	tap.See(wire.Frame{Dir: wire.In, Kind: wire.FrameChunk, Data: body, Note: "beginning of the body"})
	return &HandshakeError{Status: resp.StatusCode, Header: resp.Header, Body: string(body)}
}
