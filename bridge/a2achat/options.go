package a2achat

import (
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/peerwright/peerwright/bridge/a2achat/agent"
	"github.com/peerwright/peerwright/internal/redact"
)

// Options are what a Backend is made of. Agents and Store are required.
type Options struct {
	Agents []AgentConfig
	// Store keeps the conversations. The Backend does not close it.
	Store Store
	// Env looks up an environment variable; nil means that none is set.
	Env func(name string) (value string, ok bool)

	Now     func() time.Time     // nil means time.Now
	Random  io.Reader            // makes ids, for several goroutines at once; nil means crypto/rand
	Log     *slog.Logger         // takes a line for each turn, and what went wrong; nil for none
	Redact  *redact.Redactor     // is told of the secrets that are read from the environment; nil means one of its own
	Metrics *prometheus.Registry // takes the metrics; nil for none
}

func (o Options) withDefaults() Options {
	if o.Env == nil {
		o.Env = func(string) (string, bool) { return "", false }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Redact == nil {
		o.Redact = redact.New([]byte(rand.Text()))
	}
	return o
}

// endpoint is one agent as it is configured.
type endpoint struct {
	config   AgentConfig
	agent    *agent.Agent
	identity identity
}

// endpoints returns the agents. A variable of the environment that is named and not
// there is an error: a call without a credential, or with an id that is not signed, is
// not what anybody asked for.
func (o Options) endpoints() ([]*endpoint, error) {
	if err := Validate(o.Agents); err != nil {
		return nil, err
	}
	var all []*endpoint
	var errs []error
	for i, c := range o.Agents {
		s := secrets{env: o.Env, name: name(c, i)}
		e := &endpoint{config: c}
		if c.Caller != nil {
			e.identity = identity{*c.Caller, []byte(s.get("caller.secret_env", c.Caller.SecretEnv))}
			o.Redact.Known(string(e.identity.secret))
		}
		e.agent = agent.New(agent.Config{
			ID: c.ID, CardURL: c.CardURL, EndpointURL: c.EndpointURL, Header: s.header(c),
			Blocking: c.StreamMode == Blocking, Timeout: c.timeout(), Total: seconds(or(c.TotalS, 0)),
			Redactor: o.Redact, Now: o.Now,
		})
		all = append(all, e)
		errs = append(errs, s.errs...)
	}
	return all, errors.Join(errs...)
}

// secrets looks up what stands in the environment, and collects what does not.
type secrets struct {
	env  func(string) (string, bool)
	name string
	errs []error
}

func (s *secrets) get(key, variable string) string {
	value, ok := s.env(variable)
	switch {
	case !ok || value == "":
		s.errs = append(s.errs, &ConfigError{s.name, key, "the environment variable " + variable + " is not set"})
	case !isHeaderValue(value):
		s.errs = append(s.errs, &ConfigError{s.name, key, "the environment variable " + variable + " begins or ends with space, or holds a line break"})
	}
	return value
}

// header returns the headers that go with every call of the agent.
func (s *secrets) header(c AgentConfig) http.Header {
	h := http.Header{}
	for name, value := range c.StaticHeaders {
		h.Set(name, value)
	}
	for name, variable := range c.StaticHeadersEnv {
		h.Set(name, s.get("static_headers_env."+name, variable))
	}
	return h
}
