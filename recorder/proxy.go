package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// ProxyOptions say how to stand between. The zero value is ready to use.
type ProxyOptions struct {
	// KeepURLs passes on the addresses by which a peer names itself: the interface URLs
	// of an A2A agent card, and the endpoint of HTTP+SSE when it is absolute. Without
	// it those of the upstream origin are rewritten to the proxy's, because a client
	// that follows them goes past the recorder. That is the one change of what a client
	// sees; the fixture keeps what the peer sent, and notes the change.
	KeepURLs bool
	// Limit bounds the body of a request, in bytes; 0 means wire.DefaultLimit. A longer
	// one is refused with 413 and does not reach the peer.
	Limit   int
	Connect time.Duration // see transport.Options
	// Header is set on every request to the peer, for credentials that the client
	// does not have.
	Header http.Header
	// Base sends the requests on; nil means a transport of the proxy's own.
	Base http.RoundTripper
}

// Proxy returns a handler that passes every request on to the origin of upstream,
// under the same path and query, and records both ways. Method, headers, status and
// bytes pass as they are, in pieces as they come; Host is the upstream's, and
// hop-by-hop headers are each side's own. A client that goes away cancels its
// request at the peer. A peer that cannot be reached is answered for with 502.
//
// Origin passes unchanged: to refuse a foreign one is the peer's part.
func Proxy(upstream *url.URL, r *Recorder, o ProxyOptions) http.Handler {
	p := &proxy{upstream: upstream, options: o, tap: r.Tap(), base: o.Base, limit: int64(o.Limit)}
	if p.base == nil {
		p.base = newBase(transport.Options{Connect: o.Connect}.ConnectTimeout())
	}
	if p.limit <= 0 {
		p.limit = wire.DefaultLimit
	}
	return p
}

// newBase is what sends the requests on: as they are, and with connections kept for
// the calls in flight together. How late an answer comes is the peer's affair.
func newBase(connect time.Duration) *http.Transport {
	dialer := &net.Dialer{Timeout: connect}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, TLSHandshakeTimeout: connect,
		ForceAttemptHTTP2: true, DisableCompression: true, MaxIdleConnsPerHost: 64, IdleConnTimeout: 90 * time.Second,
	}
}

type proxy struct {
	upstream *url.URL
	options  ProxyOptions
	tap      wire.Tap
	base     http.RoundTripper
	limit    int64
	last     atomic.Int64 // number of the last exchange
}

// ServeHTTP implements http.Handler.
func (p *proxy) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	// The body is read whole first: net/http may still be reading it when the answer
	// has begun, and then cuts the answer short.
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, p.limit))
	if err != nil {
		refuse(w, err)
		return
	}
	req.Body, req.ContentLength, req.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
	if len(body) == 0 {
		req.Body = http.NoBody
	}
	// What the peer does not send, the server at this end is not to add.
	w.Header()["Date"], w.Header()["Content-Type"] = nil, nil

	x := &exchange{proxy: p, number: int(p.last.Add(1)), own: ownOrigin(req)}
	passer := &httputil.ReverseProxy{
		Rewrite:        p.rewrite,
		Transport:      transport.NewHTTP(transport.Options{Tap: x.see}, p.base),
		FlushInterval:  -1, // each piece at once
		ModifyResponse: x.modify,
		ErrorHandler:   unreachable,
		ErrorLog:       silent(),
	}
	passer.ServeHTTP(w, req)
}

// rewrite makes the request to the peer of the one that came: the same, but for where
// it goes. ReverseProxy has taken out what it takes for a proxy's own.
func (p *proxy) rewrite(r *httputil.ProxyRequest) {
	r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = p.upstream.Scheme, p.upstream.Host, ""
	r.Out.URL.RawQuery = r.In.URL.RawQuery
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if values, ok := r.In.Header[name]; ok {
			r.Out.Header[name] = values
		}
	}
	for name, values := range p.options.Header {
		r.Out.Header[http.CanonicalHeaderKey(name)] = values
	}
	if user := p.upstream.User; user != nil && r.Out.Header.Get("Authorization") == "" {
		password, _ := user.Password()
		r.Out.SetBasicAuth(user.Username(), password)
	}
}

// exchange is one request on its way through the proxy.
type exchange struct {
	*proxy
	number int
	own    string // the origin by which the client knows the proxy
	// What the answer is, once its head has come: an agent card, or a stream whose
	// first event is still to come.
	isCard, isFirst bool
}

// see gives the frames of the exchange their number, and the note of what the client
// is shown instead.
func (x *exchange) see(f wire.Frame) {
	f.Exchange = x.number
	switch {
	case f.Kind == wire.FrameResponse && f.Status == http.StatusSwitchingProtocols:
		f.Note = "what follows is not HTTP, and is not recorded"
	case f.Kind == wire.FrameBody && x.isCard && f.Dir == wire.In:
		if _, changed := x.ownAddresses(f.Data); changed {
			f.Note = x.note()
		}
	case f.Kind == wire.FrameEvent && x.isFirst:
		x.isFirst = !f.Event.Dispatched
		if _, changed := x.ownEndpoint(*f.Event); changed {
			f.Note = x.note()
		}
	}
	x.tap.See(f)
}

func (x *exchange) note() string {
	return "the client was shown " + x.own + " in place of " + origin(x.upstream)
}

// silent is a log that nobody reads: the client sees what fails, and so does the
// fixture.
func silent() *log.Logger { return log.New(io.Discard, "", 0) } //nolint:forbidigo // net/http takes nothing else

// refuse answers a request whose body could not be read.
func refuse(w http.ResponseWriter, err error) {
	var long *http.MaxBytesError
	if errors.As(err, &long) {
		http.Error(w, fmt.Sprintf("peerwright: the body is longer than the limit of %d bytes, and was not passed on", long.Limit),
			http.StatusRequestEntityTooLarge)
		return
	}
	http.Error(w, "peerwright: the body of the request could not be read", http.StatusBadRequest)
}

// unreachable answers for a peer that cannot.
func unreachable(w http.ResponseWriter, req *http.Request, err error) {
	if req.Context().Err() != nil {
		return // nobody is there to read it
	}
	text := "peerwright: the peer did not answer: " + err.Error()
	if errors.Is(err, transport.ErrUnreachable) {
		text = "peerwright: " + err.Error()
	}
	http.Error(w, text, http.StatusBadGateway)
}
