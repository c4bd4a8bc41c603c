package mcphttp

import (
	"context"
	"fmt"
	"net/url"
	"sync"

	"github.com/peerwright/peerwright/internal/transport"
)

// Conn is a conversation over Streamable HTTP of any revision. It implements
// transport.Conn, and everything in it may be used by several goroutines at once.
//
// Each Send is a POST. Its context bounds the time until the head of the answer;
// the stream that follows lives until it ends, until Cancel, or until Close. What
// it carries arrives through Receive under the number of the exchange, and after
// its last message always an Incoming with End. Where a stream was resumed, the
// messages keep the number of the POST that began it. A Send that failed has no
// exchange, and nothing follows it.
type Conn struct {
	endpoint string
	opts     transport.Options
	http     *transport.HTTP
	queue    *transport.Queue
	resume   Resume
	taker    func(transport.Incoming) bool // see Offer; nil takes nothing
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

// Offer has what comes shown to take first, in the goroutine that read it: what that
// takes does not arrive through Receive. On one exchange nothing is shown to it any more
// once it has refused something, so that the order stays. It must be called before the
// first Send; take must not wait, and may be called by several goroutines at once.
func (c *Conn) Offer(take func(transport.Incoming) bool) { c.taker = take }

// hand gives what came on the exchange to the one who takes it.
func (c *Conn) hand(x *exchange, in transport.Incoming) {
	in.Exchange = x.number
	if c.taker != nil && !x.queued && c.taker(in) {
		return
	}
	x.queued = true
	c.queue.Put(in)
}

// Receive implements transport.Conn. An Incoming with End has the id of the last
// event of its stream in EventID, from which OpenStream can go on.
func (c *Conn) Receive(ctx context.Context) (transport.Incoming, error) {
	return c.queue.Get(ctx)
}
