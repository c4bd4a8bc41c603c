// Package upstream keeps one MCP server at hand: it is started or reached when it is
// first needed, started again when it died, its session renewed when the server forgot
// it. Every failure of a call is an errclass.Error that says whether the call was made.
//
// Calls go as bytes and results come as bytes: nothing is decoded and encoded again.
//
// It imports dial, mcp, rpc, the transports, wire, redact and errclass of this module,
// and nothing above them.
package upstream

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/peerwright/peerwright/internal/dial"
	"github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/wire"
)

// Config says which server, and how it is to be treated. ID, Target, Now and Random are
// required.
type Config struct {
	ID       string // names the server in messages
	Target   dial.Target
	Revision string // the one to insist on; "" takes the newest that the server speaks
	Client   mcp.Implementation

	Start   time.Duration // bounds start and handshake; 0 means 30 s
	Timeout time.Duration // bounds one call, the wait for its turn included; 0 means 60 s
	// MaxInFlight is how many calls may be under way at once, 0 means 1024; MaxQueue how
	// many more may wait for their turn, 0 means ten times that.
	MaxInFlight, MaxQueue int

	// MaxSessions is how many callers with a credential of their own may have a session
	// at once, 0 means 100; Idle how long such a session is kept without a call, 0 means
	// five minutes.
	MaxSessions int
	Idle        time.Duration

	// ListTTL is how long a list of tools is good where the server does not say so, and
	// at most; 0 means five minutes.
	ListTTL time.Duration
	// Steady is how long a server must have run for its death not to count as a failed
	// start; 0 means ten seconds.
	Steady time.Duration

	Tap    wire.Tap // sees every frame; nil sees none
	Now    func() time.Time
	Random io.Reader    // for the keys of digests, and for spreading restarts
	Log    *slog.Logger // nil logs nothing
}

func (c Config) withDefaults() Config {
	c.Start = cmp.Or(c.Start, 30*time.Second)
	c.Timeout = cmp.Or(c.Timeout, time.Minute)
	c.MaxInFlight = cmp.Or(c.MaxInFlight, 1024)
	c.MaxQueue = cmp.Or(c.MaxQueue, 10*c.MaxInFlight)
	c.MaxSessions = cmp.Or(c.MaxSessions, 100)
	c.Idle = cmp.Or(c.Idle, 5*time.Minute)
	c.ListTTL = cmp.Or(c.ListTTL, 5*time.Minute)
	c.Steady = cmp.Or(c.Steady, 10*time.Second)
	c.Client.Name = cmp.Or(c.Client.Name, "peerwright")
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Credential is the Authorization of the caller, passed on in the place of the bridge's
// own; "" means the bridge's own. Each has a conversation of its own with the server,
// where the transport can carry it: a process has no headers, and serves all alike.
type Credential string

// Upstream is one server. Its methods may be called by several goroutines.
type Upstream struct {
	config Config
	way    dial.Way
	gate   *gate
	own    *slot // of the bridge's own credential
	pool   *pool // of the callers'

	life context.Context // ends with the Upstream
	end  context.CancelFunc

	mu     sync.Mutex
	closed bool
	work   sync.WaitGroup // what goes on beside the calls
}

// New returns the server of the configuration, and starts nothing yet. It fails when
// the target cannot be one.
func New(c Config) (*Upstream, error) {
	c = c.withDefaults()
	way, err := dial.Resolve(c.Target)
	if err != nil {
		return nil, fmt.Errorf("upstream %s: %w", c.ID, err)
	}
	u := &Upstream{config: c, way: way, gate: newGate(c.MaxInFlight, c.MaxQueue)}
	u.life, u.end = context.WithCancel(context.Background())
	if u.own, err = u.newSlot(""); err != nil {
		return nil, err
	}
	u.pool = newPool(u)
	return u, nil
}

// ID returns the id of the configuration.
func (u *Upstream) ID() string { return u.config.ID }

// Timeout returns how long one call may take.
func (u *Upstream) Timeout() time.Duration { return u.config.Timeout }

// slot returns the conversation of the credential, counted as used until leave.
func (u *Upstream) slot(c Credential) (s *slot, leave func(), err error) {
	if c == "" || u.way.Transport == dial.Stdio {
		return u.own, func() {}, nil
	}
	return u.pool.enter(c)
}

// spawn does something beside the calls, for which Close waits. Once closed it is not
// done: then there is nothing left that would need it.
func (u *Upstream) spawn(do func()) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return false
	}
	u.work.Go(do)
	return true
}

// Close takes no more calls, waits for those under way until the context ends, and ends
// every conversation. It returns when nothing is left of them.
func (u *Upstream) Close(ctx context.Context) error {
	drained := u.gate.close(ctx)
	u.mu.Lock()
	u.closed = true
	u.mu.Unlock()
	u.end()
	u.own.close(ctx)
	u.pool.close(ctx)
	u.work.Wait()
	if drained != nil {
		return fmt.Errorf("upstream %s: calls were cut off: %w", u.config.ID, drained)
	}
	return nil
}
