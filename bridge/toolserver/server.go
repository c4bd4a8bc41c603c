package toolserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/peerwright/peerwright/internal/seal"
	"github.com/peerwright/peerwright/internal/store"
	"github.com/peerwright/peerwright/internal/store/audit"
	"github.com/peerwright/peerwright/internal/store/memory"
)

// Options say how a server behaves. The zero value is a server that logs nothing, denies
// what is destructive, and serves this machine alone.
type Options struct {
	// Version is the server's own; "" means "0.0.0".
	Version string
	// Instructions tell a model how to use the tools together; "" tells nothing.
	Instructions string
	// Audit is the file of the audit log, made where there is none; "" keeps no log.
	Audit string
	// Durable makes every call wait until its row is on the disk. Otherwise denials
	// wait, and the rows of other calls are written within a tenth of a second, and on
	// Close.
	Durable bool
	// ReadOnly denies every tool that is not read-only, confirmed or not.
	ReadOnly bool
	// Confirm decides about destructive calls; nil denies them.
	Confirm Confirm
	// ConfirmTimeout is how long a confirmation may take; 0 means 2 minutes.
	ConfirmTimeout time.Duration
	// Timeout bounds a call whose tool says nothing else; 0 means 1 minute, less means
	// no bound.
	Timeout time.Duration
	// PageSize is how many tools a page of the list holds; 0 means 100.
	PageSize int
	// Secret signs the cursors of long lists; all processes of one server need the same.
	// Without one a cursor that was made up by someone who knows how is not found out; it
	// opens nothing but a place in the list.
	Secret []byte
	// Keys are what callers over HTTP and WebSocket must present, by the caller's name,
	// which the audit log then says. None are needed for this machine alone.
	Keys map[string]string
	// Origins and Hosts may call over HTTP and WebSocket besides those of loopback: an
	// origin as a browser writes it ("https://example.com"), a host without its port.
	Origins, Hosts []string
	// AllowOpen lets a server without Keys listen beyond this machine.
	AllowOpen bool
	// Log is told what goes wrong beside the calls; nil tells nobody.
	Log *slog.Logger
	// Now tells the time; nil means time.Now.
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	if o.Version == "" {
		o.Version = "0.0.0"
	}
	if o.ConfirmTimeout <= 0 {
		o.ConfirmTimeout = 2 * time.Minute
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	if o.PageSize <= 0 {
		o.PageSize = 100
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Keys = maps.Clone(o.Keys)
	return o
}

// Server holds tools and serves them. Its methods may be called by several goroutines;
// tools are added before it serves.
type Server struct {
	name  string
	opts  Options
	audit *audit.Log // nil where none is kept
	keys  store.Keys
	state *seal.Sealer // signs what a client carries between a question and its answer
	spent spent

	mu     sync.Mutex
	tools  map[string]*entry
	wrong  error // why tools could not be added
	sealed bool  // it serves
}

// New makes a server with that name. It fails when the audit log cannot be opened.
func New(name string, o Options) (*Server, error) {
	if name == "" {
		return nil, errors.New("a tool server needs a name")
	}
	o = o.withDefaults()
	s := &Server{name: name, opts: o, tools: map[string]*entry{}, keys: memory.New(o.Now), state: seal.New(secret())}
	if o.Audit == "" {
		return s, nil
	}
	var err error
	s.audit, err = audit.Open(context.Background(), o.Audit, audit.Options{Durable: o.Durable})
	if err != nil {
		return nil, fmt.Errorf("making the tool server %s: %w", name, err)
	}
	for _, key := range o.Keys {
		s.audit.Known(key)
	}
	return s, nil
}

// Audit returns the log of calls, nil where none is kept.
func (s *Server) Audit() *AuditLog { return s.audit }

// Close writes what waits for the audit log, and closes it. Its error says that rows
// were lost.
func (s *Server) Close() error {
	if s.audit == nil {
		return nil
	}
	return s.audit.Close() //nolint:wrapcheck // it says what it is about
}

// ready returns the tools for good, or why the server cannot serve.
func (s *Server) ready() ([]*entry, error) {
	s.mu.Lock()
	err := s.wrong
	s.sealed = err == nil
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return s.sorted(), nil
}
