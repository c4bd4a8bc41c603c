package openai

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/peerwright/peerwright/internal/errclass"
	"github.com/peerwright/peerwright/internal/redact"
	"github.com/peerwright/peerwright/internal/transport"
)

// Server is the endpoint: an http.Handler, which Serve puts on a listener. It is made
// by New.
type Server struct {
	opts    Options
	gate    gate
	routes  routes
	log     *slog.Logger
	now     func() time.Time
	redact  *redact.Redactor
	metrics *metrics // nil for none
	started int64    // Unix seconds
}

// New returns a server. It fails where the options leave nothing to serve, hold a blank
// key, or name a route that is none.
func New(o Options) (*Server, error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("making the endpoint: %w", err)
	}
	o = o.withDefaults()
	if o.Redact == nil {
		key := make([]byte, 32)
		_, _ = rand.Read(key) // it never fails
		o.Redact = redact.New(key)
	}
	s := &Server{
		opts: o, gate: newGate(o.Keys, o.AllowPassthrough), log: o.Log, now: o.Now,
		redact: o.Redact.Known(o.Keys...), started: o.Now().Unix(),
	}
	var err error
	if o.Metrics != nil {
		if s.metrics, err = newMetrics(o.Metrics); err != nil {
			return nil, fmt.Errorf("making the endpoint: %w", err)
		}
	}
	if s.routes, err = s.allRoutes(); err != nil {
		return nil, fmt.Errorf("making the endpoint: %w", err)
	}
	return s, nil
}

// ServeHTTP implements http.Handler. Whatever comes is answered in the envelope.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{ResponseWriter: w, control: http.NewResponseController(w), stall: s.opts.Stall, start: s.now()}
	x.id = s.requestID(r.Header.Get("X-Request-ID"))
	w.Header().Set("X-Request-ID", x.id)
	if r.ContentLength != 0 { // net/http reads the rest of a body before it sends a refusal, for which time must be left
		_ = x.control.SetReadDeadline(time.Now().Add(s.opts.Stall / 2))
	}
	s.metrics.begin()
	defer s.finish(x, r)
	route, err := s.admit(x, r)
	if err != nil {
		WriteError(x, s.now(), err)
		return
	}
	route(x, r)
}

// finish is what every request ends with, a panic included.
func (s *Server) finish(x *exchange, r *http.Request) {
	if p := recover(); p != nil {
		x.err = panicked(p)
		if x.status == 0 {
			WriteError(x, s.now(), x.err)
		}
	}
	if x.status == 0 {
		x.status = statusGone
	}
	s.metrics.end(x, s.now())
	s.line(x, r)
}

// statusGone is logged where the client was gone before anything was answered.
const statusGone = 499

// panicked returns an error with the stack of a panic, for the log.
func panicked(p any) error {
	return fmt.Errorf("panic: %v\n%s", p, debug.Stack())
}

// admit finds who answers the request, unless that is to be refused.
func (s *Server) admit(x *exchange, r *http.Request) (handle, error) {
	route, at, err := s.routes.find(r.Method, r.URL.Path)
	x.route = at
	if err == nil && route.open {
		return route.handle, nil
	}
	if err := transport.CheckCaller(r, s.opts.Origins, s.opts.Hosts); err != nil {
		return nil, errclass.New(errclass.Permission, errclass.Bridge, errclass.NotRun, "Refused: "+err.Error()+".", errclass.Call{})
	}
	id, who := s.gate.identify(r.Header)
	if who != nil {
		return nil, who
	}
	x.caller = id.Caller
	if err != nil {
		if allow := s.routes.methods(at); allow != "" {
			x.Header().Set("Allow", allow)
		}
		return nil, err
	}
	return func(x *exchange, r *http.Request) {
		route.handle(x, r.WithContext(context.WithValue(r.Context(), identityKey{}, id)))
	}, nil
}

// requestID returns the client's own id where it can stand in a log, or else a new one.
func (s *Server) requestID(theirs string) string {
	const most = 128
	if theirs != "" && len(theirs) <= most && strings.IndexFunc(theirs, notInID) < 0 {
		return theirs
	}
	return "req_" + s.random(12)
}

func notInID(r rune) bool {
	return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("-_.:", r))
}

// random returns n random bytes in hex.
func (s *Server) random(n int) string {
	b := make([]byte, n)
	if _, err := io.ReadFull(s.opts.Random, b); err != nil {
		panic(fmt.Errorf("reading randomness for an id: %w", err)) // it is answered and logged
	}
	return hex.EncodeToString(b)
}
