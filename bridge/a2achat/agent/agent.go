package agent

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"sync"
	"time"

	"github.com/peerwright/peerwright/internal/redact"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/internal/transport/a2ahttp"
)

// Config says how to reach an agent. ID and CardURL are required, or EndpointURL in
// place of the latter.
type Config struct {
	ID string // what messages call the agent
	// CardURL is that of the card, or of the agent that has one somewhere below or at
	// its origin, or the endpoint itself of an agent without a card.
	CardURL string
	// EndpointURL is used in place of the URL on the card; "" takes that. Binding and
	// version are those of the card's interface at that URL, else of the first one.
	EndpointURL string
	// Want narrows the choice of the interface; the zero value takes the agent's own
	// order of preference.
	Want a2ahttp.Want
	// Header goes with every call, and to the origin of EndpointURL, or of CardURL where
	// there is none: a card that leads to another origin is an error then. The card is
	// fetched without it first, and with it where that is refused.
	Header http.Header
	// Blocking calls SendMessage even where the agent streams.
	Blocking bool
	// AcceptedOutputModes are the media types that the caller takes; none leaves the
	// choice to the agent.
	AcceptedOutputModes []string

	// Timeout is how long an agent may be silent within a turn: before its answer,
	// between two events of a stream (a keep-alive comment counts as one), and while a
	// task that is polled does not change. 0 means DefaultTimeout.
	Timeout time.Duration
	// Total bounds a whole turn, whatever the agent does; 0 means ten times Timeout.
	Total time.Duration
	// Connect bounds the time to connect; 0 means transport.DefaultConnect.
	Connect time.Duration
	// Poll is the wait before a task is asked for the first time; each further one is
	// half as long again, up to twenty times it. 0 means DefaultPoll.
	Poll time.Duration
	// CardTTL is how long a card is good that does not say so itself; 0 means
	// DefaultCardTTL.
	CardTTL time.Duration
	// Limit is the size in bytes that an answer, or one event of a stream, may have; 0
	// means wire.DefaultLimit.
	Limit int

	// Redactor takes the secrets out of messages; nil means one that knows Header.
	Redactor *redact.Redactor
	// Now tells the time; nil means time.Now.
	Now func() time.Time
}

// The defaults of Config.
const (
	DefaultTimeout = 2 * time.Minute
	DefaultPoll    = 250 * time.Millisecond
	DefaultCardTTL = 5 * time.Minute
)

// Agent is one agent. It may be used by several goroutines at once.
type Agent struct {
	config  Config
	life    context.Context // the agent's own end, not a call's
	end     context.CancelFunc
	card    cache
	clients clients
}

// New returns an agent. It does nothing on the network: that begins with the first call.
func New(c Config) *Agent {
	a := &Agent{config: c.withDefaults()}
	a.life, a.end = context.WithCancel(context.Background())
	return a
}

// Close ends what is still open: calls in flight and the refreshing of the card.
func (a *Agent) Close() {
	a.end()
	a.card.wait()
	a.clients.close()
}

func (c Config) withDefaults() Config {
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	c.Total = cmp.Or(c.Total, 10*c.Timeout)
	c.Poll = cmp.Or(c.Poll, DefaultPoll)
	c.CardTTL = cmp.Or(c.CardTTL, DefaultCardTTL)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Redactor == nil {
		c.Redactor = redact.New([]byte(rand.Text()))
	}
	for name, values := range c.Header {
		for _, value := range values {
			c.Redactor.Known(redact.HeaderSecrets(name, value)...)
		}
	}
	c.Redactor.Known(redact.URLSecrets(c.CardURL)...).Known(redact.URLSecrets(c.EndpointURL)...)
	return c
}

// clients keeps one client for each interface that was ever used, so that connections
// are, too.
type clients struct {
	mu     sync.Mutex
	of     map[a2ahttp.Interface]*a2ahttp.Client
	closed bool
}

func (c *clients) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, client := range c.of {
		client.Close()
	}
}

// client returns the client of an interface. The headers of a call come with it: none
// are the client's own.
func (a *Agent) client(i a2ahttp.Interface) (*a2ahttp.Client, error) {
	a.clients.mu.Lock()
	defer a.clients.mu.Unlock()
	if client, ok := a.clients.of[i]; ok {
		return client, nil
	}
	if a.clients.closed {
		return nil, transport.ErrClosed
	}
	client, err := a2ahttp.New(i, a2ahttp.Config{Options: a.options(nil), NoRedirect: true})
	if err != nil {
		return nil, err
	}
	if a.clients.of == nil {
		a.clients.of = map[a2ahttp.Interface]*a2ahttp.Client{}
	}
	a.clients.of[i] = client
	return client, nil
}

func (a *Agent) options(header http.Header) transport.Options {
	return transport.Options{Header: header, Limit: a.config.Limit, Connect: a.config.Connect}
}
