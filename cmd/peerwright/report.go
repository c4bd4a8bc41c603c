package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/peerwright/peerwright/conformance/harness"
	"github.com/peerwright/peerwright/internal/redact"
	"github.com/peerwright/peerwright/reporters"
)

// reportCommand holds the flags of `report`.
type reportCommand struct {
	streams
	target targetFlags
	output outputFlags
	choice harness.Selection
	file   string
}

func newReport(s streams) *cobra.Command {
	c := &reportCommand{streams: s}
	cmd := &cobra.Command{
		Use:   "report [flags] [-- command args…]",
		Short: "Check a peer and report what holds and what does not",
		Long: `Check a peer and report what holds and what does not.

Without a target, the peers of peerwright.yaml are checked where that file stands
in the folder, and the built-in MCP server and A2A agent otherwise.

Only tools that say of themselves that they only read are called, and those that
--allow-tool names. An A2A agent is sent a few messages; see --prompt.`,
		Example: `  peerwright report
  peerwright report -- npx -y @modelcontextprotocol/server-everything stdio
  peerwright report --mcp http://127.0.0.1:8080/mcp --format json --output report.json
  peerwright report --a2a http://127.0.0.1:9000
  peerwright report --chat http://127.0.0.1:3847`,
		Args: afterDash,
		RunE: func(cmd *cobra.Command, args []string) error {
			c.target.timeoutGiven = cmd.Flags().Changed("timeout")
			return c.run(cmd.Context(), args)
		},
	}
	c.target.register(cmd.Flags())
	c.output.register(cmd.Flags())
	cmd.Flags().StringArrayVar(&c.choice.Only, "only", nil, "run only the cases that this `pattern` fits, such as 'mcp.pagination.*'; may be repeated")
	cmd.Flags().StringArrayVar(&c.choice.Skip, "skip", nil, "leave out the cases that this `pattern` fits; may be repeated")
	cmd.Flags().StringVar(&c.file, "config", "", "configuration `file`, instead of peerwright.yaml in this folder")
	return cmd
}

// afterDash accepts arguments only behind a double dash, where they are a command.
func afterDash(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && cmd.ArgsLenAtDash() != 0 {
		return usage("%q is no target: name one by --mcp URL, --a2a URL or --chat URL, or a command behind --", args[0])
	}
	return nil
}

func (c *reportCommand) run(ctx context.Context, command []string) error {
	if err := errors.Join(c.output.check(), c.choice.Check(suites()...)); err != nil {
		return usageError{err}
	}
	red, err := newRedactor()
	if err != nil {
		return err
	}
	peers, err := c.peers(command, red)
	if err != nil {
		return err
	}
	report, err := c.check(ctx, peers, red)
	if err != nil {
		return err
	}
	if err := c.output.write(c.out, report); err != nil {
		return err
	}
	return judge(report)
}

// check puts every peer through its suite, one after another.
func (c *reportCommand) check(ctx context.Context, peers []candidate, red *redact.Redactor) (reporters.Report, error) {
	start := time.Now()
	report := newDocument(start, c.reproduce(peers, red))
	for _, p := range peers {
		peer, err := c.checkOne(ctx, p, red)
		if err != nil && peer.Error == "" {
			return report, err
		}
		report.Peers = append(report.Peers, peer)
	}
	report.DurationMS = time.Since(start).Milliseconds()
	return reporters.Complete(report), nil
}

func (c *reportCommand) checkOne(ctx context.Context, p candidate, red *redact.Redactor) (reporters.Peer, error) {
	target, stop, err := p.open(red)
	if err != nil {
		return reporters.Peer{}, err
	}
	defer stop()
	progress := newProgress(c.err, p.name)
	defer progress.done()
	peer, err := harness.Run(ctx, target, suiteFor(p.protocol), harness.Options{
		Select: c.choice, Timeout: c.target.timeout, Start: c.target.start(p.command),
		Now: time.Now, Redactor: red, Progress: progress.step,
	})
	peer.Target = p.name
	if peer.Error != "" {
		peer.Protocol, peer.Transport, peer.Error = p.protocol, p.transport, peer.Error+wayOut(err)
	}
	if err != nil && len(peer.Cases) > 0 { // it was checked, and then did not let go
		warn(c.err, red, err)
		err = nil
	}
	return peer, err
}

// wayOut says what the user can do about a peer that turned the suite away.
func wayOut(err error) string {
	var refused interface{ HTTPStatus() int }
	if !errors.As(err, &refused) {
		return ""
	}
	switch status := refused.HTTPStatus(); {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return "; it asks for credentials: pass them with --header-env Authorization=VARIABLE"
	case status >= 300 && status < 400:
		return "; redirects are not followed: name the address that it points to"
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		return "; check the path of the URL"
	}
	return ""
}

// judge turns the report into the exit code.
func judge(r reporters.Report) error {
	for _, p := range r.Peers {
		if p.Error != "" {
			return errUnreachable
		}
	}
	if r.Verdict != reporters.Conformant {
		return errBad
	}
	return nil
}

// newDocument begins a report.
func newDocument(start time.Time, reproduce string) reporters.Report {
	return reporters.Report{
		Tool:      reporters.Tool{Name: "peerwright", Version: version, Suite: harness.Digest(suites()...)},
		StartedAt: start, Reproduce: reproduce,
	}
}
