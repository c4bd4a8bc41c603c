package main

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/peerwright/peerwright/bridge"
	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/internal/config"
	"github.com/peerwright/peerwright/internal/redact"
)

// candidate is one peer that is to be checked.
type candidate struct {
	protocol  string
	transport string
	name      string
	command   bool     // it is a command, which may have to be installed first
	args      []string // what to write to check it alone; nil for a built-in one
	// open makes the target, and what to call when it was checked.
	open func(*redact.Redactor) (conformance.Target, func(), error)
}

// file is peerwright.yaml: a section for each command. Each command reads the whole, so
// that a mistake in the section of another does not go unseen.
type file struct {
	Report reportSection `yaml:"report"`
	Bridge bridge.Config `yaml:"bridge"`
}

type reportSection struct {
	Timeout time.Duration `yaml:"timeout"`
	Only    []string      `yaml:"only"`
	Skip    []string      `yaml:"skip"`
	Targets []peerSpec    `yaml:"targets"`
}

// peers finds out what to check: what the flags name, else what the configuration
// file lists, else the built-in peers.
func (c *reportCommand) peers(command []string, red *redact.Redactor) ([]candidate, error) {
	spec, err := c.target.resolve(command)
	if err != nil {
		return nil, err
	}
	if spec != nil {
		p, err := c.target.bound(spec).candidate(red)
		return []candidate{p}, err
	}
	section, found, err := c.load()
	if err != nil {
		return nil, err
	}
	if !found {
		return builtin(), nil
	}
	return section.candidates(&c.target, red)
}

// load reads the configuration file that was named, or that stands in the folder.
func (c *reportCommand) load() (reportSection, bool, error) {
	name := c.file
	if name == "" {
		name = config.FileName
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return reportSection{}, false, nil
		}
	}
	var f file
	if err := config.Load(name, &f); err != nil {
		return f.Report, false, usageError{err}
	}
	if !c.target.timeoutGiven && f.Report.Timeout > 0 {
		c.target.timeout = f.Report.Timeout
	}
	c.choice.Only = append(c.choice.Only, f.Report.Only...)
	c.choice.Skip = append(c.choice.Skip, f.Report.Skip...)
	if err := c.choice.Check(suites()...); err != nil {
		return f.Report, false, usage("%s: %v", name, err)
	}
	if len(f.Report.Targets) == 0 {
		return f.Report, false, nil
	}
	return f.Report, true, nil
}

func (s reportSection) candidates(f *targetFlags, red *redact.Redactor) ([]candidate, error) {
	var peers []candidate
	for i, spec := range s.Targets {
		p, err := f.bound(&spec).candidate(red)
		if err != nil {
			return nil, usage("report.targets[%d]: %v", i, err)
		}
		peers = append(peers, p)
	}
	return peers, nil
}

func (p *peerSpec) candidate(red *redact.Redactor) (candidate, error) {
	protocol, err := p.protocol()
	if err != nil {
		return candidate{}, err
	}
	return candidate{
		protocol: protocol, transport: p.Transport, name: p.name(red),
		command: len(p.Command) > 0, args: p.args(), open: p.open,
	}, nil
}

// args writes the peer as flags again. Values of headers are left out: they may be
// secrets, and the user knows them.
func (p *peerSpec) args() []string {
	var args []string
	flag := func(name, value string) {
		if value != "" {
			args = append(args, "--"+name, value)
		}
	}
	flag("mcp", p.MCP)
	flag("a2a", p.A2A)
	flag("chat", p.Chat)
	flag("model", p.Model)
	flag("transport", p.Transport)
	flag("revision", p.Revision)
	for name, variable := range p.HeadersEnv {
		flag("header-env", name+"="+variable)
	}
	for _, tool := range p.AllowTools {
		flag("allow-tool", tool)
	}
	flag("prompt", p.Prompt)
	if len(p.Command) > 0 {
		args = append(append(args, "--"), p.Command...)
	}
	return args
}

// reproduce is the command that runs the report again.
func (c *reportCommand) reproduce(peers []candidate, red *redact.Redactor) string {
	args := []string{"peerwright", "report"}
	for _, p := range c.choice.Only {
		args = append(args, "--only", p)
	}
	for _, p := range c.choice.Skip {
		args = append(args, "--skip", p)
	}
	if c.file != "" {
		args = append(args, "--config", c.file)
	}
	if len(peers) == 1 && c.file == "" {
		args = append(args, peers[0].args...)
	}
	return string(red.Text([]byte(quoteArgs(args))))
}
