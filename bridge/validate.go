package bridge

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"

	"github.com/peerwright/peerwright/bridge/a2achat"
	"github.com/peerwright/peerwright/internal/dial"
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
	for _, setting := range []struct {
		name  string
		value int64
	}{
		{"timeout", int64(c.Timeout)},
		{"key_ttl", int64(c.KeyTTL)},
		{"drain", int64(c.Drain)},
		{"max_body", int64(c.MaxBody)},
	} {
		if setting.value < 0 {
			errs = append(errs, fmt.Errorf("%s must not be negative", setting.name))
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
		if _, err := dial.Resolve(dial.Target{URL: u.MCP, Command: u.Command, Transport: u.Transport}); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", at, err))
		}
	}
	return errs
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
	return nil
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
