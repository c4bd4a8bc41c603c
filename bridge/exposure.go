package bridge

import (
	"errors"
	"fmt"
	"net"
)

// inboundKeys returns the keys of which a caller must show one; none without any.
func (c Config) inboundKeys(env Env) ([]string, error) {
	if c.APIKeysEnv == "" {
		return c.APIKeys, nil
	}
	text, _ := env.Lookup(c.APIKeysEnv)
	keys := splitKeys(text)
	if len(keys) == 0 {
		return nil, fmt.Errorf("api_keys_env: the environment variable %s is not set, or holds no key", c.APIKeysEnv)
	}
	return keys, nil
}

// checkExposure refuses to serve everybody by accident.
func (c Config) checkExposure(keys []string) error {
	if len(keys) > 0 || c.Open || c.loopback() {
		return nil
	}
	return errors.New("the bridge would listen on " + c.Listen + " without keys, and serve whoever reaches it: " +
		"name an environment variable with keys by --keys-env (api_keys_env), or say --open (open: true) if that is meant")
}

// warnOfCallers says that the bridge signs any id that anybody sends it, where it has no
// keys: the agent would believe each of them.
func (b *Bridge) warnOfCallers() {
	for _, a := range b.config.Agents {
		if a.Caller != nil && len(b.keys) == 0 {
			b.env.Log.Warn("the bridge has no keys, so whoever reaches it has any id signed that he names: name keys by --keys-env (api_keys_env)",
				"agent", a.ID, "id_header", a.Caller.IDHeader)
		}
	}
}

// loopback tells whether only this machine can connect.
func (c Config) loopback() bool {
	if c.Listen == "" {
		return true
	}
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// hosts are the names by which the bridge may be called. The check is against web pages
// that reach a service of the user's machine by a name of their own; a bridge that wants
// keys, or is meant to be open beyond it, is called by names that nobody listed.
func (c Config) hosts(keys []string) []string {
	if !c.loopback() && (len(keys) > 0 || c.Open) && len(c.AllowHosts) == 0 {
		return []string{"*"}
	}
	return c.AllowHosts
}
