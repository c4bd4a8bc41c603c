package a2ahttp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/wire"
)

const (
	versionHeader       = "A2a-Version" // in Go's spelling; header names have no case
	extensionsHeader    = "A2a-Extensions"
	oldExtensionsHeader = "X-A2a-Extensions"
	jsonType            = "application/json"
	a2aType             = "application/a2a+json"
	eventStreamType     = "text/event-stream"
)

// Config says how to reach an agent. The zero value is ready to use.
type Config struct {
	// Options.Header goes to the origin that was named and to no other: Dial fails
	// when the card has its interface elsewhere, see Found.Admits.
	transport.Options
	Base       http.RoundTripper // see transport.NewHTTP
	Want       Want              // which interface Dial takes, and which card is asked for
	Extensions []string          // URIs of the extensions to ask for
	// NoRedirect makes a redirect of any request but a GET a *RedirectError, even one
	// that could be followed.
	NoRedirect bool
}

// Client calls one interface of one agent. It may be used by several goroutines at
// once.
type Client struct {
	Interface  Interface
	Found      Found // the card by which Dial came here; zero after New
	config     Config
	line       *line
	extensions string
	last       atomic.Int64
}

// Dial finds the card and returns a client of the interface that Pick chooses. It
// fails as Discover, Pick and Found.Admits do. A user in the URL is sent as an
// Authorization header, where Options.Header has none, and goes where that may go.
func Dial(ctx context.Context, rawURL string, c Config) (*Client, error) {
	c.Header = withUser(rawURL, c.Header)
	l := newLine(c)
	found, err := l.discover(ctx, rawURL, c.Want)
	if err != nil {
		l.http.Close()
		return nil, err
	}
	i, err := found.Card.Pick(c.Want)
	if err == nil {
		err = found.Admits(i, c.Header)
	}
	if err != nil {
		l.http.Close()
		return nil, err
	}
	return newClient(i, found, c, l), nil
}

func newClient(i Interface, found Found, c Config, l *line) *Client {
	return &Client{Interface: i, Found: found, config: c, line: l, extensions: strings.Join(c.Extensions, ",")}
}

// New returns a client of an interface that is known already.
func New(i Interface, c Config) (*Client, error) {
	if why := (Want{}).refuses(i); why != "" {
		return nil, fmt.Errorf("%w: %s: %s", ErrNoInterface, i, why)
	}
	return newClient(i, Found{}, c, newLine(c)), nil
}

// At returns a client of another interface of the same agent, or another one of the
// same, with the same configuration but a tap of its own. Headers are left out when
// the interface is at another origin.
func (c *Client) At(i Interface, tap wire.Tap) (*Client, error) {
	other := c.config
	other.Tap = tap
	if !SameOrigin(i.URL, c.Interface.URL) {
		other.Header = nil
	}
	return New(i, other)
}

// Close ends what is still open.
func (c *Client) Close() { c.line.http.Close() }

// Request is a call. Only Op is required.
type Request struct {
	Op     Op
	Params json.RawMessage // nil sends none in JSON-RPC
	ID     wire.ID         // JSON-RPC; the zero ID takes the next number
	Header http.Header     // replaces headers; a nil value leaves one out
	Lines  bool            // of a streaming call: newline-delimited JSON is taken for a stream too
}

// Call makes one call and reads the answer. The error is a *Fault when the agent
// answered with an error, wraps ErrMalformed when what it answered is no answer, and
// transport.ErrUnreachable when it could not be reached. The Reply holds what came
// in each of these cases.
//
// The exchange says what an answer belongs to: one under another id is returned like
// any, and whoever cares compares Reply.ID with Reply.Message.ID.
func (c *Client) Call(ctx context.Context, op Op, params json.RawMessage) (Reply, error) {
	return c.Send(ctx, Request{Op: op, Params: params})
}

// Send is Call with everything set.
func (c *Client) Send(ctx context.Context, r Request) (Reply, error) {
	return c.withFallback(r, func(p prepared) (Reply, error) {
		reply, err := c.line.fetch(ctx, p.HTTPRequest)
		if err != nil {
			return reply, fmt.Errorf("%s: %w", r.Op, err)
		}
		return c.settle(reply, p.id, r.Op)
	})
}

// Post sends bytes to the URL of a JSON-RPC interface as if they were a request, and
// reads the answer as Call does.
func (c *Client) Post(ctx context.Context, body []byte, header http.Header) (Reply, error) {
	reply, err := c.line.fetch(ctx, transport.HTTPRequest{
		Method: http.MethodPost, URL: c.Interface.URL, Body: body,
		Header: c.header(http.MethodPost, jsonType, header),
	})
	if err != nil {
		return reply, fmt.Errorf("POST: %w", err)
	}
	return c.settle(reply, wire.ID{}, "POST")
}

// Do makes one HTTP exchange with no header but those given and Options.Header. The
// answer is not interpreted: any status is fine.
func (c *Client) Do(ctx context.Context, method, url string, header http.Header, body []byte) (Reply, error) {
	return c.line.fetch(ctx, transport.HTTPRequest{Method: method, URL: url, Header: header, Body: body})
}

// settle reads the answer by its binding.
func (c *Client) settle(reply Reply, id wire.ID, op Op) (Reply, error) {
	reply.ID = id
	if c.Interface.Binding == HTTPJSON {
		return settleHTTP(reply, op)
	}
	reply.Message = wire.Parse(reply.Body)
	switch {
	case reply.Message.Kind == wire.KindError:
		return reply, rpcFault(reply.Message.Error, reply)
	case reply.Message.Kind == wire.KindResult:
		reply.Result = reply.Message.Result
		return reply, nil
	case !reply.OK():
		return reply, httpFault(reply)
	}
	return reply, malformed(op, reply, "a JSON-RPC response")
}

func settleHTTP(reply Reply, op Op) (Reply, error) {
	switch {
	case !reply.OK():
		return reply, httpFault(reply)
	case len(reply.Body) == 0: // as deleting answers
		return reply, nil
	case !json.Valid(reply.Body):
		return reply, malformed(op, reply, "JSON")
	}
	reply.Result = reply.Body
	return reply, nil
}

func malformed(op Op, reply Reply, want string) error {
	return fmt.Errorf("%s: %w: HTTP %d with %q is not %s: %s", op, ErrMalformed, reply.Status,
		transport.MediaType(reply.Header), want, clip(string(reply.Body)))
}

// withFallback tries a subscription by GET where POST is not known: the text of the
// specification and its protobuf definition disagree on the verb.
func (c *Client) withFallback(r Request, try func(prepared) (Reply, error)) (Reply, error) {
	p, err := c.prepare(r)
	if err != nil {
		return Reply{}, err
	}
	reply, err := try(p)
	var f *Fault
	if r.Op != SubscribeToTask || c.Interface.Binding != HTTPJSON || !errors.As(err, &f) || !unknownRoute(f) {
		return reply, err
	}
	p.Method, p.Body = http.MethodGet, nil
	p.Header.Del("Content-Type")
	return try(p)
}

func unknownRoute(f *Fault) bool {
	switch f.HTTPStatus {
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	case http.StatusNotFound:
		return f.Reason == ""
	}
	return false
}
