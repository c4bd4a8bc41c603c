package a2ahttp

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

// line makes HTTP exchanges, follows what redirect may be followed, and reads
// bodies within the limit.
type line struct {
	http  *transport.HTTP
	limit int
	stays bool // no redirect of what is no GET is followed
}

func newLine(c Config) *line {
	return &line{http: transport.NewHTTP(c.Options, c.Base), limit: c.Limit, stays: c.NoRedirect}
}

// answer is the head of an HTTP answer, and where a redirect led.
type answer struct {
	*transport.HTTPResponse
	redirect string
}

// do sends a request. A redirect within the origin is followed once, with method and
// body: a 307 or 308, or any for a GET. Every other one is an error, for what is
// meant for one server must not reach another, and a POST never becomes a GET.
func (l *line) do(ctx context.Context, r transport.HTTPRequest) (answer, error) {
	resp, err := l.plain(ctx, r)
	if err != nil || !redirects(resp) {
		return answer{HTTPResponse: resp}, err
	}
	to, err := l.follow(r, resp)
	_ = resp.Body.Close() // what a redirect says besides its Location is of no account
	if err != nil {
		return answer{}, err
	}
	r.URL = to
	resp, err = l.plain(ctx, r)
	if err == nil && redirects(resp) {
		_ = resp.Body.Close()
		return answer{}, fmt.Errorf("%w: %s redirects a second time", ErrMalformed, bare(to))
	}
	return answer{HTTPResponse: resp, redirect: bare(to)}, err
}

// plain sends a request whose answer is not to be in any coding.
func (l *line) plain(ctx context.Context, r transport.HTTPRequest) (*transport.HTTPResponse, error) {
	if _, given := r.Header["Accept-Encoding"]; !given {
		own := http.Header{"Accept-Encoding": {transport.Uncoded}}
		maps.Copy(own, r.Header)
		r.Header = own
	}
	resp, err := l.http.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := transport.CheckCoding(resp.StatusCode, resp.Header); err != nil {
		_ = resp.Body.Close() // nothing in it can be read
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return resp, nil
}

func redirects(resp *transport.HTTPResponse) bool {
	return resp.StatusCode/100 == 3 && resp.Header.Get("Location") != ""
}

func (l *line) follow(r transport.HTTPRequest, resp *transport.HTTPResponse) (string, error) {
	from, err := url.Parse(r.URL)
	if err != nil {
		return "", fmt.Errorf("%w: a redirect from %s", ErrMalformed, bare(r.URL))
	}
	to, err := from.Parse(resp.Header.Get("Location"))
	refused := &RedirectError{Method: r.Method, Status: resp.StatusCode, From: bare(r.URL)}
	if err != nil {
		refused.why = "redirects to a place that is no URL"
		return "", refused
	}
	refused.To, _, _ = strings.Cut(bare(to.String()), "?")
	switch keeps := resp.StatusCode == http.StatusTemporaryRedirect || resp.StatusCode == http.StatusPermanentRedirect; {
	case to.Scheme != from.Scheme || to.Host != from.Host:
		refused.why = fmt.Sprintf("redirects to another origin, %s://%s; use that URL if it is the right one", to.Scheme, to.Host)
	case !keeps && r.Method != http.MethodGet:
		refused.why = fmt.Sprintf("answers a %s with %d, which would turn it into a GET; use %s if it is the right URL",
			r.Method, resp.StatusCode, refused.To)
	case l.stays && r.Method != http.MethodGet:
		refused.why = fmt.Sprintf("redirects a %s to %s; use that URL if it is the right one", r.Method, refused.To)
	default:
		return to.String(), nil
	}
	return "", refused
}

// fetch makes an exchange and reads the body whole.
func (l *line) fetch(ctx context.Context, r transport.HTTPRequest) (Reply, error) {
	a, err := l.do(ctx, r)
	if err != nil {
		return Reply{}, err
	}
	return l.read(ctx, a)
}

// read reads the body of an answer to its end, within the limit and the context.
func (l *line) read(ctx context.Context, a answer) (Reply, error) {
	defer a.Body.Close()
	stop := context.AfterFunc(ctx, func() { a.Cut(context.Cause(ctx)) })
	defer stop()
	reply := head(a)
	body, err := transport.ReadBody(a.Body, l.limit)
	reply.Body = body
	if err != nil {
		return reply, fmt.Errorf("reading the answer: %w", err)
	}
	return reply, nil
}

func head(a answer) Reply {
	return Reply{Exchange: a.Exchange, Status: a.StatusCode, Header: a.Header, Redirect: a.redirect}
}

// Reply is the answer to one request, read whole.
type Reply struct {
	Exchange int
	ID       wire.ID // that of the request; zero in the HTTP+JSON binding
	Status   int
	Header   http.Header
	Body     []byte // as received
	// Message is the view of Body in the JSON-RPC binding.
	Message wire.Message
	// Result is the result member, or the body of an HTTP+JSON answer; nil when
	// there is none.
	Result []byte
	// Redirect is where a redirect led; "" when there was none.
	Redirect string
}

// OK tells whether the HTTP status is 2xx.
func (r Reply) OK() bool { return r.Status/100 == 2 }
