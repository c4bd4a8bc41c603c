package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/peerwright/peerwright/bridge"
	"github.com/peerwright/peerwright/bridge/a2achat"
	"github.com/peerwright/peerwright/internal/config"
)

// bridgeFlags are the flags of `bridge`. They win over the configuration file.
type bridgeFlags struct {
	mcp, a2a              []string // URL, or id=URL
	headers, headerEnv    []string
	transport, revision   string
	file, listen          string
	port                  int
	store, keysEnv        string
	hosts, origins        []string
	open, passthrough     bool
	trace, quiet          bool
	timeout               time.Duration
	llm, llmModel, llmKey string
}

func (f *bridgeFlags) register(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.mcp, "mcp", nil, "`URL` of an MCP server (http, https, ws, wss), or id=URL; may be repeated")
	flags.StringArrayVar(&f.a2a, "a2a", nil, "`URL` of an A2A agent, or of its card, or id=URL with the name of the model; may be repeated")
	flags.StringVar(&f.transport, "transport", "", "transport of the MCP server to insist on: http, sse, websocket, stdio")
	flags.StringVar(&f.revision, "revision", "", "MCP revision to insist on, such as 2025-11-25")
	flags.StringArrayVar(&f.headers, "header", nil, "HTTP header `'Name: value'` to send to the MCP server; may be repeated")
	flags.StringArrayVar(&f.headerEnv, "header-env", nil, "HTTP header `Name=VARIABLE` with its value from the environment; may be repeated")
	flags.StringVar(&f.file, "config", "", "configuration `file`, instead of peerwright.yaml in this folder")
	flags.StringVar(&f.listen, "listen", "", "`address` to listen on; "+bridge.DefaultListen+" unless the configuration says otherwise, or one of the next ports where that is taken")
	flags.IntVar(&f.port, "port", 0, "port to listen on, on this machine only")
	flags.StringVar(&f.store, "store", "", "`store` for conversations and idempotency keys: memory://, sqlite (a file of its own in the user's folder), sqlite:///path, mongodb://…")
	flags.StringVar(&f.keysEnv, "keys-env", "", "environment `VARIABLE` with the keys of which a caller must show one, with commas between them")
	flags.BoolVar(&f.open, "open", false, "listen beyond this machine without keys")
	flags.StringArrayVar(&f.hosts, "allow-host", nil, "`host` name by which callers may call the bridge, besides this machine's; may be repeated")
	flags.StringArrayVar(&f.origins, "allow-origin", nil, "`origin` of web pages that may call the bridge; may be repeated")
	flags.BoolVar(&f.passthrough, "allow-auth-passthrough", false, "pass the callers' Authorization on to the MCP server")
	flags.BoolVar(&f.trace, "trace", false, "show each request beside what became of it, without secrets, on stdout")
	flags.BoolVar(&f.quiet, "quiet", false, "log no requests, only what went wrong")
	flags.DurationVar(&f.timeout, "timeout", 0, "how long a call of a tool may take; a minute unless the configuration says otherwise")
	flags.StringVar(&f.llm, "llm", "", "`URL` of an OpenAI-compatible model server that chooses the calls, up to and with /v1")
	flags.StringVar(&f.llmModel, "llm-model", "", "`model` for requests that name none")
	flags.StringVar(&f.llmKey, "llm-key-env", "", "environment `VARIABLE` with the key of the model server")
	flags.StringArrayVar(&f.mcp, "url", nil, "the same as --mcp")
	_ = flags.MarkHidden("url") // it is registered a line above
}

// configure puts together what the file and the flags say.
func (c *bridgeCommand) configure(command []string) (bridge.Config, error) {
	config, err := c.load()
	if err != nil {
		return config, err
	}
	if err := c.name(&config, command); err != nil {
		return config, err
	}
	if len(config.Agents)+len(config.Upstreams) == 0 {
		return config, usage("there is nothing to serve: name an MCP server by --mcp URL or its command behind --, an A2A agent by --a2a URL, " +
			"or list them in the section bridge of peerwright.yaml")
	}
	if err := c.flags.place(&config); err != nil {
		return config, err
	}
	c.flags.settings(&config)
	if config.Store == "sqlite" {
		if config.Store, err = defaultStore(); err != nil {
			return config, err
		}
	}
	if len(config.APIKeys) > 0 {
		tell(c.err, errors.New("warning: api_keys stands in the file: keys are better kept in the environment; see api_keys_env"))
	}
	return config, nil
}

// load reads the file that was named, by the flag or as for a2a-bridge, or that stands
// in the folder.
func (c *bridgeCommand) load() (bridge.Config, error) {
	name, named := c.flags.file, c.flags.file != ""
	if !named {
		name, named = os.LookupEnv("A2A_BRIDGE_CONFIG")
	}
	if !named {
		name = config.FileName
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return bridge.Config{}, nil
		}
	}
	var whole file
	seed, err := bridge.Load(name, &whole, &whole.Bridge)
	if err != nil {
		return whole.Bridge, usageError{err}
	}
	if seed {
		seedEnvironment(&whole.Bridge)
	}
	return whole.Bridge, nil
}

// seedEnvironment reads the variables that a2a-bridge reads beside its file.
func seedEnvironment(config *bridge.Config) {
	if store := os.Getenv("A2A_BRIDGE_STORE"); store != "" {
		config.Store = store
	}
	host, port := os.Getenv("A2A_BRIDGE_HOST"), os.Getenv("A2A_BRIDGE_PORT")
	if host == "" && port == "" || config.Listen != "" {
		return
	}
	usualHost, usualPort, _ := net.SplitHostPort(bridge.DefaultListen) // a constant, and right
	if host == "" {
		host = usualHost
	}
	if port == "" {
		port = usualPort
	}
	config.Listen = net.JoinHostPort(host, port)
}

// name puts the peers that the flags name in the place of those of the file.
func (c *bridgeCommand) name(config *bridge.Config, command []string) error {
	if len(c.flags.mcp)+len(c.flags.a2a)+len(command) == 0 {
		return nil
	}
	headers, headersEnv, err := (&targetFlags{headers: c.flags.headers, headerEnv: c.flags.headerEnv}).headerMaps()
	if err != nil {
		return err
	}
	if len(c.flags.mcp) == 0 && len(headers)+len(headersEnv) > 0 {
		return usage("--header and --header-env are for servers that --mcp names: what a command needs, it takes from its environment")
	}
	config.Agents, config.Upstreams = nil, nil
	for i, text := range c.flags.a2a {
		id, url := identified(text, "agent", i)
		config.Agents = append(config.Agents, a2achat.AgentConfig{ID: id, CardURL: url})
	}
	server := bridge.UpstreamConfig{Transport: c.flags.transport, Revision: c.flags.revision, Headers: headers, HeadersEnv: headersEnv}
	for i, text := range c.flags.mcp {
		server.ID, server.MCP = identified(text, "mcp", i)
		config.Upstreams = append(config.Upstreams, server)
	}
	if len(command) > 0 {
		server.ID, server.MCP, server.Command = ordinal("mcp", len(c.flags.mcp)), "", command
		server.Headers, server.HeadersEnv = nil, nil
		config.Upstreams = append(config.Upstreams, server)
	}
	return nil
}

// identified splits id=URL, and names a URL that has no id.
func identified(text, kind string, i int) (id, url string) {
	id, url, named := strings.Cut(text, "=")
	if !named || strings.ContainsAny(id, ":/?") {
		return ordinal(kind, i), text
	}
	return id, url
}

// ordinal names the peers that have no name: mcp, mcp2, mcp3.
func ordinal(kind string, i int) string {
	if i == 0 {
		return kind
	}
	return kind + strconv.Itoa(i+1)
}

// place decides where to listen.
func (f *bridgeFlags) place(config *bridge.Config) error {
	switch {
	case f.listen != "" && f.port != 0:
		return usage("--listen and --port say the same thing: give one of them")
	case f.port < 0 || f.port > 65535:
		return usage("--port %d is no port", f.port)
	case f.port != 0:
		config.Listen = net.JoinHostPort("127.0.0.1", strconv.Itoa(f.port))
	case f.listen != "":
		config.Listen = f.listen
	}
	return nil
}

// settings lets the flags win over the file.
func (f *bridgeFlags) settings(config *bridge.Config) {
	set(&config.Store, f.store)
	if f.keysEnv != "" {
		config.APIKeysEnv, config.APIKeys = f.keysEnv, nil
	}
	set(&config.Timeout, f.timeout)
	config.AllowHosts = append(config.AllowHosts, f.hosts...)
	config.AllowOrigins = append(config.AllowOrigins, f.origins...)
	config.Open = config.Open || f.open
	config.AllowAuthPassthrough = config.AllowAuthPassthrough || f.passthrough
	config.Trace = config.Trace || f.trace
	if f.llm == "" && f.llmModel == "" && f.llmKey == "" {
		return
	}
	if config.LLM == nil {
		config.LLM = &bridge.LLMConfig{}
	}
	set(&config.LLM.URL, f.llm)
	set(&config.LLM.Model, f.llmModel)
	set(&config.LLM.APIKeyEnv, f.llmKey)
}

// set lets a flag that was given win.
func set[T comparable](value *T, flag T) {
	var zero T
	if flag != zero {
		*value = flag
	}
}

// defaultStore is the file for a user who names none.
func defaultStore() (string, error) {
	dir := os.Getenv("XDG_STATE_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("finding a place for the store: %w; name one, as in --store sqlite:///path", err)
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return "sqlite://" + filepath.Join(dir, "peerwright", "bridge.db"), nil
}
