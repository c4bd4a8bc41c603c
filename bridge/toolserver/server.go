package toolserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/peerwright/peerwright/internal/redact"
	"github.com/peerwright/peerwright/internal/seal"
	"github.com/peerwright/peerwright/internal/store"
	"github.com/peerwright/peerwright/internal/store/audit"
	"github.com/peerwright/peerwright/internal/store/memory"
	"github.com/peerwright/peerwright/internal/store/sqlite"
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
	// Idempotency is a SQLite file that remembers calls with an idempotency key, and what
	// they came to, as it is; made with mode 0600 where there is none. Several processes
	// may share it. "" remembers them in memory, until the process ends.
	Idempotency string
	// Secret signs the cursors of long lists; several processes that serve one URL need the
	// same. nil means a random one, and cursors end with the process. (Not over stdio: there
	// a cursor is good for the next process of the server too, as MCP asks, and who could
	// forge one is who started it.)
	Secret []byte
	// Keys are what callers over HTTP and WebSocket must present, by the caller's name,
	// which the audit log then says. None are needed for this machine alone.
	Keys map[string]string
	// Origins and Hosts may call over HTTP and WebSocket besides those of loopback: an
	// origin as a browser writes it ("https://example.com"), a host without its port.
	Origins, Hosts []string
	// AllowOpen lets a server without Keys listen beyond this machine.
	AllowOpen bool
	// Log is told of each call in one line (level Info), of panics with their stack, and of
	// rows and keys that could not be written (Error). Secrets are taken out, and arguments
	// are left to the audit. nil tells nobody.
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
	keys  keyStore
	log   journal
	state *seal.Sealer // signs what a client carries between a question and its answer
	spent spent

	mu     sync.Mutex
	tools  map[string]*entry
	wrong  error // why tools could not be added
	sealed bool  // it serves
}

// New makes a server with that name. It fails when a file of the options cannot be opened.
func New(name string, o Options) (*Server, error) {
	if name == "" {
		return nil, errors.New("a tool server needs a name")
	}
	o = o.withDefaults()
	s := &Server{
		name: name, opts: o, tools: map[string]*entry{}, state: seal.New(secret()),
		log: journal{o.Log, redact.New(secret()).Known(slices.Collect(maps.Values(o.Keys))...)},
	}
	if err := s.open(context.Background()); err != nil {
		return nil, fmt.Errorf("making the tool server %s: %w", name, errors.Join(err, s.Close()))
	}
	return s, nil
}

// keyStore remembers calls with a key.
type keyStore interface {
	store.Keys
	Close() error
}

// open opens the files.
func (s *Server) open(ctx context.Context) error {
	s.keys = memory.New(s.opts.Now)
	if s.opts.Idempotency != "" {
		file, err := sqlite.Open(ctx, s.opts.Idempotency, s.opts.Now)
		if err != nil {
			return fmt.Errorf("opening Options.Idempotency: %w", err)
		}
		s.keys = file
	}
	if s.opts.Audit == "" {
		return nil
	}
	var err error
	s.audit, err = audit.Open(ctx, s.opts.Audit, audit.Options{Durable: s.opts.Durable})
	if err != nil {
		return err //nolint:wrapcheck // it says what it is about
	}
	for _, key := range s.opts.Keys {
		s.audit.Known(key)
	}
	return nil
}

// Audit returns the log of calls, nil where none is kept.
func (s *Server) Audit() *AuditLog { return s.audit }

// Close writes what waits for the audit log, and closes the files. Its error says that
// rows were lost.
func (s *Server) Close() error {
	err := s.keys.Close()
	if s.audit != nil {
		err = errors.Join(s.audit.Close(), err)
	}
	return err
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
