package agent

import (
	"net/http"
	"time"

	"github.com/peerwright/peerwright/internal/redact"
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
	config Config
}

// New returns an agent. It does nothing on the network: that begins with the first call.
func New(c Config) *Agent { return &Agent{config: c} }

// Close ends what is still open: calls in flight and the refreshing of the card.
func (a *Agent) Close() {}
