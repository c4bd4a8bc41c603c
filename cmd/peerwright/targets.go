package main

import (
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/conformance/a2a"
	"github.com/peerwright/peerwright/conformance/chat"
	"github.com/peerwright/peerwright/conformance/mcp"
	"github.com/peerwright/peerwright/internal/dial"
	imcp "github.com/peerwright/peerwright/internal/mcp"
	"github.com/peerwright/peerwright/internal/redact"
	"github.com/peerwright/peerwright/internal/transport"
)

// peerSpec is one peer as a user names it, by flags or in the configuration file.
type peerSpec struct {
	MCP        string            `yaml:"mcp"`
	A2A        string            `yaml:"a2a"`
	Chat       string            `yaml:"chat"`
	Model      string            `yaml:"model"` // of a chat endpoint
	Command    []string          `yaml:"command"`
	Dir        string            `yaml:"dir"`
	Transport  string            `yaml:"transport"`
	Revision   string            `yaml:"revision"`
	Headers    map[string]string `yaml:"headers"`
	HeadersEnv map[string]string `yaml:"headers_env"` // header to the name of an environment variable
	AllowTools []string          `yaml:"allow_tools"`
	Prompt     string            `yaml:"prompt"` // what the suite says to an agent

	probe time.Duration // see internal/mcp
	alias string        // how the report names a built-in peer; "" means by what reaches it
}

// targetFlags are the flags by which a command takes one peer.
type targetFlags struct {
	spec      peerSpec
	headers   []string
	headerEnv []string
	timeout   time.Duration
	// timeoutGiven tells whether the user set the timeout, which wins over the file.
	timeoutGiven bool
}

func (f *targetFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.spec.MCP, "mcp", "", "`URL` of an MCP server (http, https, ws, wss)")
	flags.StringVar(&f.spec.A2A, "a2a", "", "`URL` of an A2A agent, or of its card")
	flags.StringVar(&f.spec.Chat, "chat", "", "base `URL` of an OpenAI-compatible chat endpoint, such as http://127.0.0.1:3847")
	flags.StringVar(&f.spec.Model, "model", "", "`name` of the model that a chat endpoint is asked for, instead of its first")
	flags.StringVar(&f.spec.Transport, "transport", "", "transport to insist on: http, sse, websocket, stdio; for A2A jsonrpc or rest")
	flags.StringVar(&f.spec.Revision, "revision", "", "protocol revision to insist on, such as 2025-11-25 or 1.0")
	flags.StringArrayVar(&f.headers, "header", nil, "HTTP header `'Name: value'` to send; may be repeated")
	flags.StringArrayVar(&f.headerEnv, "header-env", nil, "HTTP header `Name=VARIABLE` with its value from the environment; may be repeated")
	flags.StringArrayVar(&f.spec.AllowTools, "allow-tool", nil, "`name` of a tool that may be called although it is not marked read-only; may be repeated")
	flags.StringVar(&f.spec.Prompt, "prompt", "", "`text` that the suite says to an A2A agent, or to the model of a chat endpoint")
	flags.DurationVar(&f.timeout, "timeout", 10*time.Second, "how long the peer may take to start, and each case to run; a command has a minute to start unless this is given")
}

// commandStart is how long a command may take to start: npx and uvx install first.
const commandStart = time.Minute

// start bounds the start of the peer.
func (f *targetFlags) start(command bool) time.Duration {
	if command && !f.timeoutGiven {
		return max(commandStart, f.timeout)
	}
	return f.timeout
}

// bound sets how long a server may take to show that it is a modern one: a part of the
// time that it has to start, so that there is time left to speak to a legacy one.
func (f *targetFlags) bound(p *peerSpec) *peerSpec {
	p.probe = f.start(len(p.Command) > 0) / 4
	return p
}

// resolve checks what the flags and the arguments after -- say. It returns nil when
// they name no peer.
func (f *targetFlags) resolve(command []string) (*peerSpec, error) {
	spec := f.spec
	spec.Command = command
	var err error
	if spec.Headers, spec.HeadersEnv, err = f.headerMaps(); err != nil {
		return nil, err
	}
	if spec.MCP == "" && spec.A2A == "" && spec.Chat == "" && len(command) == 0 {
		return nil, nil
	}
	return &spec, nil
}

// headerMaps reads the headers that the flags name: their values, and the environment
// variables that hold them.
func (f *targetFlags) headerMaps() (values, variables map[string]string, err error) {
	values, variables = map[string]string{}, map[string]string{}
	for _, h := range f.headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, nil, usage("--header %q: write it like 'Name: value'", h)
		}
		values[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	for _, h := range f.headerEnv {
		name, variable, ok := strings.Cut(h, "=")
		if !ok || name == "" || variable == "" {
			return nil, nil, usage("--header-env %q: write it like Name=VARIABLE", h)
		}
		variables[name] = variable
	}
	return values, variables, nil
}

// protocol says which protocol the peer speaks; the error says how to name one peer.
func (p *peerSpec) protocol() (string, error) {
	named := 0
	for _, yes := range []bool{p.MCP != "", p.A2A != "", p.Chat != "", len(p.Command) > 0} {
		if yes {
			named++
		}
	}
	if named != 1 {
		return "", usage("name one peer: --mcp URL, --a2a URL, --chat URL, or -- command args…")
	}
	if p.A2A != "" {
		return conformance.A2A, nil
	}
	if p.Chat != "" {
		return conformance.Chat, nil
	}
	return conformance.MCP, nil
}

// header returns the headers to send, those from the environment included, and tells
// the redactor of every secret by which the peer is reached.
func (p *peerSpec) header(red *redact.Redactor) (http.Header, error) {
	red.Known(redact.URLSecrets(p.MCP)...).Known(redact.URLSecrets(p.A2A)...).Known(redact.URLSecrets(p.Chat)...)
	h := http.Header{}
	for name, value := range p.Headers {
		h.Set(name, value)
		red.Known(redact.HeaderSecrets(name, value)...)
	}
	for name, variable := range p.HeadersEnv {
		value, ok := os.LookupEnv(variable)
		if !ok || value == "" {
			return nil, usage("header %s: the environment variable %s is not set", name, variable)
		}
		h.Set(name, value)
		red.Known(redact.HeaderSecrets(name, value)...)
	}
	return h, nil
}

// name is how the report names the peer.
func (p *peerSpec) name(red *redact.Redactor) string {
	switch {
	case p.alias != "":
		return p.alias
	case p.MCP != "":
		return red.URL(p.MCP)
	case p.A2A != "":
		return red.URL(p.A2A)
	case p.Chat != "":
		return red.URL(p.Chat)
	}
	return string(red.Text([]byte(quoteArgs(p.Command))))
}

// way resolves an MCP peer.
func (p *peerSpec) way(red *redact.Redactor) (dial.Way, error) {
	header, err := p.header(red)
	if err != nil {
		return dial.Way{}, err
	}
	w, err := dial.Resolve(dial.Target{URL: p.MCP, Command: p.Command, Dir: p.Dir, Transport: p.Transport, Header: header})
	if err != nil {
		return w, usageError{err}
	}
	return w, nil
}

// open makes what the harness runs on. There is nothing to stop afterwards.
func (p *peerSpec) open(red *redact.Redactor) (conformance.Target, func(), error) {
	protocol, err := p.protocol()
	if err != nil {
		return nil, nil, usageError{err}
	}
	open := p.server
	switch protocol {
	case conformance.A2A:
		open = p.agent
	case conformance.Chat:
		open = p.endpoint
	}
	target, err := open(red)
	return target, func() {}, err
}

func (p *peerSpec) server(red *redact.Redactor) (conformance.Target, error) {
	if err := oneOf("revision", p.Revision, imcp.Revisions()...); err != nil {
		return nil, err
	}
	way, err := p.way(red)
	if err != nil {
		return nil, err
	}
	return mcp.NewTarget(mcp.Config{
		Dial: way.Dial, Older: way.Older, Transport: way.Transport, Name: p.name(red),
		Revision: p.Revision, AllowTools: p.AllowTools, Now: time.Now, Probe: p.probe,
	}), nil
}

// oneOf fails unless the value is "" or one of the choices.
func oneOf(what, value string, choices ...string) error {
	if value == "" || slices.Contains(choices, value) {
		return nil
	}
	return usage("unknown %s %q: choose one of %s", what, value, strings.Join(choices, ", "))
}

// bindings are the names of A2A's protocol bindings by what a user writes.
var bindings = map[string]string{"": "", "jsonrpc": "JSONRPC", "rest": "HTTP+JSON"}

func (p *peerSpec) agent(red *redact.Redactor) (conformance.Target, error) {
	binding, ok := bindings[strings.ToLower(p.Transport)]
	if !ok {
		return nil, usage("transport %q is none of an A2A agent's: choose jsonrpc or rest", p.Transport)
	}
	if err := oneOf("revision", p.Revision, "0.2", "0.3", "1.0"); err != nil {
		return nil, err
	}
	header, err := p.header(red)
	if err != nil {
		return nil, err
	}
	return a2a.NewTarget(a2a.Config{
		URL: p.A2A, Options: transport.Options{Header: header}, Revision: p.Revision, Binding: binding,
		Now: time.Now, Prompt: p.Prompt,
	}), nil
}

// endpoint makes the target of a chat endpoint.
func (p *peerSpec) endpoint(red *redact.Redactor) (conformance.Target, error) {
	if p.Transport != "" || p.Revision != "" {
		return nil, usage("--transport and --revision are not for a chat endpoint")
	}
	if u, err := url.Parse(p.Chat); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" {
		return nil, usage("%q is no base of a chat endpoint: write it like http://127.0.0.1:3847 or https://api.example.com/v1", red.URL(p.Chat))
	}
	header, err := p.header(red)
	if err != nil {
		return nil, err
	}
	return chat.NewTarget(chat.Config{
		URL: p.Chat, Options: transport.Options{Header: header}, Model: p.Model, Prompt: p.Prompt,
		AllowTools: p.AllowTools, Now: time.Now,
	}), nil
}

// quoteArgs writes a command as a shell would take it.
func quoteArgs(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = a
		if a == "" || strings.ContainsAny(a, " \t\n\"'\\$&|;<>()*?#~`!{}[]") {
			quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}
