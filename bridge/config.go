// Package bridge puts A2A agents, as chat models, and MCP servers, as tools, behind one
// OpenAI-compatible endpoint. It reads the configuration and puts the parts together:
// the HTTP surface (openai), the agents (a2achat), the tools (mcptools), and the store.
//
// It imports the packages below it and those of internal; it knows no command line.
package bridge

import (
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/peerwright/peerwright/bridge/a2achat"
)

// Config is the section bridge of peerwright.yaml. A file of a2a-bridge is the same
// without the section; see Load. The zero value has no peer, and nothing to serve.
type Config struct {
	Listen string `yaml:"listen"` // address; "" means 127.0.0.1:3847

	Agents    []a2achat.AgentConfig `yaml:"agents"`    // A2A agents, each a model
	Upstreams []UpstreamConfig      `yaml:"upstreams"` // MCP servers, each with its tools
	LLM       *LLMConfig            `yaml:"llm"`       // the model that chooses the calls; nil for none

	// Store is where conversations and idempotency keys are kept: memory:// (also ""),
	// sqlite:///path, mongodb://…
	Store string `yaml:"store"`
	// Retention is how long a conversation is kept that nobody goes on with, and its turns;
	// 0 means for ever.
	Retention time.Duration `yaml:"retention"`

	// APIKeysEnv names the environment variable with the keys of which a caller must show
	// one, with commas between them. In its place APIKeys holds them in the file itself,
	// as the files of a2a-bridge may; it is better not to.
	APIKeysEnv string  `yaml:"api_keys_env"`
	APIKeys    keyList `yaml:"api_keys"`
	// Open allows to listen beyond loopback without keys.
	Open         bool     `yaml:"open"`
	AllowHosts   []string `yaml:"allow_hosts"`
	AllowOrigins []string `yaml:"allow_origins"`

	AllowAuthPassthrough bool          `yaml:"allow_auth_passthrough"` // callers may bring the credential for an upstream
	Trace                bool          `yaml:"trace"`                  // show each request beside what became of it
	Timeout              time.Duration `yaml:"timeout"`                // bounds a tool call with all its attempts; 0 means a minute
	KeyTTL               time.Duration `yaml:"key_ttl"`                // how long the result of a call with a key is kept; 0 means a day
	KeyLease             time.Duration `yaml:"key_lease"`              // silence after which a bridge on the same store that makes a call with a key is held to be gone; 0 means 30 s
	KeepAlive            time.Duration `yaml:"keep_alive"`             // silence in a stream before a comment; 0 means 10 s
	Drain                time.Duration `yaml:"drain"`                  // what answers under way get at the end; 0 means 10 s
	MaxBody              int           `yaml:"max_body"`               // bytes of a request; 0 means 64 MiB
}

// UpstreamConfig is one MCP server: a URL or a command.
type UpstreamConfig struct {
	ID         string            `yaml:"id"` // required; stands before the names of its tools where there are several servers
	MCP        string            `yaml:"mcp"`
	Command    []string          `yaml:"command"`
	Dir        string            `yaml:"dir"`
	Transport  string            `yaml:"transport"`
	Revision   string            `yaml:"revision"`
	Headers    map[string]string `yaml:"headers"`
	HeadersEnv map[string]string `yaml:"headers_env"` // header to the name of an environment variable
	// AuthEnv names the environment variable with the credential for the server, sent as
	// Authorization; "Bearer" is put before a value that has no scheme.
	AuthEnv     string        `yaml:"auth_env"`
	Start       time.Duration `yaml:"start"`         // bounds start and handshake; 0 means 30 s
	Timeout     time.Duration `yaml:"timeout"`       // bounds one attempt of a call; 0 means a minute
	MaxInFlight int           `yaml:"max_in_flight"` // calls under way at once; 0 means 1024
}

// LLMConfig is an OpenAI-compatible model server.
type LLMConfig struct {
	URL       string        `yaml:"url"`         // up to and with /v1; required
	APIKeyEnv string        `yaml:"api_key_env"` // names the environment variable with its key; "" for none
	Model     string        `yaml:"model"`       // for requests that name none
	Rounds    int           `yaml:"rounds"`      // how often the model is asked for one request; 0 means 10
	Tokens    int64         `yaml:"tokens"`      // of all rounds; 0 means no bound
	Time      time.Duration `yaml:"time"`        // of all rounds; 0 means five minutes
}

// keyList is a list of keys, or one text with commas between them.
type keyList []string

// UnmarshalYAML implements yaml.Unmarshaler.
func (k *keyList) UnmarshalYAML(node *yaml.Node) error {
	var text string
	if err := node.Decode(&text); err != nil {
		return err
	}
	*k = splitKeys(text)
	return nil
}

// splitKeys takes blank ones out.
func splitKeys(text string) []string {
	var keys []string
	for _, key := range strings.Split(text, ",") {
		if key = strings.TrimSpace(key); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}
