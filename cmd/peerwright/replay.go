package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/peerwright/peerwright/conformance"
	"github.com/peerwright/peerwright/conformance/harness"
	"github.com/peerwright/peerwright/conformance/replay"
	"github.com/peerwright/peerwright/fixtures"
	"github.com/peerwright/peerwright/internal/redact"
	"github.com/peerwright/peerwright/internal/transport"
	"github.com/peerwright/peerwright/reporters"
)

// replayCommand holds the flags of `replay`.
type replayCommand struct {
	streams
	target     targetFlags
	output     outputFlags
	strictness string
}

func newReplay(s streams) *cobra.Command {
	c := &replayCommand{streams: s}
	cmd := &cobra.Command{
		Use:   "replay FIXTURE… (--mcp URL | --a2a URL | -- command args…)",
		Short: "Replay fixtures against a peer, and report whether it answers as recorded",
		Long: `Replay fixtures against a peer, and report whether it answers as recorded.

Each exchange of a fixture is a case. Ids, cursors, session and task ids are the live
peer's own. Only tools that the peer says only read are called, and those that
--allow-tool names; an A2A agent is sent the messages of the fixture.`,
		Example: `  peerwright replay everything.fixture.jsonl -- npx -y @modelcontextprotocol/server-everything stdio
  peerwright replay agent.fixture.jsonl --a2a http://127.0.0.1:9000 --strictness class`,
		Args: func(cmd *cobra.Command, args []string) error {
			if files, _ := splitDash(cmd, args); len(files) == 0 {
				return usage("name a fixture to replay")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c.target.timeoutGiven = cmd.Flags().Changed("timeout")
			files, command := splitDash(cmd, args)
			return c.run(cmd.Context(), files, command)
		},
	}
	c.target.register(cmd.Flags())
	c.output.register(cmd.Flags())
	cmd.Flags().StringVar(&c.strictness, "strictness", string(fixtures.Shape), "how closely answers are compared: exact, shape (members and types), class (outcome alone)")
	return cmd
}

// splitDash parts the arguments before a double dash from those behind it.
func splitDash(cmd *cobra.Command, args []string) (before, behind []string) {
	if at := cmd.ArgsLenAtDash(); at >= 0 {
		return args[:at], args[at:]
	}
	return args, nil
}

func (c *replayCommand) run(ctx context.Context, files, command []string) error {
	if err := c.output.check(); err != nil {
		return err
	}
	if !slices.Contains([]fixtures.Strictness{fixtures.Exact, fixtures.Shape, fixtures.Class}, fixtures.Strictness(c.strictness)) {
		return usage("--strictness %q is none of exact, shape, class", c.strictness)
	}
	spec, err := c.target.resolve(command)
	if err != nil {
		return err
	}
	if spec == nil {
		return usage("name the peer to replay against: --mcp URL, --a2a URL, or -- command args…")
	}
	red, err := newRedactor()
	if err != nil {
		return err
	}
	start := time.Now()
	report := newDocument(start, quoteArgs(slices.Concat([]string{"peerwright", "replay"}, files, spec.args())))
	for _, file := range files {
		peer, err := c.play(ctx, file, spec, red)
		if err != nil && peer.Error == "" {
			return err
		}
		report.Peers = append(report.Peers, peer)
	}
	report.DurationMS = time.Since(start).Milliseconds()
	report = reporters.Complete(report)
	if err := c.output.write(c.out, report); err != nil {
		return err
	}
	return judge(report)
}

// play replays one fixture.
func (c *replayCommand) play(ctx context.Context, file string, spec *peerSpec, red *redact.Redactor) (reporters.Peer, error) {
	f, err := fixtures.Read(file)
	if err != nil {
		return reporters.Peer{}, usageError{err}
	}
	script, err := replay.Load(fixtures.Name(file), f, replay.Options{Strictness: fixtures.Strictness(c.strictness)})
	if err != nil {
		return reporters.Peer{}, usage("%s: %v", file, err)
	}
	target, err := c.target.bound(spec).replayed(script, red)
	if err != nil {
		return reporters.Peer{}, fmt.Errorf("%s: %w", file, err)
	}
	peer, err := harness.Run(ctx, target, conformance.Suite{Cases: target.Cases()}, harness.Options{
		Timeout: c.target.timeout, Start: c.target.start(len(spec.Command) > 0), Now: time.Now, Redactor: red,
	})
	peer.Target, peer.Protocol = spec.name(red), script.Protocol()
	if err != nil && len(peer.Cases) > 0 {
		warn(c.err, red, err)
		err = nil
	}
	return peer, err
}

// replayed makes the target that plays the script against the peer.
func (p *peerSpec) replayed(script *replay.Script, red *redact.Redactor) (*replay.Target, error) {
	protocol, err := p.protocol()
	if err != nil {
		return nil, usageError{err}
	}
	if protocol != script.Protocol() {
		return nil, usage("the fixture is of %s, and the peer is named as one of %s", script.Protocol(), protocol)
	}
	if protocol == fixtures.A2A {
		header, err := p.header(red)
		if err != nil {
			return nil, err
		}
		return replay.A2A(script, replay.A2AConfig{URL: p.A2A, Options: transport.Options{Header: header}, Now: time.Now})
	}
	way, err := p.way(red)
	if err != nil {
		return nil, err
	}
	return replay.MCP(script, replay.MCPConfig{
		Dial: way.Dial, Older: way.Older, Transport: way.Transport, Name: p.name(red), AllowTools: p.AllowTools, Now: time.Now, Probe: p.probe,
	})
}
