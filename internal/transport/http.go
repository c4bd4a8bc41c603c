package transport

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/peerwright/peerwright/internal/http1"
	"github.com/peerwright/peerwright/internal/wire"
)

// HTTP sends HTTP requests, numbers the exchanges from 1, and shows the tap what
// passes: it is what all HTTP transports dial with, and an http.RoundTripper for
// others. Bodies pass as they are on the wire: nothing is decompressed, and no
// redirect is followed. It may be used by several goroutines at once.
type HTTP struct {
	base http.RoundTripper
	idle func() // closes idle connections of a base that is its own
	opts Options
	last atomic.Int64
	life context.Context // the client's own end, not a call's
	end  context.CancelCauseFunc
}

// HTTPRequest is what HTTP.Do takes.
type HTTPRequest struct {
	Method string
	URL    string
	// Header is sent besides Options.Header, and replaces what stands there. A nil
	// value leaves the header out, User-Agent and Options.Header included. Host is
	// sent in place of the URL's own.
	Header http.Header
	Body   []byte // nil or empty sends none
}

// HTTPResponse is the head of an answer, and its number. The Body must be closed;
// it lives until that, until Cut, or until the HTTP is closed.
type HTTPResponse struct {
	*http.Response
	Exchange int
	// Whole says that all of the body has come already, so that reading it does not wait.
	Whole bool
	cut   context.CancelCauseFunc
}

// Cut ends the exchange: a Read of the body that waits fails with the cause.
func (r *HTTPResponse) Cut(cause error) { r.cut(cause) }

// NewHTTP returns a client that sends through base; nil means a transport of its
// own, which dials within Options.Connect and sets no bound on how late an answer
// may come. An HTTP proxy named by the environment is used for every peer that is
// not on this machine. Where no tap watches, small exchanges in clear text go over the
// faster client of package http1.
func NewHTTP(opts Options, base http.RoundTripper) *HTTP {
	h := &HTTP{base: base, opts: opts, idle: func() {}}
	h.life, h.end = context.WithCancelCause(context.Background())
	if base == nil {
		own := newTransport(opts.ConnectTimeout())
		h.base, h.idle = own, own.CloseIdleConnections
		if opts.Tap == nil {
			fast := &http1.Client{Dial: own.DialContext, Other: own, Proxy: own.Proxy}
			h.base, h.idle = fast, func() { fast.CloseIdleConnections(); own.CloseIdleConnections() }
		}
	}
	return h
}

func newTransport(connect time.Duration) *http.Transport {
	dialer := &net.Dialer{Timeout: connect}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment, // which leaves out loopback
		DialContext:         dialer.DialContext,
		TLSHandshakeTimeout: connect,
		ForceAttemptHTTP2:   true,
		DisableCompression:  true,
		MaxIdleConnsPerHost: 1024, // calls in flight together keep their connections
		IdleConnTimeout:     90 * time.Second,
	}
}

// Close ends every exchange that is still open with ErrClosed as its cause.
func (h *HTTP) Close() {
	h.end(ErrClosed)
	h.idle()
}

// Do sends the request and returns when the head of the answer has come. The
// context bounds that far only: the body lives on when it ends. The error wraps
// ErrUnreachable when no connection could be made, so that nothing was sent.
func (h *HTTP) Do(ctx context.Context, r HTTPRequest) (*HTTPResponse, error) {
	life, cut := context.WithCancelCause(h.life)
	stop := context.AfterFunc(ctx, func() { cut(context.Cause(ctx)) })
	req, err := h.newRequest(life, r)
	if err != nil {
		stop()
		cut(err)
		return nil, err
	}
	resp, n, err := h.send(req, r.Body)
	if !stop() && err == nil { // the context ended together with the head's arrival
		err = fmt.Errorf("%s %s: %w", r.Method, bareURL(req.URL), context.Cause(ctx))
		_ = resp.Body.Close() // the body is cut already
	}
	if err != nil {
		cut(err)
		return nil, err
	}
	whole := isWhole(resp)
	resp.Body = &cutBody{ReadCloser: resp.Body, life: life, cut: cut}
	return &HTTPResponse{Response: resp, Exchange: n, Whole: whole, cut: cut}, nil
}

func isWhole(resp *http.Response) bool {
	body, tells := resp.Body.(interface{ Whole() bool })
	return tells && body.Whole() || resp.Body == http.NoBody && resp.ContentLength == 0
}

// RoundTrip implements http.RoundTripper; the context of the request bounds the
// body too. The request's body is read whole before it is sent.
func (h *HTTP) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := drain(req.Body)
	if err != nil {
		return nil, fmt.Errorf("reading the request body: %w", err)
	}
	own := req.Clone(req.Context())
	own.Header = mergeHeader(h.opts.Header, req.Header)
	setBody(own, body)
	resp, _, err := h.send(own, body)
	return resp, err
}

func drain(body io.ReadCloser) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	defer body.Close()
	return io.ReadAll(body)
}

func (h *HTTP) newRequest(ctx context.Context, r HTTPRequest) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, http.NoBody)
	if err != nil {
		var bad *url.Error
		if errors.As(err, &bad) { // it quotes the URL, which may hold a password
			err = bad.Err
		}
		return nil, fmt.Errorf("%s: the URL cannot be used: %w", r.Method, err)
	}
	req.Header = mergeHeader(http.Header{"User-Agent": {userAgent}}, h.opts.Header, r.Header)
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
	}
	sendOnce(req.Header)
	setBody(req, r.Body)
	signIn(req)
	return req, nil
}

// setBody gives the request a body that only this request reads: net/http may
// still be reading it when the answer has begun.
func setBody(req *http.Request, body []byte) {
	req.Body, req.ContentLength = http.NoBody, int64(len(body))
	if len(body) > 0 {
		req.Body = http1.NewPayload(body)
		req.GetBody = func() (io.ReadCloser, error) {
			return http1.NewPayload(body), nil
		}
	}
}

// signIn sends the user of the URL as a browser would, for http.Transport does not.
func signIn(req *http.Request) {
	user := req.URL.User
	if _, given := req.Header["Authorization"]; user == nil || given {
		return
	}
	password, _ := user.Password()
	token := base64.StdEncoding.EncodeToString([]byte(user.Username() + ":" + password))
	req.Header.Set("Authorization", "Basic "+token)
}

func (h *HTTP) send(req *http.Request, body []byte) (*http.Response, int, error) {
	n := int(h.last.Add(1))
	h.seeRequest(n, req, body)
	resp, err := h.base.RoundTrip(req)
	if err != nil {
		err = h.explain(req, err)
		h.see(wire.Frame{Dir: wire.In, Kind: wire.FrameClose, Exchange: n, Note: err.Error()})
		return nil, n, err
	}
	h.watch(n, resp)
	return resp, n, nil
}

// explain names the call, and tells a peer that could not be reached from one that
// may have seen the request.
func (h *HTTP) explain(req *http.Request, err error) error {
	target := bareURL(req.URL)
	if cause := context.Cause(req.Context()); cause != nil {
		return fmt.Errorf("%s %s: %w", req.Method, target, cause)
	}
	if notReached(err) {
		return fmt.Errorf("%s %s: %w: %w", req.Method, target, ErrUnreachable, err)
	}
	return fmt.Errorf("%s %s: %w", req.Method, target, err)
}

func notReached(err error) bool {
	var op *net.OpError
	var name *net.DNSError
	var cert *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	return errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect") ||
		errors.As(err, &name) || errors.As(err, &cert) || errors.As(err, &record)
}

// bareURL is the URL without the user, who is no part of what travels as a URL.
func bareURL(u *url.URL) string {
	bare := *u
	bare.User = nil
	return bare.String()
}

// cutBody names the cause for which the body was cut.
type cutBody struct {
	io.ReadCloser
	life context.Context // the body's own
	cut  context.CancelCauseFunc
}

// Read implements io.Reader.
func (b *cutBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		if cause := context.Cause(b.life); cause != nil {
			err = cause
		}
	}
	return n, err
}

// Close implements io.Closer.
func (b *cutBody) Close() error {
	err := b.ReadCloser.Close()
	b.cut(ErrClosed)
	return err
}
