package bridge

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/peerwright/peerwright/bridge/a2achat"
	"github.com/peerwright/peerwright/internal/dial"
	"github.com/peerwright/peerwright/internal/mcp"
)

// DefaultListen is where a bridge listens when nothing else is said.
const DefaultListen = "127.0.0.1:3847"

// Validate tells everything that is wrong with the configuration by itself. It reads no
// environment and reaches nothing.
func (c Config) Validate() error {
	var errs []error
	if len(c.Agents)+len(c.Upstreams) == 0 {
		errs = append(errs, errors.New("there is nothing behind the bridge: name A2A agents under agents, or MCP servers under upstreams"))
	}
	if len(c.Agents) > 0 {
		errs = append(errs, a2achat.Validate(c.Agents))
	}
	errs = append(errs, c.checkUpstreams()...)
	errs = append(errs, c.LLM.check(len(c.Upstreams) > 0), c.checkListen())
	if c.APIKeysEnv == "" && len(c.APIKeys) > 0 && c.Open {
		errs = append(errs, errors.New("open: the bridge has keys and is to be open too: take one away"))
	}
	errs = append(errs, notNegative("", map[string]int64{
		"timeout": int64(c.Timeout), "key_ttl": int64(c.KeyTTL), "key_lease": int64(c.KeyLease), "keep_alive": int64(c.KeepAlive), "drain": int64(c.Drain), "max_body": int64(c.MaxBody),
	}))
	return errors.Join(errs...)
}

// notNegative complains of settings that are below zero; at stands before their names.
func notNegative(at string, settings map[string]int64) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if settings[name] < 0 {
			errs = append(errs, fmt.Errorf("%s%s must not be negative", at, name))
		}
	}
	return errors.Join(errs...)
}

func (c Config) checkUpstreams() []error {
	var errs []error
	seen := map[string]string{}
	for _, a := range c.Agents {
		seen[a.ID] = "an agent"
	}
	for i, u := range c.Upstreams {
		at := fmt.Sprintf("upstreams[%d]", i)
		if u.ID != "" {
			at = fmt.Sprintf("upstreams[%s]", u.ID)
		}
		switch other, taken := seen[u.ID]; {
		case u.ID == "":
			errs = append(errs, fmt.Errorf("%s: id is missing: give the server a name", at))
		case taken:
			errs = append(errs, fmt.Errorf("%s: the id is that of %s already", at, other))
		}
		seen[u.ID] = "a server"
		if err := u.check(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", at, err))
		}
	}
	return errs
}

// check judges one server but for its id.
func (c UpstreamConfig) check() error {
	if _, err := dial.Resolve(dial.Target{URL: c.MCP, Command: c.Command, Transport: c.Transport}); err != nil {
		return err
	}
	if c.Revision != "" && !slices.Contains(mcp.Revisions(), c.Revision) {
		return fmt.Errorf("revision: unknown revision %q: choose one of %s", c.Revision, strings.Join(mcp.Revisions(), ", "))
	}
	return notNegative("", map[string]int64{"start": int64(c.Start), "timeout": int64(c.Timeout), "max_in_flight": int64(c.MaxInFlight)})
}

// check judges the model server; nil is none.
func (l *LLMConfig) check(tools bool) error {
	if l == nil {
		return nil
	}
	u, err := url.Parse(l.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("llm.url must be the address of an OpenAI-compatible server, such as http://127.0.0.1:11434/v1")
	}
	if !tools {
		return errors.New("llm: a model has nothing to call without an MCP server under upstreams")
	}
	return notNegative("llm.", map[string]int64{"rounds": int64(l.Rounds), "tokens": l.Tokens, "time": int64(l.Time)})
}

func (c Config) checkListen() error {
	if c.Listen == "" {
		return nil
	}
	_, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return fmt.Errorf("listen %q: write it like %s", c.Listen, DefaultListen)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return fmt.Errorf("listen %q: %q is no port", c.Listen, port)
	}
	return nil
}
