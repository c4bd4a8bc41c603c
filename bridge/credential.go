package bridge

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/peerwright/peerwright/internal/redact"
)

// usualTokens are the environment variables in which the credential for the one server
// of a bridge is looked for when the configuration says nothing of it.
var usualTokens = []string{"MCP_AUTH_TOKEN", "GITHUB_TOKEN"}

// header returns the headers that go with every request to the server, and tells the
// redactor of the secrets in them. alone tells that it is the only server.
func (c UpstreamConfig) header(env Env, alone bool) (http.Header, error) {
	h := http.Header{}
	for name, value := range c.Headers {
		h.Set(name, value)
	}
	for name, variable := range c.HeadersEnv {
		value, err := env.secret(variable)
		if err != nil {
			return nil, fmt.Errorf("header %s: %w", name, err)
		}
		h.Set(name, value)
	}
	if err := c.authorize(h, env, alone); err != nil {
		return nil, err
	}
	env.Redact.Known(redact.URLSecrets(c.MCP)...)
	for name, values := range h {
		for _, value := range values {
			env.Redact.Known(redact.HeaderSecrets(name, value)...)
		}
	}
	return h, nil
}

func (c UpstreamConfig) authorize(h http.Header, env Env, alone bool) error {
	if c.AuthEnv != "" {
		token, err := env.secret(c.AuthEnv)
		if err != nil {
			return fmt.Errorf("auth_env: %w", err)
		}
		h.Set("Authorization", withScheme(token))
		return nil
	}
	if !alone || c.MCP == "" || h.Get("Authorization") != "" {
		return nil
	}
	for _, name := range usualTokens {
		if token, _ := env.Lookup(name); strings.TrimSpace(token) != "" {
			h.Set("Authorization", withScheme(strings.TrimSpace(token)))
			return nil
		}
	}
	return nil
}

// withScheme puts Bearer before a token that has no scheme.
func withScheme(token string) string {
	if strings.Contains(token, " ") {
		return token
	}
	return "Bearer " + token
}

// secret looks up a variable that has to be there.
func (e Env) secret(variable string) (string, error) {
	value, _ := e.Lookup(variable)
	if value = strings.TrimSpace(value); value == "" {
		return "", fmt.Errorf("the environment variable %s is not set", variable)
	}
	return value, nil
}
